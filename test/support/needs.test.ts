import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { repositoryRoot } from "../../dev/local.ts";
import { listTestFiles, needsOf, projectNames, projectOf } from "./needs.ts";

test.each([
  ["test/core/model/delivery.test.ts", "unit", []],
  ["test/dev/receiver/receiver.test.ts", "io", []],
  ["test/db/query-plans.test.ts", "db", ["mysqlUrl", "mysqlTemplate"]],
  ["test/api/v1/contacts.test.ts", "api", ["mysqlUrl", "mysqlTemplate"]],
  ["test/api/http/database-away.test.ts", "alone", ["mysqlUrl", "mysqlTemplate"]],
  ["test/workflows/purge.test.ts", "workflow", ["timeSkippingExecutable", "temporalAddress"]],
  ["test/dashboard/contacts.test.ts", "browser", ["mysqlUrl", "mysqlTemplate", "chromium"]],
  ["test/e2e/launcher.test.ts", "e2e", []],
  ["test/e2e/image.test.ts", "image", ["mysqlUrl", "temporalAddress", "serverBuild"]],
])("%s is of the project %s", (file, project, needs) => {
  expect(projectOf(file)).toBe(project);
  expect(needsOf(file)).toEqual(new Set(needs));
});

test("every project has files, and a file that injects a value has its server", () => {
  const files = listTestFiles();
  expect(new Set(files.map(projectOf))).toEqual(new Set(projectNames));
  const withoutServer = files.filter((file) => ["unit", "io"].includes(projectOf(file)));
  expect(withoutServer.flatMap((file) => [...needsOf(file)])).toEqual([]);
});

test("a run of a pure file starts no server", async () => {
  // Else the run inside takes itself for a part of this one.
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$)/u.test(name));
  const env = { ...Object.fromEntries(own), NO_COLOR: "1" };
  const args = ["vitest", "run", "test/core/model/delivery.test.ts"];
  const { stdout } = await promisify(execFile)("npx", args, { cwd: repositoryRoot, env });
  expect(stdout).toContain("1 passed");
  expect(stdout).not.toMatch(/^(mysql|temporal|skipping|chromium) /m);
});
