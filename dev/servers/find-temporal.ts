import { chmodSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../core/errors.ts";
import { downloadArchive } from "./download.ts";
import { localPath, type Log } from "../local.ts";
import { freshPart, withLock } from "../lock.ts";
import { findExecutable, runCommand, withProgress } from "../run-command.ts";

/**
 * The newest release that `go install` accepts. Later releases have a `replace` in their go.mod.
 */
const GO_PACKAGE = "github.com/temporalio/cli/cmd/temporal@v1.5.1";
const DOWNLOAD_URL =
  "https://github.com/temporalio/cli/releases/download/v1.5.1/temporal_cli_1.5.1";
/** SHA-256 of the release's archives, by platform and architecture, from its checksums.txt. */
const SHA256: Record<string, string> = {
  linux_amd64: "ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d",
  linux_arm64: "bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5",
  darwin_amd64: "bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9",
  darwin_arm64: "cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415",
};

export type TemporalProgram = {
  path: string;
  /** Version and origin, for people. */
  source: string;
};

/**
 * Finds the `temporal` command line program, which contains server and UI. In order: the installed
 * one, the one fetched earlier, the vendor's download, or one compiled with Go. The last two are
 * stored in `.local/bin`.
 * @throws Error that names every way to get it, when none works
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
  const name = `${process.platform}_${process.arch === "x64" ? "amd64" : process.arch}`;
  const sha256 = SHA256[name];
  if (sha256 === undefined) throw new Error(`there is no release of Temporal for ${name}`);
  const url = `${DOWNLOAD_URL}_${name}.tar.gz`;
  const archive = await downloadArchive({ url, sha256 }, folder, log);
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

/**
 * A busy machine reads a large program slowly. Without an answer within this time the program is
 * fetched again.
 */
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
    "allow downloads from github.com",
    "install Go 1.25 or newer",
  ];
  const why = failures.map((failure) => `\n  tried: ${failure}`).join("");
  return `No Temporal server was found. Any of these helps: ${ways.join("; ")}.${why}`;
}
