import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { filesToRerun, totalsOf, type RunResults } from "../../dev/ci/results.ts";
import { localPath, repositoryRoot } from "../../dev/local.ts";

let folder: string;
beforeEach(() => {
  mkdirSync(localPath("test"), { recursive: true });
  folder = mkdtempSync(localPath("test", "ci-"));
  write("vitest.config.ts", "export default { test: { include: ['*.check.ts'] } };");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

/** A test file whose test fails in its first run alone. */
function writeFlaky(name: string): void {
  write(
    name,
    `import { existsSync, writeFileSync } from "node:fs";
     import { expect, test } from "vitest";
     const mark = import.meta.filename + ".ran";
     const again = existsSync(mark);
     writeFileSync(mark, "");
     test("passes the second time", () => expect(again).toBe(true));`,
  );
}

/** Runs the tests of the folder as CI does. */
async function runCi(): Promise<{ code: number; totals: string; output: string }> {
  const totalsPath = join(folder, "totals");
  const args = ["--import", "tsx/esm", "dev/ci/main.ts", totalsPath, "--root", folder];
  // Else the run inside takes itself for a part of this one.
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$)/u.test(name));
  const env = { ...Object.fromEntries(own), NODE_ENV: "test", NO_COLOR: "1" };
  return await new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: repositoryRoot, env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code);
      resolve({ code, totals: readFileSync(totalsPath, "utf8"), output: stdout + stderr });
    });
  });
}

describe("a run of CI", () => {
  test("passes where a failed file passes alone, and names the flaky test", async () => {
    write("sound.check.ts", 'import { test } from "vitest"; test("one", () => {});');
    writeFlaky("flaky.check.ts");
    const { code, totals, output } = await runCi();
    expect({ code, totals }).toEqual({ code: 0, totals: "2 0\n" });
    const flaky = output.split("\n").filter((line) => line.startsWith("FLAKY "));
    expect(flaky).toEqual(["FLAKY flaky.check.ts: passes the second time"]);
    expect(output).toContain("== once more, alone: flaky.check.ts");
    expect(output).not.toContain("once more, alone: sound.check.ts");
  });

  test("fails where a file fails again, whatever became of another", async () => {
    write("broken.check.ts", 'import { test } from "vitest"; test("one", () => { throw 1; });');
    write("missing.check.ts", 'import "./nowhere.ts";');
    writeFlaky("flaky.check.ts");
    const { code, totals, output } = await runCi();
    expect({ code, totals }).toEqual({ code: 1, totals: "1 2\n" });
    expect(output.match(/^FLAKY .*$/gmu)).toEqual(["FLAKY flaky.check.ts: passes the second time"]);
  });

  test("fails on an error outside of the tests, and runs nothing again", async () => {
    const error = 'setTimeout(() => { throw new Error("late"); }, 1);';
    const wait = "await new Promise((resolve) => setTimeout(resolve, 200));";
    write(
      "late.check.ts",
      `import { test } from "vitest"; test("one", async () => { ${error} ${wait} });`,
    );
    writeFlaky("flaky.check.ts");
    const { code, totals, output } = await runCi();
    expect({ code, totals }).toEqual({ code: 1, totals: "1 2\n" });
    expect(output).not.toContain("once more, alone");
  });

  test("runs a file again that failed and left an error outside of its tests", async () => {
    write(
      "broken-once.check.ts",
      `import { existsSync, writeFileSync } from "node:fs";
       import { test } from "vitest";
       const mark = import.meta.filename + ".ran";
       const again = existsSync(mark);
       writeFileSync(mark, "");
       test("passes the second time", async () => {
         if (again) return;
         setTimeout(() => { throw new Error("late"); }, 1);
         await new Promise((resolve) => setTimeout(resolve, 200));
         throw new Error("first");
       });`,
    );
    const { code, totals, output } = await runCi();
    expect({ code, totals }).toEqual({ code: 0, totals: "1 0\n" });
    expect(output.match(/^FLAKY .*$/gmu)).toEqual([
      "FLAKY broken-once.check.ts: passes the second time",
    ]);
  });

  test("fails without a test that ran", async () => {
    expect(await runCi()).toMatchObject({ code: 1 });
  });
});

describe("the totals", () => {
  const failing = (file: string) => ({ file, ok: false, passed: 3, failed: ["a test"] });
  const run = (...files: RunResults["files"]): RunResults => ({ files, unhandled: 0 });

  test("many failed files are no accident", () => {
    const files = Array.from({ length: 11 }, (_, index) => failing(`${index}.test.ts`));
    expect(filesToRerun(run(...files))).toEqual([]);
    expect(filesToRerun(run(...files.slice(1)))).toHaveLength(10);
  });

  test("a rerun that came to no end leaves the first result", () => {
    const first = run(failing("a.test.ts"));
    const expected = { passed: 3, failed: 1, flaky: [] };
    expect(totalsOf(first, new Map([["a.test.ts", null]]))).toEqual(expected);
  });

  test("of a file that fails again, the tests that passed alone are flaky", () => {
    const failed = ["one", "two"];
    const first = run({ file: "a.test.ts", ok: false, passed: 1, failed });
    const again = run({ file: "a.test.ts", ok: false, passed: 2, failed: ["two"] });
    expect(totalsOf(first, new Map([["a.test.ts", again]]))).toEqual({
      passed: 2,
      failed: 1,
      flaky: ["FLAKY a.test.ts: one"],
    });
    const unloaded = run({ file: "a.test.ts", ok: false, passed: 0, failed: [] });
    expect(totalsOf(first, new Map([["a.test.ts", unloaded]]))).toEqual({
      passed: 0,
      failed: 1,
      flaky: [],
    });
  });

  test("a file whose hook failed is flaky as a whole", () => {
    const first = run({ file: "a.test.ts", ok: false, passed: 0, failed: [] });
    const again = run({ file: "a.test.ts", ok: true, passed: 4, failed: [] });
    expect(totalsOf(first, new Map())).toMatchObject({ passed: 0, failed: 1 });
    expect(totalsOf(first, new Map([["a.test.ts", again]]))).toEqual({
      passed: 4,
      failed: 0,
      flaky: ["FLAKY a.test.ts: outside of its tests"],
    });
  });
});
