import { join } from "node:path";
import { canUnpackPackages, unpackedCommand, unpackPackages } from "./apt-packages.ts";
import type { Log } from "./local.ts";
import { findExecutable, runCommand } from "./run-command.ts";

const OLDEST_MAJOR = 8;

/** Where package managers and the vendor's archives put mysqld when it is not on PATH. */
const USUAL_FOLDERS = [
  "/usr/local/mysql/bin",
  "/opt/homebrew/opt/mysql/bin",
  "/usr/local/opt/mysql/bin",
];

/** A mysqld: the words that start it, the options it always needs, where it came from for people. */
export type MysqlProgram = { command: string[]; options: string[]; source: string };

/** The MySQL server installed on this machine, or null; MariaDB and MySQL before 8.0 do not count. */
export async function findInstalledMysql(log: Log): Promise<MysqlProgram | null> {
  const path = findExecutable("mysqld", USUAL_FOLDERS);
  if (path === null) return null;
  const said = (
    await runCommand(path, ["--no-defaults", "--version"], { timeoutMs: 10_000 })
  ).trim();
  const major = Number(/Ver (\d+)\./.exec(said)?.[1]);
  if (/mariadb/i.test(said) || !(major >= OLDEST_MAJOR)) {
    log(`${path} is not MySQL 8.0 or newer; looking further`);
    return null;
  }
  return { command: [path], options: [], source: path };
}

/** The MySQL server of the distribution, fetched once and unpacked below `.local/`, or null. */
export async function unpackMysql(log: Log): Promise<MysqlProgram | null> {
  if (!canUnpackPackages()) return null;
  const packages = ["mysql-server-core", "mysql-server-core-8.4", "mysql-server-core-8.0"];
  const root = await unpackPackages({ name: "mysql-dist", packages, suite: "newest", log });
  const options = [
    `--basedir=${join(root, "usr")}`,
    `--lc-messages-dir=${join(root, "usr/share/mysql")}`,
    `--plugin-dir=${join(root, "usr/lib/mysql/plugin")}`,
  ];
  const command = unpackedCommand(root, "usr/sbin/mysqld");
  return { command, options, source: "unpacked under .local" };
}
