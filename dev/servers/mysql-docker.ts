import { createHash } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import mysql from "mysql2/promise";
import { startChild, type Child } from "../child.ts";
import type { Log } from "../local.ts";
import { COMMON_OPTIONS, flushOptions, readPassword } from "./mysql-instance.ts";
import { findExecutable, runCommand, withProgress } from "../run-command.ts";

const IMAGE = "mysql:8.4";
const TIMEOUT_MS = 120_000;

/** @returns true where Docker made the data of `dataDir`. Only Docker can use them then. */
export function isDockerData(dataDir: string): boolean {
  return existsSync(join(dataDir, "docker", "mysql.ibd"));
}

/**
 * Fetches the image where it is missing.
 * @returns false where no Docker runs
 */
export async function isDockerReady(log: Log): Promise<boolean> {
  if (findExecutable("docker") === null || !(await succeeds(["info"]))) return false;
  if (!(await succeeds(["image", "inspect", IMAGE]))) {
    await withProgress(log, `fetching the image ${IMAGE}`, async () => {
      await runCommand("docker", ["pull", "--quiet", IMAGE]);
    });
  }
  return true;
}

/**
 * Starts MySQL in a container with its data in `dataDir/docker`. Stopping the child stops and
 * removes the container.
 */
export async function startDockerMysql(
  port: number,
  { dataDir, durable }: { dataDir: string; durable: boolean },
): Promise<Child> {
  const name = `parley-mysql-${createHash("sha256").update(dataDir).digest("hex").slice(0, 12)}`;
  await succeeds(["rm", "--force", name]);
  const password = readPassword(dataDir);
  const data = join(dataDir, "docker");
  mkdirSync(data, { recursive: true });
  const owner = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  const container = ["--rm", "--name", name, "--publish", `127.0.0.1:${port}:3306`];
  container.push("--user", owner, "--volume", `${data}:/var/lib/mysql`);
  const child = startChild({
    name: "mysqld",
    command: "docker",
    args: [
      "run",
      ...container,
      "--env",
      "MYSQL_ROOT_PASSWORD",
      IMAGE,
      ...COMMON_OPTIONS,
      ...flushOptions(durable),
    ],
    env: { ...process.env, MYSQL_ROOT_PASSWORD: password },
    logFile: join(dataDir, "mysqld.log"),
    pidFile: join(dataDir, "mysqld.pid"),
  });
  await createUser(port, password, child);
  return child;
}

async function succeeds(args: string[]): Promise<boolean> {
  return await runCommand("docker", args, { timeoutMs: 10_000 }).then(
    () => true,
    () => false,
  );
}

/** Creates our user as root, because the image's own user may not create databases. */
async function createUser(port: number, password: string, child: Child): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  let ended = false;
  void child.exited.then(() => {
    ended = true;
  });
  while (Date.now() < deadline && !ended) {
    try {
      const root = await mysql.createConnection({
        host: "127.0.0.1",
        port,
        user: "root",
        password,
      });
      await root.query("CREATE USER IF NOT EXISTS 'parley'@'%' IDENTIFIED BY ?", [password]);
      await root.query("GRANT ALL ON *.* TO 'parley'@'%' WITH GRANT OPTION");
      await root.end();
      return;
    } catch {
      await sleep(500);
    }
  }
  // The next wait for the server throws, with the last lines of the container.
}
