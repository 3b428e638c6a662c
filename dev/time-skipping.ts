import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { localPath, type Log } from "./local.ts";
import { freshPart, withLock } from "./lock.ts";
import {
  findExecutable,
  isExecutable,
  messageOf,
  runCommand,
  withProgress,
} from "./run-command.ts";

const SERVER = "io.temporal:temporal-test-server:1.38.0";
const LOGGER = "org.slf4j:slf4j-nop:2.0.17";
const SDK_DOWNLOAD_URL = "https://temporal.download/temporal-test-server/default";
const ANSWER_TIMEOUT_MS = 10_000;

/** What `TestWorkflowEnvironment.createTimeSkipping({ server: { executable } })` takes. */
export type TimeSkippingExecutable =
  | { type: "existing-path"; path: string }
  | { type: "cached-download" };

/**
 * A Temporal test server that skips waiting times: the Java one fetched earlier, else from Maven
 * Central with mvn and java, else the SDK's own download, which the SDK fetches on first use.
 * @throws naming every way to get it when none works
 */
export async function findTimeSkippingServer(log: Log): Promise<TimeSkippingExecutable> {
  const path = localPath("bin", "temporal-test-server");
  const failures: string[] = [];
  for (const way of [useMaven, useSdkDownload]) {
    try {
      return await way(path, log);
    } catch (error) {
      failures.push(messageOf(error));
    }
  }
  throw new Error(describeFailure(failures));
}

async function useMaven(path: string, log: Log): Promise<TimeSkippingExecutable> {
  const java = findExecutable("java");
  if (java === null) throw new Error("there is no java");
  await withLock(localPath("temporal-test-server.lock"), log, async () => {
    const complete = isExecutable(path) && existsSync(localPath("temporal-test-server", "lib"));
    if (!complete) await fetchWithMaven(path, log);
  });
  log("ready to skip time (Java test server, kept under .local)");
  return { type: "existing-path", path };
}

async function useSdkDownload(_path: string, log: Log): Promise<TimeSkippingExecutable> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), ANSWER_TIMEOUT_MS);
  try {
    const arch = process.arch === "x64" ? "amd64" : process.arch;
    const url = `${SDK_DOWNLOAD_URL}?platform=${process.platform}&arch=${arch}`;
    const response = await fetch(url, { signal: abort.signal });
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    await response.body?.cancel();
  } catch (error) {
    throw new Error(`temporal.download: ${messageOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
  log("ready to skip time (the SDK downloads its test server on first use)");
  return { type: "cached-download" };
}

async function fetchWithMaven(path: string, log: Log): Promise<void> {
  const maven = findExecutable("mvn");
  if (maven === null) throw new Error("there is no mvn to fetch the Java test server with");
  const home = localPath("temporal-test-server");
  const part = freshPart(home);
  try {
    writeFileSync(join(part, "pom.xml"), pom());
    const args = ["--batch-mode", "--quiet", "-f", join(part, "pom.xml")];
    await withProgress(log, "fetching the test server from Maven Central", async () => {
      const goal = "dependency:copy-dependencies";
      await runCommand(maven, [...args, goal, `-DoutputDirectory=${join(part, "lib")}`]);
    });
    if (existsSync(home)) rmSync(home, { recursive: true });
    renameSync(part, home);
    writeScript(path);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

/** Last, so that a script that is there has its jars. */
function writeScript(path: string): void {
  const lines = [
    "#!/bin/sh",
    'lib="$(dirname "$0")/../temporal-test-server/lib"',
    `exec java -XX:TieredStopAtLevel=1 -cp "$lib/*" io.temporal.testserver.TestServer "$@"`,
    "",
  ];
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.part`, lines.join("\n"));
  chmodSync(`${path}.part`, 0o755);
  renameSync(`${path}.part`, path);
}

function pom(): string {
  const dependencies = [SERVER, LOGGER].map((coordinates) => {
    const [group, artifact, version] = coordinates.split(":");
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
  });
  return [
    '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>',
    "<groupId>parley</groupId><artifactId>test-server</artifactId><version>1</version>",
    `<dependencies>${dependencies.join("")}</dependencies></project>`,
  ].join("\n");
}

function describeFailure(failures: string[]): string {
  const ways = ["install Java 11 or newer and Maven", "allow downloads from temporal.download"];
  const why = failures.map((failure) => `\n  tried: ${failure}`).join("");
  return `No time-skipping test server was found. Any of these helps: ${ways.join("; ")}.${why}`;
}
