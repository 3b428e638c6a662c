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
import { allOf, countAll, escapeLike, inOrder } from "../sql.ts";
import {
  createAnswer,
  everyone,
  lockChangeable,
  updateAnswer,
  usableOwners,
  type AnswerKind,
} from "./answer-rows.ts";

/** Canned answers, for the functions that macros share. */
export const cannedAnswers: AnswerKind<CannedAnswer> = {
  entity: CannedAnswer,
  noun: "canned_answer",
  nameOf: ({ shortcut }) => ({ shortcut }),
};

/**
 * The canned answers that the person may use: the account's and their own, by shortcut. A search
 * lists those whose shortcut begins with it first, then those whose text contains it.
 */
export async function listCannedAnswers(
  tx: Tx,
  { search, locale, shared, limit, offset }: CannedAnswerListQuery,
): Promise<Page<CannedAnswer>> {
  const owners = usableOwners(tx, shared);
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

/**
 * Saves a canned answer of the person, or of the account.
 * @throws AppError `forbidden_role` where an agent would share it; `validation_error` with
 * `shortcut_taken`.
 */
export async function createCannedAnswer(
  tx: Tx,
  body: CannedAnswerCreateBody,
): Promise<CannedAnswer> {
  return await refuseTaken(createAnswer(tx, cannedAnswers, body));
}

/**
 * Changes a canned answer. To share it or to take it back is an admin's act.
 * @throws AppError `canned_answer_not_found`, `forbidden_role`; `validation_error` with
 * `shortcut_taken`.
 */
export async function updateCannedAnswer(
  tx: Tx,
  id: number,
  body: CannedAnswerPatchBody,
): Promise<CannedAnswer> {
  const row = await lockChangeable(tx, cannedAnswers, id);
  return await refuseTaken(updateAnswer(tx, cannedAnswers, row, body));
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
