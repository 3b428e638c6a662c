import { join } from "node:path";
import { canUnpackPackages, unpackedCommand, unpackPackages } from "./apt-packages.ts";
import type { Log } from "../local.ts";
import { findExecutable, runCommand } from "../run-command.ts";

const OLDEST_VERSION = 8.4;

/**
 * Folders in which package managers and the vendor's archives put mysqld, where it is not on PATH.
 */
const USUAL_FOLDERS = [
  "/usr/local/mysql/bin",
  "/opt/homebrew/opt/mysql/bin",
  "/usr/local/opt/mysql/bin",
];

/** A mysqld: its command, the options that it always needs, and its origin, for people. */
export type MysqlProgram = { command: string[]; options: string[]; source: string };

/**
 * Finds the installed MySQL server. MariaDB and MySQL before 8.4 do not count.
 * @returns null without one
 */
export async function findInstalledMysql(log: Log): Promise<MysqlProgram | null> {
  const path = findExecutable("mysqld", USUAL_FOLDERS);
  if (path === null) return null;
  const said = (
    await runCommand(path, ["--no-defaults", "--version"], { timeoutMs: 10_000 })
  ).trim();
  const version = Number(/Ver (\d+\.\d+)/.exec(said)?.[1]);
  if (/mariadb/i.test(said) || !(version >= OLDEST_VERSION)) {
    log(`${path} is not MySQL 8.4 or newer; looking further`);
    return null;
  }
  return { command: [path], options: [], source: path };
}

/**
 * Fetches the distribution's MySQL server once and unpacks it below `.local/`.
 * @returns null without apt
 */
export async function unpackMysql(log: Log): Promise<MysqlProgram | null> {
  if (!canUnpackPackages()) return null;
  const packages = ["mysql-server-core", "mysql-server-core-8.4"];
  const root = await unpackPackages({ name: "mysql-dist", packages, suite: "newest", log });
  const options = [
    `--basedir=${join(root, "usr")}`,
    `--lc-messages-dir=${join(root, "usr/share/mysql")}`,
    `--plugin-dir=${join(root, "usr/lib/mysql/plugin")}`,
  ];
  const command = unpackedCommand(root, "usr/sbin/mysqld");
  return { command, options, source: "unpacked under .local" };
}
