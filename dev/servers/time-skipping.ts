import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { hashSources } from "../../core/source-hash.ts";
import { localPath, type Log } from "../local.ts";
import { freshPart, withLock } from "../lock.ts";
import { findExecutable, isExecutable, runCommand, withProgress } from "../run-command.ts";

const SERVER = "io.temporal:temporal-test-server:1.38.0";
const LOGGER = "org.slf4j:slf4j-nop:2.0.17";
/**
 * SHA-256 of names and contents of both packages with their dependencies, as `hashSources` computes
 * it.
 */
const SHA256 = "1b81a2fa51c9aed95d5ce0bb810db1d8bcf8ac662ea54c16aa25fc61fa4f6121";

/** For `TestWorkflowEnvironment.createTimeSkipping({ server: { executable } })`. */
export type TimeSkippingExecutable = { type: "existing-path"; path: string };

/**
 * Finds a Temporal test server that skips waiting times: the Java server fetched earlier, else from
 * Maven Central with mvn and java. The SDK could download one too, but checks no checksum.
 * @throws Error when there is no java, or the server cannot be fetched
 */
export async function findTimeSkippingServer(log: Log): Promise<TimeSkippingExecutable> {
  const path = localPath("bin", "temporal-test-server");
  if (findExecutable("java") === null) throw new Error(describeFailure("there is no java"));
  await withLock(localPath("temporal-test-server.lock"), log, async () => {
    const complete = isExecutable(path) && existsSync(localPath("temporal-test-server", "lib"));
    if (!complete) await fetchWithMaven(path, log);
  });
  log("ready to skip time (Java test server, kept under .local)");
  return { type: "existing-path", path };
}

async function fetchWithMaven(path: string, log: Log): Promise<void> {
  const maven = findExecutable("mvn");
  if (maven === null) throw new Error(describeFailure("there is no mvn to fetch it with"));
  const home = localPath("temporal-test-server");
  const part = freshPart(home);
  try {
    writeFileSync(join(part, "pom.xml"), pom());
    const args = ["--batch-mode", "--quiet", "-f", join(part, "pom.xml")];
    await withProgress(log, "fetching the test server from Maven Central", async () => {
      const goal = "dependency:copy-dependencies";
      await runCommand(maven, [...args, goal, `-DoutputDirectory=${join(part, "lib")}`]);
    });
    const found = hashSources(part, ["lib"]);
    if (found !== SHA256) throw new Error(`The test server's SHA-256 is ${found}: refused.`);
    if (existsSync(home)) rmSync(home, { recursive: true });
    renameSync(part, home);
    writeScript(path);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

/** Written last, so that an existing script always has its jars. */
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

function describeFailure(reason: string): string {
  return `No time-skipping test server was found: ${reason}. Install Java 11 or newer and Maven.`;
}
