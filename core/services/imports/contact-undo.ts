import type { ImportRow } from "../../../db/entities/import.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { RowChange } from "../../imports/contact-book.ts";
import { phoneKey } from "../../model/contact.ts";
import type { ImportReason } from "../../model/import.ts";
import { storeResults, type RowResult } from "./contact-rows.ts";
import { cardKey, readUndoState, type UndoContact, type UndoState } from "./contact-undo-reads.ts";
import { restoreCards, storeUndone, type CardRestore } from "./contact-undo-writes.ts";
import type { ImportJob } from "./import-kind.ts";

/** Effects of an undo that are collected while rows are judged. */
interface Effects {
  removedTags: [contactId: number, tag: string][];
  cards: CardRestore[];
  /** Rows whose notes and waiting stages go. */
  takenBack: ImportRow[];
}

/**
 * Takes rows back, the last row first. A created contact goes only while nobody has changed it and
 * nothing hangs on it. A changed field gets its earlier value only while it holds the imported one.
 * Publishes no event.
 * @throws WriteConflict where another transaction took a phone or an email meanwhile.
 */
export async function undoContacts(
  tx: Tx,
  job: ImportJob,
  rows: readonly ImportRow[],
): Promise<void> {
  const state = await readUndoState(tx, job.id, rows);
  const effects: Effects = { removedTags: [], cards: [], takenBack: [] };
  const later = new Map<number, VersionStep>();
  const results = rows.map((row) => {
    const result = undoRow(state, row, effects, later);
    if (isTakenBack(row, result)) effects.takenBack.push(row);
    return result;
  });
  await storeUndone(tx, state, {
    importId: job.id,
    rows: effects.takenBack,
    removedTags: effects.removedTags,
  });
  await restoreCards(tx, effects.cards);
  await storeResults(tx, job.id, results);
  await moveVersions(tx, job.id, rows, later);
}

/** A kept contact that the row created keeps all. A changed one loses what the import added. */
function isTakenBack({ beforeValues }: ImportRow, result: RowResult): boolean {
  if (result.reason === "gone") return false;
  return result.state === "undone" || (beforeValues as RowChange | null)?.version !== 0;
}

/** Version of a contact before a row, and after the undo of that row. */
interface VersionStep {
  before: number;
  now: number;
}

function undoRow(
  state: UndoState,
  row: ImportRow,
  effects: Effects,
  later: Map<number, VersionStep>,
): RowResult {
  const contact = row.contactId === null ? undefined : state.contacts.get(row.contactId);
  const change = row.beforeValues as RowChange | null;
  if (contact === undefined || change === null || contact.isDeleted) {
    return resultOf(row, "gone");
  }
  // An undo of a later row made a version of its own, which is no change by a person.
  const step = later.get(contact.id);
  const afterVersion = step?.before === row.afterVersion ? step.now : row.afterVersion;
  const isUntouched = contact.version === afterVersion;
  if (change.version === 0) {
    const own = [row, ...effects.takenBack];
    const reason = isUntouched ? tieOf(state, contact, change, own) : "changed_since";
    if (reason === null) contact.isDeleted = true;
    return resultOf(row, reason);
  }
  const { version } = contact;
  const reason = contact.isMerged ? "merged" : revert(state, contact, change, effects);
  if (isUntouched && contact.version !== version) {
    later.set(contact.id, { before: change.version, now: contact.version });
  } else if (isUntouched) later.set(contact.id, { before: change.version, now: version });
  return resultOf(row, reason);
}

/**
 * The reason that keeps a created contact which nobody has changed, or null.
 * @param own rows of the import whose notes and waiting stages keep no contact
 */
function tieOf(
  { ties }: UndoState,
  { id, tags }: UndoContact,
  change: RowChange,
  own: readonly ImportRow[],
): ImportReason | null {
  const tie = ties.get(id)?.find(({ exceptRow }) => !own.some((row) => row.number === exceptRow));
  if (tie !== undefined) return tie.reason;
  return tags.every((tag) => change.tags?.includes(tag)) ? null : "has_tag";
}

