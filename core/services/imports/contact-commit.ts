import type { ImportRow } from "../../../db/entities/import.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { BookContact, ContactBook, RowOutcome } from "../../imports/contact-book.ts";
import { lockStageNames, readContactBatch, type ContactBatch } from "./contact-reads.ts";
import {
  contactsOf,
  judgeRows,
  mappingOf,
  storeResults,
  type JudgedRow,
  type RowResult,
} from "./contact-rows.ts";
import {
  insertContacts,
  insertPlaces,
  insertTags,
  requireId,
  updateContacts,
  type AppliedRow,
} from "./contact-writes.ts";
import type { ImportJob } from "./import-kind.ts";

/**
 * Applies up to 500 rows in a few statements, with the outcome that `upsertContact` has for one row
 * after the other. Judges each row again, under the locks of its owners. Publishes no event. Live
 * views hear of the progress of the import.
 * @throws WriteConflict where another transaction took a phone or an email meanwhile.
 */
export async function commitContacts(
  tx: Tx,
  job: ImportJob,
  rows: readonly ImportRow[],
): Promise<void> {
  const judged = await judgeRows(tx, job, rows, lockStageNames);
  const batch = await readContactBatch(tx, contactsOf(judged), {
    overwrite: mappingOf(job).overwrite,
    pipelineId: judged.pipelineId,
    locks: true,
  });
  const outcomes = judged.rows.map((row) => ({ row, outcome: applyRow(batch.book, row) }));
  const applied = outcomes.flatMap(({ row, outcome }) => appliedRow(row, outcome));
  await storeContacts(tx, job, applied, batch);
  await storeResults(
    tx,
    job.id,
    outcomes.map(({ row, outcome }) => resultOf(row.number, outcome)),
  );
}

/** Outcome of a judged row. */
export type JudgedOutcome = RowOutcome | { plan: "skip"; reason: RowResult["reason"] };

/** Applies a judged row to a book. */
export function applyRow(book: ContactBook, { judged }: JudgedRow): JudgedOutcome {
  if ("reason" in judged) return { plan: "skip", reason: judged.reason };
  return book.apply(judged.contact, judged.stage);
}

function appliedRow({ number, judged }: JudgedRow, outcome: JudgedOutcome): AppliedRow[] {
  if (!("change" in outcome) || outcome.plan === "unchanged" || !("contact" in judged)) return [];
  const { contact, change } = outcome;
  return [{ number, contact, change, note: judged.contact.note }];
}

async function storeContacts(
  tx: Tx,
  job: ImportJob,
  applied: readonly AppliedRow[],
  { known, conversations }: ContactBatch,
): Promise<void> {
  const contacts = [...new Set(applied.map(({ contact }) => contact))];
  const versions = new Map(known.map(({ id, version }) => [id, version]));
  const isChanged = ({ id, version }: BookContact) => id !== null && version !== versions.get(id);
  // Updates come first: a new contact may take a phone that a known one gives up.
  await updateContacts(tx, contacts.filter(isChanged));
  await insertContacts(
    tx,
    contacts.filter(({ id }) => id === null),
    job.createdByUserId,
  );
  await insertTags(tx, applied);
  const place = { importId: job.id, userId: job.createdByUserId, conversations };
  await insertPlaces(tx, applied, place);
}

const stateOf = { create: "created", update: "updated", unchanged: "unchanged" } as const;

function resultOf(number: number, outcome: JudgedOutcome): RowResult {
  if (!("change" in outcome)) {
    const state = outcome.plan === "conflict" ? "conflict" : "skipped";
    const nothing = { contactId: null, beforeValues: null, afterVersion: null };
    return { number, state, reason: outcome.reason, ...nothing };
  }
  const { plan, contact, change, afterVersion } = outcome;
  const contactId = requireId(contact);
  const facts = { number, state: stateOf[plan], reason: null, contactId };
  return { ...facts, beforeValues: plan === "unchanged" ? null : change, afterVersion };
}
