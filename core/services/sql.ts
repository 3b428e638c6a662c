import type { EntityTarget, FindManyOptions, FindOptionsWhere, ObjectLiteral } from "typeorm";
import type { Tx } from "../../db/transaction.ts";
import { errorNumber, mysqlError, notFound, WriteConflict } from "../errors.ts";
import { parsePhone, phoneVariants } from "../model/contact.ts";
import type { ErrorNoun } from "../model/error-catalogue.ts";
import type { Page, PageBounds } from "../model/page.ts";

/** Rows that belong to one account. */
export type OwnedRow = ObjectLiteral & { id: number; accountId: number };

/** The account's row that matches `where`; null where there is none. */
export async function findOwned<Row extends OwnedRow>(
  tx: Tx,
  entity: EntityTarget<Row>,
  where: FindOptionsWhere<Row>,
): Promise<Row | null> {
  return await tx.manager.findOneBy(entity, { ...where, accountId: tx.actor.accountId });
}

/** Like `findOwned`, and locks the row until the transaction ends. */
export async function lockOwnedIfThere<Row extends OwnedRow>(
  tx: Tx,
  entity: EntityTarget<Row>,
  where: FindOptionsWhere<Row>,
): Promise<Row | null> {
  return await tx.manager.findOne(entity, {
    where: { ...where, accountId: tx.actor.accountId },
    lock: { mode: "pessimistic_write" },
  });
}

/**
 * The account's row that matches `where`. The row of another account reads as absent.
 * @param noun names the row in the error
 * @throws AppError `<noun>_not_found`
 */
export async function getOwned<Row extends OwnedRow>(
  tx: Tx,
  entity: EntityTarget<Row>,
  noun: ErrorNoun,
  where: FindOptionsWhere<Row>,
): Promise<Row> {
  const row = await findOwned(tx, entity, where);
  if (row === null) throw notFound(noun);
  return row;
}

/**
 * Like `getOwned`, and locks the row until the transaction ends.
 * @param noun names the row in the error
 * @throws AppError `<noun>_not_found`
 */
export async function lockOwned<Row extends OwnedRow>(
  tx: Tx,
  entity: EntityTarget<Row>,
  noun: ErrorNoun,
  where: FindOptionsWhere<Row>,
): Promise<Row> {
  const row = await lockOwnedIfThere(tx, entity, where);
  if (row === null) throw notFound(noun);
  return row;
}

/**
 * Inserts one row; columns without a value get their default. Not TypeORM's own insert, which takes
 * three times the processor time and reads the columns with defaults back.
 * @returns its AUTO_INCREMENT id; 0 in a table without one.
 */
export async function insertRow<Entity extends ObjectLiteral>(
  tx: Tx,
  entity: EntityTarget<Entity>,
  row: Partial<Entity>,
): Promise<number> {
  const [id] = await insertRows(tx, entity, [row]);
  return id ?? 0;
}

/**
 * Inserts rows like `insertRow`, in one statement. All of them have values for the same columns.
 * @returns the id of each. InnoDB gives the rows of one statement consecutive ids.
 */
