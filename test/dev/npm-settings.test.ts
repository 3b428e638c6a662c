import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { repositoryRoot } from "../../dev/local.ts";

test.each([
  ["ignore-scripts", "true", "no package runs a script when it is installed"],
  ["save-exact", "true", "versions are pinned"],
  ["min-release-age", "3", "a version is three days old before it is installed"],
])("npm runs with %s=%s: %s", async (name, value) => {
  const options = { cwd: repositoryRoot };
  const { stdout } = await promisify(execFile)("npm", ["config", "get", name], options);
  expect(stdout.trim()).toBe(value);
});
