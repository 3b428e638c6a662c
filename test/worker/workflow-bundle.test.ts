import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { localPath } from "../../dev/local.ts";
import { bundleWorkflows } from "../../worker/workflow-bundle.ts";

const folder = localPath("workflows");

test("a bundle is kept for as long as its sources are the same", async () => {
  const { code } = await bundleWorkflows();
  expect(code).toContain("deliverWebhook");
  const [name = "", ...others] = readdirSync(folder).filter((one) => one.endsWith(".js"));
  expect(others).toEqual([]);
  expect(readFileSync(join(folder, name), "utf8")).toBe(code);
  expect((await bundleWorkflows()).code).toBe(code);
});
