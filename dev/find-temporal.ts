import { chmodSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { downloadArchive } from "./download.ts";
import { localPath, type Log } from "./local.ts";
import { freshPart, withLock } from "./lock.ts";
import { findExecutable, messageOf, runCommand, withProgress } from "./run-command.ts";

/** The newest release that `go install` accepts: later ones carry a `replace` in their go.mod. */
const GO_PACKAGE = "github.com/temporalio/cli/cmd/temporal@v1.5.1";
const DOWNLOAD_URL = "https://temporal.download/cli/archive/latest";

export type TemporalProgram = {
  path: string;
  /** Which version this is and where it came from, for people. */
  source: string;
};

/**
 * The `temporal` command line program, which holds server and UI: the installed one, the one fetched
 * earlier, the vendor's download, or one compiled with Go; the last two are kept in `.local/bin`.
 * @throws naming every way to get it when none works
 */
export async function findTemporal(log: Log): Promise<TemporalProgram> {
  const installed = findExecutable("temporal", ["/opt/homebrew/bin"]);
  if (installed !== null) {
    const version = await readVersion(installed).catch(() => null);
    if (version !== null) return { path: installed, source: `${version}, ${installed}` };
    log(`${installed} is not the Temporal CLI; looking further`);
  }
  const path = localPath("bin", "temporal");
  const kept = async (): Promise<string | null> => await readVersion(path).catch(() => null);
  if ((await kept()) === null) {
    await withLock(localPath("temporal.lock"), log, async () => {
      if ((await kept()) === null) await fetchTemporal(path, log);
    });
  }
  return { path, source: `${await readVersion(path)}, kept under .local` };
}

async function fetchTemporal(path: string, log: Log): Promise<void> {
  const failures: string[] = [];
  for (const way of [download, compile]) {
    const folder = freshPart(localPath("temporal"));
    try {
      await way(folder, log);
      chmodSync(join(folder, "temporal"), 0o755);
      await readVersion(join(folder, "temporal"));
      mkdirSync(localPath("bin"), { recursive: true });
      renameSync(join(folder, "temporal"), path);
      return;
    } catch (error) {
      log(messageOf(error));
      failures.push(messageOf(error));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  throw new Error(describeFailure(failures));
}

async function download(folder: string, log: Log): Promise<void> {
  const arch = process.arch === "x64" ? "amd64" : process.arch;
  const url = `${DOWNLOAD_URL}?platform=${process.platform}&arch=${arch}`;
  const archive = await downloadArchive(url, folder, log);
  await runCommand("tar", ["-xzf", archive, "-C", folder, "temporal"]);
}

async function compile(folder: string, log: Log): Promise<void> {
  const go = findExecutable("go", ["/usr/local/go/bin", "/opt/homebrew/bin"]);
  if (go === null) throw new Error("there is no Go to compile it with");
  const env = { ...process.env, GOBIN: folder, GOTOOLCHAIN: "local" };
  await withProgress(log, "compiling with Go (once, about 3 minutes on 2 cores)", async () => {
    await runCommand(go, ["install", "-ldflags", "-s -w", GO_PACKAGE], { env });
  });
}

/** On a busy machine a large program takes a while to be read; without an answer it is fetched anew. */
const versionMs = 60_000;

async function readVersion(path: string): Promise<string> {
  const said = await runCommand(path, ["--version"], { timeoutMs: versionMs });
  const server = /\(Server ([^,)]+)/.exec(said)?.[1];
  if (server === undefined) throw new Error(`${path} is not the Temporal CLI`);
  return `Temporal server ${server}`;
}

function describeFailure(failures: string[]): string {
  const ways = [
    "set TEMPORAL_ADDRESS to a running server",
    "install the temporal CLI (https://docs.temporal.io/cli)",
    "allow downloads from temporal.download",
    "install Go 1.25 or newer",
  ];
  const why = failures.map((failure) => `\n  tried: ${failure}`).join("");
  return `No Temporal server was found. Any of these helps: ${ways.join("; ")}.${why}`;
}
