import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { isStale, serverSources } from "../../cli/staleness.ts";
import { hashSources } from "../../core/source-hash.ts";
import { repositoryRoot } from "../../dev/local.ts";

const names = ["api", "worker", "migrate", "account:create", "email:confirm"];
const folders: string[] = [];

afterEach(() => folders.splice(0).forEach((one) => rmSync(one, { recursive: true })));

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "parley-"));
  folders.push(folder);
  return folder;
}

interface Answer {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program without any setting. */
async function run(program: string[], cwd = repositoryRoot): Promise<Answer> {
  return await new Promise((resolve) => {
    const env = { PATH: process.env["PATH"] };
    execFile(process.execPath, program, { cwd, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

async function parley(...args: string[]): Promise<Answer> {
  return await run(["--import", "tsx/esm", "cli/main.ts", ...args]);
}

test.each(["--help", "-h"])("parley %s lists every command", async (option) => {
  const answer = await parley(option);
  expect(answer).toMatchObject({ code: 0, stderr: "" });
  const listed = [...answer.stdout.matchAll(/^ {2}(\S+) {2,}\S/gmu)].map(([, name]) => name);
  expect(listed).toEqual(names);
});

test.each(names)("parley %s --help describes the command without any setting", async (name) => {
  const answer = await parley(name, "--help");
  expect(answer).toMatchObject({ code: 0, stderr: "" });
  expect(answer.stdout).toContain(`\nUsage: parley ${name}`);
});

test.each([
  [[], "The command is missing. parley --help lists all commands.\n"],
  [["migrat"], 'There is no command "migrat". parley --help lists all commands.\n'],
  [["constructor"], 'There is no command "constructor". parley --help lists all commands.\n'],
])("%j is refused", async (args, stderr) => {
  expect(await parley(...args)).toEqual({ code: 2, stdout: "", stderr });
});

test.each(names)("parley %s refuses an option that it does not know", async (name) => {
  const answer = await parley(name, "--bogus");
  expect(answer).toMatchObject({ code: 2, stdout: "" });
  expect(answer.stderr).toMatch(/'--bogus'[^]*\nparley \S+ --help describes it\.\n$/u);
});

test("a missing setting is a failure and no wrong usage", async () => {
  const answer = await parley("migrate");
  expect(answer).toMatchObject({ code: 1, stdout: "" });
  expect(answer.stderr).toContain("DATABASE_URL: is required");
});

test.each([
  ["migrate"],
  ["account:create", "--name", "A", "--email", "a@example.com"],
  ["email:confirm", "--email", "a@example.com"],
])("parley %s --help names the settings that it needs", async (name, ...options) => {
  const { stderr } = await parley(name, ...options);
  const missing = [...stderr.matchAll(/^ {2}(\w+): is required$/gmu)].map(([, one = ""]) => one);
  expect(missing).toEqual(["DATABASE_URL", "SECRET_KEY"]);
  const { stdout } = await parley(name, "--help");
  for (const setting of missing) expect(stdout).toContain(setting);
});

test("each command is an npm script, and package.json declares parley", () => {
  const manifest: unknown = JSON.parse(readFileSync("package.json", "utf8"));
  const scripts = names.map((name) => [
    name,
    expect.stringMatching(new RegExp(`^(exec )?node cli/parley\\.js ${name}$`, "u")),
  ]);
  expect(manifest).toMatchObject({
    bin: { parley: "cli/parley.js" },
    scripts: Object.fromEntries(scripts),
  });
});

test("without a build it names the next step in one line", async () => {
  const folder = emptyFolder();
  cpSync(join(repositoryRoot, "cli/parley.js"), join(folder, "cli/parley.mjs"));
  expect(await run(["cli/parley.mjs", "api"], folder)).toEqual({
    code: 1,
    stdout: "",
    stderr: "dist/ is missing. Run npm run build first.\n",
  });
});

test("a build is stale once a source differs, and never where there are no sources", () => {
  const root = emptyFolder();
  const built = join(root, "dist");
  mkdirSync(built);
  for (const path of serverSources) {
    const file = path.includes(".") ? path : join(path, "main.ts");
    mkdirSync(join(root, file, ".."), { recursive: true });
    writeFileSync(join(root, file), "");
  }
  writeFileSync(join(built, "sources"), hashSources(root, serverSources));
  expect(isStale(built)).toBe(false);
  expect(isStale(`${built}/`)).toBe(false);
  writeFileSync(join(root, "core/main.ts"), "changed");
  expect(isStale(built)).toBe(true);
  rmSync(join(root, "core"), { recursive: true });
  expect(isStale(built)).toBe(false);
});
