import { In } from "typeorm";
import { CannedAnswer } from "../../../db/entities/canned-answer.ts";
import type { Tx } from "../../../db/transaction.ts";
import { errorNumber, invalidField, mysqlError } from "../../errors.ts";
import type {
  CannedAnswerCreateBody,
  CannedAnswerListQuery,
  CannedAnswerPatchBody,
} from "../../model/canned-answer.ts";
import type { Page } from "../../model/page.ts";
import type { CannedAnswerView } from "../../model/views/canned-answer.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { recordChange } from "../outbox/changes.ts";
import { allOf, countAll, escapeLike, inOrder, insertRow } from "../sql.ts";
import {
  everyone,
  getUsable,
  lockChangeable,
  requireOwner,
  usableOwners,
} from "./answer-owners.ts";

const auditRecord = auditOf("canned_answer");

/**
 * The canned answers that the person may use: the account's and their own, by shortcut. A search
 * lists those whose shortcut begins with it first, then those whose text contains it.
 */
export async function listCannedAnswers(
  tx: Tx,
  { search, locale, shared, limit, offset }: CannedAnswerListQuery,
): Promise<Page<CannedAnswer>> {
  const owners = usableOwners(tx).filter((id) => shared === undefined || shared === (id === 0));
  const beginning = `${escapeLike(search ?? "")}%`;
  // A search takes any spelling, though accents make two shortcuts different.
  const begins = "shortcut COLLATE utf8mb4_0900_ai_ci LIKE ?";
  const { sql, values } = allOf([
    ["account_id = ?", tx.actor.accountId],
    [`owner_user_id IN (${owners.map(() => "?").join(", ")})`, ...owners],
    ...(locale === undefined ? [] : [["(locale IS NULL OR locale = ?)", locale] as Condition]),
    ...(search === undefined
      ? []
      : [[`(${begins} OR text LIKE ?)`, beginning, `%${beginning}`] as Condition]),
  ]);
  const from = `FROM canned_answers WHERE ${sql}`;
  const found = await tx.manager.query<{ id: number }[]>(
    `SELECT id ${from} ORDER BY ${begins} DESC, shortcut, id LIMIT ? OFFSET ?`,
    [...values, beginning, limit, offset],
  );
  const ids = found.map(({ id }) => Number(id));
  const rows = await tx.manager.findBy(CannedAnswer, { id: In(ids) });
  return { rows: inOrder(ids, rows), ...(await countAll(tx, { sql: from, values })) };
}

type Condition = [string, ...unknown[]];

/** @throws AppError `canned_answer_not_found`, also for one of another person. */
export async function getCannedAnswer(tx: Tx, id: number): Promise<CannedAnswer> {
  return await getUsable(tx, CannedAnswer, "canned_answer", id);
}

/**
 * Saves a canned answer of the person, or of the account.
 * @throws AppError `forbidden_role` where an agent would share it; `validation_error` with
 * `shortcut_taken`.
 */
export async function createCannedAnswer(
  tx: Tx,
  { shared, ...fields }: CannedAnswerCreateBody,
): Promise<CannedAnswer> {
  const row = tx.manager.create(CannedAnswer, {
    ...fields,
    accountId: tx.actor.accountId,
    ownerUserId: requireOwner(tx, shared),
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
  });
  row.id = await refuseTaken(insertRow(tx, CannedAnswer, row));
  await recordEffect(tx, "created", row, shared);
  return row;
}

/**
 * Changes a canned answer. To share it or to take it back is an admin's act.
 * @throws AppError `canned_answer_not_found`, `forbidden_role`; `validation_error` with
 * `shortcut_taken`.
 */
export async function updateCannedAnswer(
  tx: Tx,
  id: number,
  { shared, ...fields }: CannedAnswerPatchBody,
): Promise<CannedAnswer> {
  const row = await lockChangeable(tx, CannedAnswer, "canned_answer", id);
  const wasShared = row.ownerUserId === everyone;
  const moves = shared !== undefined && shared !== wasShared;
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (given.length === 0 && !moves) return row;
  const columns = {
    ...Object.fromEntries(given),
    ...(moves ? { ownerUserId: requireOwner(tx, shared) } : {}),
    updatedAt: tx.now,
    version: row.version + 1,
  };
  await refuseTaken(tx.manager.update(CannedAnswer, id, columns));
  Object.assign(row, columns);
  await recordEffect(tx, "updated", row, wasShared || row.ownerUserId === everyone);
  return row;
}

/** @throws AppError `canned_answer_not_found`, `forbidden_role`. */
export async function deleteCannedAnswer(tx: Tx, id: number): Promise<void> {
  const row = await lockChangeable(tx, CannedAnswer, "canned_answer", id);
  await tx.manager.delete(CannedAnswer, { id });
  await recordEffect(tx, "deleted", row, row.ownerUserId === everyone);
}

/** A canned answer in the Dashboard's API. */
export function presentCannedAnswer(row: CannedAnswer): CannedAnswerView {
  return {
    id: row.id,
    shortcut: row.shortcut,
    text: row.text,
    locale: row.locale,
    shared: row.ownerUserId === everyone,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** The unique key decides, so that two people who save one shortcut at once do not both keep it. */
async function refuseTaken<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (errorNumber(error) !== mysqlError.duplicateKey) throw error;
    throw invalidField(
      "body.shortcut",
      "shortcut_taken",
      "Another canned answer has this shortcut. Choose another one.",
    );
  }
}

async function recordEffect(
  tx: Tx,
  action: "created" | "updated" | "deleted",
  { id, shortcut }: CannedAnswer,
  shared: boolean,
): Promise<void> {
  if (shared) await recordAudit(tx, auditRecord(action, id, { shortcut }));
  await recordChange(tx, { kind: "canned_answer.updated" });
}
