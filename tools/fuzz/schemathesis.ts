import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { localPath, partLog } from "../../dev/local.ts";
import { findExecutable, runCommand, withProgress } from "../../dev/run-command.ts";

const requirementsFile = fileURLToPath(new URL("requirements.txt", import.meta.url));

/** Path of a file in this folder. */
export function fuzzFile(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/**
 * Path of Schemathesis in its own Python environment below `.local/`. The environment is created
 * where it is missing or its list of exact versions has changed.
 * @throws Error when there is no Python, or its packages cannot be fetched
 */
export async function findSchemathesis(): Promise<string> {
  const folder = localPath("schemathesis");
  const program = join(folder, "bin", "schemathesis");
  const note = join(folder, "requirements.txt");
  const wanted = readFileSync(requirementsFile, "utf8");
  if (existsSync(note) && readFileSync(note, "utf8") === wanted) return program;
  const python = findExecutable("python3");
  if (python === null) {
    throw new Error(
      "This needs Python 3.10 or newer with venv, as python3 on PATH, to run Schemathesis. Everything else runs without it.",
    );
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await withProgress(partLog("fuzz"), "installing Schemathesis from PyPI", async () => {
    await runCommand(python, ["-m", "venv", folder]);
    const pip = ["-m", "pip", "install", "--quiet", "--no-deps", "-r", requirementsFile];
    await runCommand(join(folder, "bin", "python"), pip);
  });
  writeFileSync(note, wanted);
  return program;
}

/**
 * Runs a program with its output on the terminal. Ctrl-C ends the program, and this process
 * continues.
 * @returns its exit code, or 1 where a signal ended it
 */
export async function runInTerminal(
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const child = spawn(command, args, { env, stdio: ["ignore", "inherit", "inherit"] });
  const end = () => void child.kill("SIGTERM");
  // The terminal sends Ctrl-C to both processes.
  const wait = () => undefined;
  process.on("SIGTERM", end).on("SIGINT", wait);
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code) => resolve(code ?? 1));
    });
  } finally {
    process.off("SIGTERM", end).off("SIGINT", wait);
  }
}
