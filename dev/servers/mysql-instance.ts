import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startChild, type Child } from "../child.ts";
import type { Log } from "../local.ts";
import { freshPart, withLock } from "../lock.ts";
import type { MysqlProgram } from "./mysql-program.ts";
import { runCommand } from "../run-command.ts";

type InstanceOptions = { dataDir: string; durable: boolean; templateDir?: string; log: Log };

/** Options of every MySQL that we start, whatever the origin of its program. */
export const COMMON_OPTIONS = [
  "--mysqlx=OFF",
  "--disable-log-bin",
  "--skip-name-resolve",
  "--max-connections=500",
  "--default-time-zone=+00:00",
  "--character-set-server=utf8mb4",
  "--collation-server=utf8mb4_0900_ai_ci",
  "--performance-schema=OFF",
];

/** Options that decide if a commit survives a power cut. */
export function flushOptions(durable: boolean): string[] {
  if (durable) return ["--innodb-flush-log-at-trx-commit=1", "--innodb-doublewrite=ON"];
  return ["--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=OFF"];
}

/** Starts mysqld on the data of `dataDir`. The server may not answer yet. */
export function startMysqld(
  program: MysqlProgram,
  port: number,
  { dataDir, durable }: InstanceOptions,
): Child {
  const [command = "", ...args] = [
    ...program.command,
    ...baseOptions(program, join(dataDir, "data")),
  ];
  return startChild({
    name: "mysqld",
    command,
    args: [
      ...args,
      ...COMMON_OPTIONS,
      ...flushOptions(durable),
      "--bind-address=127.0.0.1",
      `--port=${port}`,
      `--socket=${freshSocket(dataDir)}`,
      `--pid-file=${join(dataDir, "data", "mysqld.pid")}`,
      `--innodb-buffer-pool-size=${durable ? "256M" : "128M"}`,
    ],
    logFile: join(dataDir, "mysqld.log"),
    pidFile: join(dataDir, "mysqld.pid"),
  });
}

/**
 * The password of the user `parley` of this instance. The first call creates it, readable by its
 * owner only.
 */
export function readPassword(dataDir: string): string {
  const path = join(dataDir, "password");
  if (!existsSync(path)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(path, randomBytes(24).toString("base64url"), { mode: 0o600, flag: "wx" });
  }
  return readFileSync(path, "utf8").trim();
}

/** Creates the data of `dataDir` where they are missing, from those of `templateDir` if it is given. */
export async function ensureData(program: MysqlProgram, options: InstanceOptions): Promise<void> {
  const { dataDir, templateDir, log } = options;
  if (existsSync(join(dataDir, "data"))) return;
  if (templateDir !== undefined)
    await ensureData(program, { dataDir: templateDir, durable: false, log });
  await withLock(`${dataDir}.lock`, log, async () => {
    if (existsSync(join(dataDir, "data"))) return;
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const part = freshPart(join(dataDir, "data"));
    if (templateDir === undefined) await initialise(program, dataDir, part, log);
    else await copyData(templateDir, dataDir, part);
    // A process that is killed before this line leaves no incomplete data.
    renameSync(part, join(dataDir, "data"));
  });
}

async function initialise(
  program: MysqlProgram,
  dataDir: string,
  part: string,
  log: Log,
): Promise<void> {
  log("preparing a new data folder …");
  const password = readPassword(dataDir);
  const initFile = join(dataDir, "init.sql");
  const statements = [
    `ALTER USER 'root'@'localhost' IDENTIFIED BY '${password}';`,
    `CREATE USER 'parley'@'%' IDENTIFIED BY '${password}';`,
    "GRANT ALL ON *.* TO 'parley'@'%' WITH GRANT OPTION;",
  ];
  writeFileSync(initFile, `${statements.join("\n")}\n`, { mode: 0o600 });
  try {
    const [command = "", ...args] = [...program.command, ...baseOptions(program, part)];
    await runCommand(command, [...args, "--initialize-insecure", `--init-file=${initFile}`]);
  } finally {
    rmSync(initFile);
  }
}

async function copyData(from: string, to: string, part: string): Promise<void> {
  await cp(join(from, "password"), join(to, "password"));
  await cp(join(from, "data"), part, { recursive: true });
}

function baseOptions(program: MysqlProgram, data: string): string[] {
  const asRoot = process.getuid?.() === 0 ? ["--user=root"] : [];
  return [
    "--no-defaults",
    ...asRoot,
    ...program.options,
    `--datadir=${data}`,
    "--secure-file-priv=NULL",
  ];
}

/**
 * Short, because the path of a socket has at most about 100 characters. No other program uses the
 * path, so it may be cleared.
 */
function freshSocket(dataDir: string): string {
  const name = createHash("sha256").update(dataDir).digest("hex").slice(0, 12);
  const path = join(tmpdir(), `parley-${name}.sock`);
  rmSync(path, { force: true });
  rmSync(`${path}.lock`, { force: true });
  return path;
}
