import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { taskQueues } from "../../core/model/workflow/workflow-command.ts";

test("the runs of an owner that is gone are ended on every task queue", () => {
  const page = readFileSync("docs/operating.md", "utf8");
  const line = /^temporal workflow terminate .*$/mu.exec(page)?.[0] ?? "";
  const named = [...line.matchAll(/[ >]-([a-z]+)/gu)].map(([, queue]) => queue);
  expect(new Set(named)).toEqual(new Set<string>(taskQueues));
});
