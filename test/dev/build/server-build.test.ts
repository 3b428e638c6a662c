import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { listFiles } from "../../../core/source-hash.ts";
import { localPath, repositoryRoot } from "../../../dev/local.ts";
import { runCommand } from "../../../dev/run-command.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { processEnv, startApiProcess, type TestProcess } from "../../support/process.ts";

/** Has what an installation needs of the repository. Its packages are those of the repository. */
let root: string;
let dist: string;
let database: TestDatabase;
const started: TestProcess[] = [];

beforeAll(async () => {
  mkdirSync(localPath("test"), { recursive: true });
  root = mkdtempSync(localPath("test", "built-"));
  dist = join(root, "dist");
  cpSync(join(inject("serverBuild"), "dist"), dist, { recursive: true });
  for (const path of ["package.json", "cli/parley.js"]) {
    cpSync(join(repositoryRoot, path), join(root, path));
  }
  database = await createTestDatabase();
});

afterAll(async () => {
  await Promise.all(started.map(async (one) => await one.kill("SIGKILL")));
  await database.stop();
  rmSync(root, { recursive: true });
});

/** Parts of a file that hold text: the inline source map of the workflows is packed in base64. */
function readTexts(path: string): string[] {
  const text = readFileSync(path, "utf8");
  const packed = [...text.matchAll(/;base64,([\w+/=]+)/gu)].map(([, code = ""]) => code);
  return [text, ...packed.map((code) => Buffer.from(code, "base64").toString())];
}

test("no file names a folder of the machine that built it", () => {
  const files = listFiles(dist);
  expect(files.length).toBeGreaterThan(10);
  const found = files.filter((path) => readTexts(path).some((it) => it.includes(repositoryRoot)));
  expect(found).toEqual([]);
});

test("the built command runs in another folder", async () => {
  const said = await runCommand(process.execPath, [join(root, "cli/parley.js"), "migrate"], {
    cwd: "/",
    env: processEnv(database.url, {}),
  });
  expect(said).toBe("The schema is up to date.\n");
});

test("a stack trace of the built API names the sources", async () => {
  const api = await startApiProcess(database.url, {}, root);
  started.push(api);
  await database.dataSource.query("DROP TABLE users");
  const answer = await fetch(`${api.url}/dashboard/api/session`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: "ada@example.com", password: "long enough" }),
  });
  expect(answer.status).toBe(500);
  await eventually(() => {
    const line = api
      .output()
      .split("\n")
      .find((one) => one.includes('"http.failed"'));
    const frames = (JSON.parse(line ?? "{}") as { err?: { at: string[] } }).err?.at ?? [];
    const ours = frames.filter((one) => !/node_modules|node:/u.test(one));
    expect(ours).toContainEqual(
      expect.stringMatching(/ findLogins .*\/core\/services\/accounts\/users\.ts:\d+:\d+/u),
    );
    expect(ours.filter((one) => one.includes("/dist/"))).toEqual([]);
  });
});