/** Gives back the fields of a changed contact. @returns the reason of a field that stays, or null. */
function revert(
  state: UndoState,
  contact: UndoContact,
  change: RowChange,
  { removedTags, cards }: Effects,
): ImportReason | null {
  const reasons: (ImportReason | null)[] = [];
  const before = { ...contact };
  if (change.name !== undefined) {
    const [earlier, imported] = change.name;
    const holds = contact.name === imported;
    if (holds) contact.name = earlier;
    else reasons.push("changed_since");
  }
  if (change.phone !== undefined) reasons.push(revertPhone(state, contact, change.phone));
  if (change.email !== undefined) reasons.push(revertEmail(state, contact, change.email));
  const tags = (change.tags ?? []).filter((tag) => contact.tags.includes(tag));
  contact.tags = contact.tags.filter((tag) => !tags.includes(tag));
  for (const tag of tags) removedTags.push([contact.id, tag]);
  if (change.stage !== undefined) {
    const { pipelineId, stageId, before: card } = change.stage;
    const key = cardKey(contact.id, pipelineId);
    const isGone = card !== null && !state.stages.has(card.stageId);
    // An import brings no value of a deal, so a person has entered the value since.
    const isValued = card === null && state.valuedCards.has(key);
    if (state.movedCards.has(key) || isValued) reasons.push("changed_since");
    else if (isGone) {
      reasons.push("stage_gone");
      // So earlier rows cannot move the card either.
      state.movedCards.add(key);
    } else cards.push({ contactId: contact.id, pipelineId, stageId, card });
  }
  const fields = ["name", "phone", "email"] as const;
  const isChanged = tags.length > 0 || fields.some((field) => contact[field] !== before[field]);
  if (isChanged) contact.version += 1;
  return reasons.find((reason) => reason !== null) ?? null;
}

function revertPhone(
  state: UndoState,
  contact: UndoContact,
  [earlier, imported]: [string | null, string],
): ImportReason | null {
  const key = earlier === null ? null : phoneKey(earlier);
  if (contact.phone !== imported) return "changed_since";
  // A contact needs a phone or an email to be found by.
  if (key === null && contact.email === null) return "changed_since";
  if (key !== null && isTaken(state, "phoneKey", key, contact)) return "phone_taken";
  Object.assign(contact, { phone: earlier, phoneKey: key });
  if (key !== null) state.phoneOwners.set(key, contact.id);
  return null;
}

function revertEmail(
  state: UndoState,
  contact: UndoContact,
  [earlier, imported]: [string | null, string],
): ImportReason | null {
  if (contact.email !== imported) return "changed_since";
  if (earlier === null && contact.phone === null) return "changed_since";
  if (earlier !== null && isTaken(state, "email", earlier, contact)) return "email_taken";
  contact.email = earlier;
  if (earlier !== null) state.emailOwners.set(earlier, contact.id);
  return null;
}

/** An owner that this batch deletes, or that has given the value up, has it no more. */
function isTaken(
  { contacts, phoneOwners, emailOwners }: UndoState,
  field: "phoneKey" | "email",
  value: string,
  contact: UndoContact,
): boolean {
  const ownerId = (field === "phoneKey" ? phoneOwners : emailOwners).get(value);
  if (ownerId === undefined || ownerId === contact.id) return false;
  const owner = contacts.get(ownerId);
  return owner === undefined || (!owner.isDeleted && owner[field] === value);
}

function resultOf(row: ImportRow, reason: ImportReason | null): RowResult {
  const { number, contactId, beforeValues, afterVersion } = row;
  const state = reason === null ? "undone" : "kept";
  return { number, state, reason, contactId, beforeValues, afterVersion };
}

/**
 * Earlier rows of the same contacts follow in later batches. Their version becomes the one that the
 * undo has made, so that they count as untouched.
 */
async function moveVersions(
  tx: Tx,
  importId: number,
  rows: readonly ImportRow[],
  later: ReadonlyMap<number, VersionStep>,
): Promise<void> {
  const steps = [...later].filter(([, { before, now }]) => before !== now);
  const first = rows.at(-1)?.number ?? 0;
  if (steps.length === 0 || first <= 1) return;
  await tx.manager.query(
    `UPDATE (VALUES ${steps.map(() => "ROW(?, ?, ?)").join(", ")})
              AS moved (contact_id, before_version, now_version)
       STRAIGHT_JOIN import_rows r FORCE INDEX (import_rows_contact)
          ON r.account_id = ? AND r.contact_id = moved.contact_id AND r.import_id = ?
        SET r.after_version = moved.now_version
      WHERE r.number < ? AND r.after_version = moved.before_version
        AND r.state IN ('created', 'updated')`,
    [
      ...steps.flatMap(([id, { before, now }]) => [id, before, now]),
      tx.actor.accountId,
      importId,
      first,
    ],
  );
}
