import type { EntityTarget, ObjectLiteral } from "typeorm";
import type { Tx } from "../../db/transaction.ts";
import { errorNumber, WriteConflict } from "../errors.ts";

/**
 * Inserts one row; what it does not name gets its default. By itself: TypeORM's own insert takes three
 * times the processor time, and reads the columns with defaults back.
 * @returns its AUTO_INCREMENT id; 0 in a table without one.
 */
export async function insertRow<Entity extends ObjectLiteral>(
  { manager }: Tx,
  entity: EntityTarget<Entity>,
  row: Partial<Entity>,
): Promise<number> {
  const { driver } = manager.dataSource;
  const { tableName, columns } = manager.dataSource.getMetadata(entity);
  const given = columns.flatMap((column) => {
    const value: unknown = row[column.propertyName];
    if (value === undefined) return [];
    return [{ name: column.databaseName, value: driver.preparePersistentValue(value, column) }];
  });
  const { insertId } = await manager.query<{ insertId: number }>(
    `INSERT INTO \`${tableName}\` (${given.map(({ name }) => `\`${name}\``).join(", ")})
     VALUES (${placeholders(given)})`,
    given.map(({ value }) => value),
  );
  return insertId;
}

/**
 * Cuts the one row that was read beyond a page.
 * @returns the page, and in `next` its last row where more rows follow, else null
 */
export function cutPage<Row>(
  found: readonly Row[],
  limit: number,
): { page: Row[]; next: Row | null } {
  const page = found.slice(0, limit);
  return { page, next: found.length > limit ? (page.at(-1) ?? null) : null };
}

/** Runs a write; where a unique key refuses the row, the race is lost. @throws RaceLost */
export async function insertOrLose<T>(insert: () => Promise<T>): Promise<T> {
  try {
    return await insert();
  } catch (error) {
    if (errorNumber(error) === 1062) throw new WriteConflict();
    throw error;
  }
}

/** What `read` finds; null where it took longer than its own `MAX_EXECUTION_TIME` allows. */
export async function unlessTooLong<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (errorNumber(error) === 3024) return null;
    throw error;
  }
}

/** How many rows there are, counted up to a cap. */
export interface Count {
  total: number;
  /** There are more than `total`. */
  totalAtLeast: boolean;
}

/** For how long a capped count may read. */
const countMs = 1_000;

/**
 * Counts the rows of a list up to a cap, or all of them where none is given. A count that takes too
 * long tells of the rows up to the end of the page that was read.
 * @param from as in `countUpTo`.
 */
export async function countList(
  tx: Tx,
  { sql, values }: SqlPart,
  { offset, rows, cap }: { offset: number; rows: number; cap: number | undefined },
): Promise<Count> {
  // A page without rows may begin behind the last one.
  const known = rows === 0 ? 0 : offset + rows;
  if (cap !== undefined) return await countUpTo(tx, { sql, values }, { cap, known });
  const [row] = await tx.manager.query<{ total: number }[]>(
    `SELECT COUNT(*) AS total ${sql}`,
    values,
  );
  return { total: Number(row?.total ?? 0), totalAtLeast: false };
}

/**
 * Counts rows up to a cap. A count that takes too long tells of `known` rows, at least.
 * @param from the statement from its FROM on.
 */
export async function countUpTo(
  tx: Tx,
  { sql, values }: SqlPart,
  { cap, known }: { cap: number; known: number },
): Promise<Count> {
  const rows = await unlessTooLong(() =>
    tx.manager.query<{ total: number }[]>(
      `SELECT /*+ MAX_EXECUTION_TIME(${countMs}) */ COUNT(*) AS total
         FROM (SELECT 1 ${sql} LIMIT ?) AS counted`,
      [...values, cap + 1],
    ),
  );
  if (rows === null) return { total: known, totalAtLeast: true };
  const total = Number(rows[0]?.total ?? 0);
  return { total: Math.min(total, cap), totalAtLeast: total > cap };
}

/** `text` as it must stand in a LIKE pattern to mean itself. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, (character) => `\\${character}`);
}

/** A part of a query, with the values it holds. */
export interface SqlPart {
  sql: string;
  values: unknown[];
}

/** Conditions that all hold, each with its values behind it. */
export function allOf(conditions: [string, ...unknown[]][]): SqlPart {
  return {
    sql: conditions.map(([condition]) => condition).join(" AND "),
    values: conditions.flatMap(([, ...values]) => values),
  };
}

/** Contacts whose name or email holds the text; or the phone, where the text can be part of one. */
export function contactSearch(alias: string, text: string): SqlPart {
  const like = `%${escapeLike(text)}%`;
  const digits = text.replaceAll(/[\s().+-]/g, "");
  const either = `${alias}.name LIKE ? OR ${alias}.email LIKE ?`;
  if (!/^\d+$/.test(digits)) return { sql: `(${either})`, values: [like, like] };
  return { sql: `(${either} OR ${alias}.phone LIKE ?)`, values: [like, like, `%${digits}%`] };
}

/** The rows of these ids in the order of the ids; what has gone meanwhile is left out. */
export function inOrder<Row extends { id: number }>(ids: readonly number[], rows: Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
}

/** `?, ?, ?` for a list of values. */
export function placeholders(values: readonly unknown[]): string {
  return values.map(() => "?").join(", ");
}