export async function insertRows<Entity extends ObjectLiteral>(
  { manager }: Tx,
  entity: EntityTarget<Entity>,
  rows: readonly Partial<Entity>[],
): Promise<number[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const { driver } = manager.dataSource;
  const { tableName, columns } = manager.dataSource.getMetadata(entity);
  const given = columns.filter((column) => first[column.propertyName] !== undefined);
  const { insertId } = await manager.query<{ insertId: number }>(
    `INSERT INTO \`${tableName}\` (${given.map(({ databaseName }) => `\`${databaseName}\``).join(", ")})
     VALUES ${rows.map(() => `(${placeholders(given)})`).join(", ")}`,
    rows.flatMap((row) =>
      given.map((column): unknown => {
        return driver.preparePersistentValue(row[column.propertyName], column);
      }),
    ),
  );
  return rows.map((_, index) => insertId + index);
}

/** One page of an entity's rows, with their exact total. */
export async function findPage<Entity extends ObjectLiteral>(
  { manager }: Tx,
  entity: EntityTarget<Entity>,
  { limit, offset }: PageBounds,
  matching: Pick<FindManyOptions<Entity>, "where" | "order">,
): Promise<Page<Entity>> {
  const found = { ...matching, take: limit, skip: offset };
  const [rows, total] = await manager.findAndCount(entity, found);
  return { rows, total, totalAtLeast: false };
}

/**
 * Removes the one row that was read beyond a page.
 * @returns the page, and in `next` its last row if more rows follow, else null
 */
export function cutPage<Row>(
  found: readonly Row[],
  limit: number,
): { page: Row[]; next: Row | null } {
  const page = found.slice(0, limit);
  return { page, next: found.length > limit ? (page.at(-1) ?? null) : null };
}

/** Runs an insert. @throws WriteConflict if a unique key refuses the row. */
export async function insertOrLose<T>(insert: () => Promise<T>): Promise<T> {
  try {
    return await insert();
  } catch (error) {
    if (errorNumber(error) === mysqlError.duplicateKey) throw new WriteConflict();
    throw error;
  }
}

/** Result of `read`; null if the query took longer than its own `MAX_EXECUTION_TIME`. */
export async function unlessTooLong<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (errorNumber(error) === mysqlError.statementTimeout) return null;
    throw error;
  }
}

/** Number of rows, counted up to a cap. */
export type Count = Omit<Page<unknown>, "rows">;

/** Time limit of a capped count. */
const countMs = 1_000;

/**
 * Counts the rows of a list up to a cap, or all of them without a cap. A count that takes too long
 * returns the rows up to the end of the current page.
 * @param from as in `countUpTo`.
 */
export async function countList(
  tx: Tx,
  { sql, values }: SqlPart,
  { offset, rows, cap }: { offset: number; rows: number; cap: number | undefined },
): Promise<Count> {
  // A page without rows may begin behind the last one.
  const known = rows === 0 ? 0 : offset + rows;
  return cap === undefined
    ? await countAll(tx, { sql, values })
    : await countUpTo(tx, { sql, values }, { cap, known });
}

/**
 * Exact number of rows.
 * @param from the statement from its FROM on.
 */
export async function countRows({ manager }: Tx, from: SqlPart): Promise<number> {
  const statement = `SELECT COUNT(*) AS total ${from.sql}`;
  const [row] = await manager.query<{ total: number }[]>(statement, from.values);
  return Number(row?.total ?? 0);
}

/**
 * Counts the rows of a list exactly.
 * @param from the statement from its FROM on.
 */
export async function countAll(tx: Tx, from: SqlPart): Promise<Count> {
  return { total: await countRows(tx, from), totalAtLeast: false };
}

/**
 * Counts rows up to a cap. A count that takes too long returns `known`, with `totalAtLeast`.
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

/** Escapes `text` for a LIKE pattern. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, (character) => `\\${character}`);
}

/** A part of a query, with its values. */
export interface SqlPart {
  sql: string;
  values: unknown[];
}

/** Conditions joined by AND, each followed by its values. */
export function allOf(conditions: [string, ...unknown[]][]): SqlPart {
  return {
    sql: conditions.map(([condition]) => condition).join(" AND "),
    values: conditions.flatMap(([, ...values]) => values),
  };
}

/**
 * Finds contacts whose name or email contains the text. A text of digits finds phones too. A whole
 * number finds its national variants (rule C3).
 */
export function contactSearch(alias: string, text: string): SqlPart {
  const like = `%${escapeLike(text)}%`;
  const phone = parsePhone(text);
  const digits = text.replaceAll(/[\s().+-]/g, "");
  const phones =
    phone === null ? [digits].filter((one) => /^\d+$/.test(one)) : phoneVariants(phone);
  const conditions = ["name", "email", ...phones.map(() => "phone")];
  return {
    sql: `(${conditions.map((column) => `${alias}.${column} LIKE ?`).join(" OR ")})`,
    values: [like, like, ...phones.map((one) => `%${one}%`)],
  };
}

/** The rows of these ids in the order of the ids. Rows that were deleted meanwhile are left out. */
export function inOrder<Row extends { id: number }>(ids: readonly number[], rows: Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
}

/** `?, ?, ?` for a list of values. */
export function placeholders(values: readonly unknown[]): string {
  return values.map(() => "?").join(", ");
}
