import type { DataSource } from "typeorm";
import { makeInstallationId } from "./installation-id.ts";
import type { Installation } from "../core/model/installation.ts";
import { sealedTables, secretCheck, type SecretBox } from "../core/secrets.ts";

/** Settings of a server that the checks read. */
interface ServerFacts {
  version: string;
  character_set: string;
  utc_offset: number;
  sql_mode: string;
  flush_log: number;
  log_bin: number;
  sync_binlog: number;
  id_increment: number;
}

/**
 * Refuses a database that would lose or alter data.
 * @param strict false: a server that is not durable causes a warning only, for development and
 * tests.
 * @returns warnings, for the log.
 * @throws Error naming every wrong setting and its right value.
 */
export async function checkServer(dataSource: DataSource, strict: boolean): Promise<string[]> {
  const [facts] = await dataSource.query<ServerFacts[]>(
    `SELECT VERSION() AS version, @@character_set_database AS character_set,
            TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(), NOW()) AS utc_offset, @@GLOBAL.sql_mode AS sql_mode,
            @@GLOBAL.innodb_flush_log_at_trx_commit AS flush_log, @@GLOBAL.log_bin AS log_bin,
            @@GLOBAL.sync_binlog AS sync_binlog, @@auto_increment_increment AS id_increment`,
  );
  if (facts === undefined) throw new Error("The database server does not tell its settings.");
  const wrong = describeWrong(facts);
  const risky = describeRisky(facts);
  const refused = strict ? [...wrong, ...risky] : wrong;
  if (refused.length === 0) return risky;
  throw new Error(
    `The database server cannot be used:\n${refused.map((line) => `  ${line}`).join("\n")}`,
  );
}

function describeWrong(facts: ServerFacts): string[] {
  const major = Number.parseFloat(facts.version);
  const checks: [boolean, string][] = [
    [!/mariadb/i.test(facts.version), "It is MariaDB; use MySQL 8.4 or 9."],
    [major >= 8.4, `It is version ${facts.version}; use MySQL 8.4 or 9.`],
    [facts.character_set === "utf8mb4", "The database's character set must be utf8mb4."],
    [Number(facts.utc_offset) === 0, "The session must run in UTC (--default-time-zone=+00:00)."],
    [
      /STRICT_(TRANS|ALL)_TABLES/.test(facts.sql_mode),
      "sql_mode must contain STRICT_TRANS_TABLES.",
    ],
    [
      Number(facts.id_increment) === 1,
      "auto_increment_increment must be 1: rows inserted together are told by consecutive ids.",
    ],
    [
      !/NO_BACKSLASH_ESCAPES/.test(facts.sql_mode),
      "sql_mode must not contain NO_BACKSLASH_ESCAPES: values are escaped with backslashes.",
    ],
  ];
  return checks.filter(([right]) => !right).map(([, message]) => message);
}

function describeRisky(facts: ServerFacts): string[] {
  const checks: [boolean, string][] = [
    [
      Number(facts.flush_log) === 1,
      "innodb_flush_log_at_trx_commit must be 1, or a crash loses accepted events.",
    ],
    [
      Number(facts.log_bin) === 0 || Number(facts.sync_binlog) === 1,
      "sync_binlog must be 1, or a crash loses accepted events on the replicas.",
    ],
  ];
  return checks.filter(([right]) => !right).map(([, message]) => message);
}

/** @throws Error if a migration has not run yet. */
export async function requireSchema(dataSource: DataSource): Promise<void> {
  if (!(await dataSource.showMigrations())) return;
  throw new Error("The database schema is not up to date. Run: npm run migrate");
}

/** Reads the installation of a database. `checkSecretKey` has created the row. */
export async function readInstallation(dataSource: DataSource): Promise<Installation> {
  const [row] = await dataSource.query<{ installation_id: string; plain_names: number }[]>(
    "SELECT installation_id, plain_names FROM installation WHERE id = 1",
  );
  if (row === undefined) throw new Error("The database does not say which installation it is.");
  return { id: row.installation_id, hasPlainNames: Number(row.plain_names) === 1 };
}

/**
 * Checks that this process can open existing secrets, before it seals any itself. The first process
 * of an installation stores the check value and the installation's id; later processes open that
 * value.
 * @throws Error if SECRET_KEY is another one.
 */
export async function checkSecretKey(dataSource: DataSource, secretBox: SecretBox): Promise<void> {
  const { plain, context } = secretCheck;
  await dataSource.query(
    "INSERT IGNORE INTO installation (id, installation_id, secret_check) VALUES (1, ?, ?)",
    [makeInstallationId(), secretBox.seal(plain, context)],
  );
  const [row] = await dataSource.query<{ secret_check: string }[]>(
    "SELECT secret_check FROM installation WHERE id = 1",
  );
  if (row === undefined || !isOwn(row.secret_check, secretBox)) {
    throw new Error("SECRET_KEY is not the key that this database's secrets were sealed with.");
  }
  await requireKeysInUse(dataSource, secretBox);
}

function isOwn(sealed: string, secretBox: SecretBox): boolean {
  try {
    return secretBox.open(sealed, secretCheck.context) === secretCheck.plain;
  } catch {
    return false;
  }
}

/**
 * Requires every key that stored secrets use. A process with older settings may have sealed with an
 * older key until its end.
 */
async function requireKeysInUse(dataSource: DataSource, secretBox: SecretBox): Promise<void> {
  // NULL is a row without a secret, and '' a row from before the column.
  const used = Object.entries(sealedTables).map(
    ([table, holds]) => `SELECT key_id FROM ${table} WHERE ${holds} AND key_id <> ''`,
  );
  const rows = await dataSource.query<{ key_id: string }[]>(used.join(" UNION "));
  const missing = rows.map(({ key_id }) => key_id).filter((keyId) => !secretBox.has(keyId));
  if (missing.length === 0) return;
  throw new Error(
    `SECRET_KEY lacks the key "${missing.join('", "')}", which stored secrets are sealed with. Put it behind the first one, and start a worker.`,
  );
}
