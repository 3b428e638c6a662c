import {
  In,
  type DeepPartial,
  type EntityTarget,
  type FindOptionsWhere,
  type ObjectLiteral,
  type QueryDeepPartialEntity,
} from "typeorm";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import { isAdmin, requireUserId } from "../accounts/actor.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { recordChange } from "../outbox/changes.ts";
import { getOwned, insertRow, lockOwned } from "../sql.ts";

/** `owner_user_id` of rows that every member of the account may use. */
export const everyone = 0;

/** Columns of a canned answer and of a macro. */
type AnswerRow = ObjectLiteral & {
  id: number;
  accountId: number;
  ownerUserId: number;
  version: number;
};

/** Canned answers or macros. Each row is for one person, or for the whole account. */
export interface AnswerKind<Row extends AnswerRow> {
  entity: EntityTarget<Row>;
  noun: "canned_answer" | "macro";
  /** Name of a row for the audit log. */
  nameOf: (row: Row) => Record<string, string>;
}

/** Fields of a change. `shared` moves the row to the account or back to the person. */
type AnswerPatch = Record<string, unknown> & { shared?: boolean | undefined };

/** Owners of the rows that the person may use: the account and the person. */
export function usableOwners(tx: Tx, shared?: boolean): number[] {
  const own = requireUserId(tx.actor);
  if (shared === undefined) return [everyone, own];
  return [shared ? everyone : own];
}

/**
 * A row that the person may use. A row of another person reads as unknown.
 * @throws AppError `<noun>_not_found`
 */
export async function getAnswer<Row extends AnswerRow>(
  tx: Tx,
  { entity, noun }: AnswerKind<Row>,
  id: number,
): Promise<Row> {
  return await getOwned(tx, entity, noun, usableRow<Row>(tx, id));
}

/**
 * A locked row that the person may change.
 * @throws AppError `<noun>_not_found`; `forbidden_role` where an agent would change a shared row.
 */
export async function lockChangeable<Row extends AnswerRow>(
  tx: Tx,
  { entity, noun }: AnswerKind<Row>,
  id: number,
): Promise<Row> {
  const row = await lockOwned(tx, entity, noun, usableRow<Row>(tx, id));
  if (isShared(row)) requireAdmin(tx);
  return row;
}

function usableRow<Row extends AnswerRow>(tx: Tx, id: number): FindOptionsWhere<Row> {
  const where: FindOptionsWhere<AnswerRow> = { id, ownerUserId: In(usableOwners(tx)) };
  return where as FindOptionsWhere<Row>;
}

/**
 * Saves a new row of the person, or of the account.
 * @throws AppError `forbidden_role` where an agent would share it.
 */
export async function createAnswer<Row extends AnswerRow>(
  tx: Tx,
  kind: AnswerKind<Row>,
  { shared, ...fields }: Record<string, unknown> & { shared: boolean },
): Promise<Row> {
  const row = tx.manager.create(kind.entity, {
    ...fields,
    accountId: tx.actor.accountId,
    ownerUserId: requireOwner(tx, shared),
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
  } as unknown as DeepPartial<Row>);
  row.id = await insertRow(tx, kind.entity, row);
  await recordEffect(tx, kind, "created", row, shared);
  return row;
}

/**
 * Changes a locked row. To share it or to take it back is an admin's act.
 * @throws AppError `forbidden_role`
 */
export async function updateAnswer<Row extends AnswerRow>(
  tx: Tx,
  kind: AnswerKind<Row>,
  row: Row,
  { shared = isShared(row), ...fields }: AnswerPatch,
): Promise<Row> {
  const wasShared = isShared(row);
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (given.length === 0 && shared === wasShared) return row;
  const columns = {
    ...Object.fromEntries(given),
    ownerUserId: requireOwner(tx, shared),
    updatedAt: tx.now,
    version: row.version + 1,
  };
  await tx.manager.update(kind.entity, row.id, columns as unknown as QueryDeepPartialEntity<Row>);
  Object.assign(row, columns);
  await recordEffect(tx, kind, "updated", row, wasShared || shared);
  return row;
}

/** @throws AppError `<noun>_not_found`, `forbidden_role`. */
export async function deleteAnswer<Row extends AnswerRow>(
  tx: Tx,
  kind: AnswerKind<Row>,
  id: number,
): Promise<void> {
  const row = await lockChangeable(tx, kind, id);
  await tx.manager.delete(kind.entity, id);
  await recordEffect(tx, kind, "deleted", row, isShared(row));
}

function isShared({ ownerUserId }: AnswerRow): boolean {
  return ownerUserId === everyone;
}

function requireOwner(tx: Tx, shared: boolean): number {
  if (!shared) return requireUserId(tx.actor);
  requireAdmin(tx);
  return everyone;
}

function requireAdmin(tx: Tx): void {
  if (isAdmin(tx.actor)) return;
  throw new AppError("forbidden_role", {
    message: "Only an admin of the account changes what all members share.",
  });
}

async function recordEffect<Row extends AnswerRow>(
  tx: Tx,
  { noun, nameOf }: AnswerKind<Row>,
  action: "created" | "updated" | "deleted",
  row: Row,
  shared: boolean,
): Promise<void> {
  if (shared) await recordAudit(tx, auditOf(noun)(action, row.id, nameOf(row)));
  await recordChange(tx, { kind: `${noun}.updated` });
}
