import { expect, test } from "vitest";
import { processEnv, startProcess } from "../support/process.ts";

test.each(["api", "worker"] as const)(
  "an unsafe %s does not start in production",
  async (which) => {
    const env = processEnv("mysql://nobody@127.0.0.1:1/none", { NODE_ENV: "production" });
    const started = startProcess(which, env);
    expect(await started.exited).toBe(1);
    expect(started.output()).toMatch(
      /^Unsafe settings in production:\n {2}ALLOW_PRIVATE_TARGETS: /u,
    );
  },
);
