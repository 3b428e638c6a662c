import type { ImportRow } from "../../../db/entities/import.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { RowChange } from "../../imports/contact-book.ts";
import { phoneKey } from "../../model/contact.ts";
import type { ImportReason } from "../../model/import.ts";
import { placeholders } from "../sql.ts";

/** A contact while rows are taken back from it. */
export interface UndoContact {
  id: number;
  name: string | null;
  phone: string | null;
  phoneKey: string | null;
  email: string | null;
  version: number;
  tags: string[];
  /** True for the loser of a merge. */
  isMerged: boolean;
  isDeleted: boolean;
}

/** Something that hangs on a contact. */
export interface Tie {
  reason: ImportReason;
  /** The row of this import that made it; null for anything else. */
  exceptRow: number | null;
}

/** Facts that an undo of some rows needs. */
export interface UndoState {
  /** Locked. Contacts that are gone are absent. */
  contacts: Map<number, UndoContact>;
  /** As they were read, to tell what changed. */
  before: Map<number, UndoContact>;
  /** Only of contacts that the rows created. */
  ties: Map<number, Tie[]>;
  /** Owners of the phones and emails that may come back, by key. */
  phoneOwners: Map<string, number>;
  emailOwners: Map<string, number>;
  /** Contacts with a card that stands in another stage than the imported one, by their pipeline. */
  movedCards: Set<string>;
  /** Cards with the value of a deal, by contact and pipeline. */
  valuedCards: Set<string>;
  /** Stages from before the import that still exist. Locked. */
  stages: Set<number>;
}

/** Key of a card in `movedCards` and `valuedCards`. */
export function cardKey(contactId: number, pipelineId: number): string {
  return `${contactId}:${pipelineId}`;
}

/** Reads and locks the contacts of rows, and all that decides their undo. */
export async function readUndoState(
  tx: Tx,
  importId: number,
  rows: readonly ImportRow[],
): Promise<UndoState> {
  const ids = [...new Set(rows.flatMap(({ contactId }) => contactId ?? []))];
  const contacts = await lockUndoContacts(
    tx,
    ids.toSorted((one, other) => one - other),
  );
  const changes = rows.flatMap(({ beforeValues }) => (beforeValues ?? []) as RowChange | []);
  const created = rows.flatMap(({ contactId, beforeValues }) => {
    const isCreated = (beforeValues as RowChange | null)?.version === 0;
    return isCreated && contactId !== null && contacts.has(contactId) ? [contactId] : [];
  });
  return {
    contacts,
    before: structuredClone(contacts),
    ties: await readTies(tx, importId, created),
    ...(await readOwners(tx, changes)),
    ...(await readCards(tx, rows)),
    stages: await lockFormerStages(tx, changes),
  };
}

/** Keeps the stages of cards that may come back from being deleted until the transaction ends. */
async function lockFormerStages(tx: Tx, changes: readonly RowChange[]): Promise<Set<number>> {
  const ids = [...new Set(changes.flatMap(({ stage }) => stage?.before?.stageId ?? []))];
  if (ids.length === 0) return new Set();
  const rows = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM pipeline_stages FORCE INDEX (PRIMARY)
      WHERE id IN (${placeholders(ids)}) AND account_id = ? ORDER BY id FOR SHARE`,
    [...ids, tx.actor.accountId],
  );
  return new Set(rows.map(({ id }) => Number(id)));
}

interface CardColumns {
  contact_id: number;
  pipeline_id: number;
  stage_id: number;
  outcome: string;
  amount: number | null;
}

async function readCards(
  tx: Tx,
  rows: readonly ImportRow[],
): Promise<Pick<UndoState, "movedCards" | "valuedCards">> {
  const movedCards = new Set<string>();
  const valuedCards = new Set<string>();
  // The last row of a contact comes first, and its stage is the imported one.
  const stages = new Map<string, number>();
  const contactIds: number[] = [];
  for (const { contactId, beforeValues } of rows) {
    const stage = (beforeValues as RowChange | null)?.stage;
    if (contactId === null || stage === undefined) continue;
    const key = cardKey(contactId, stage.pipelineId);
    if (!stages.has(key)) stages.set(key, stage.stageId);
    contactIds.push(contactId);
  }
  if (contactIds.length === 0) return { movedCards, valuedCards };
  const cards = await tx.manager.query<CardColumns[]>(
    `SELECT contact_id, pipeline_id, stage_id, outcome, amount
       FROM contact_stages FORCE INDEX (contact_stages_contact)
      WHERE contact_id IN (${placeholders(contactIds)})`,
    contactIds,
  );
  for (const card of cards) {
    const key = cardKey(Number(card.contact_id), Number(card.pipeline_id));
    const imported = stages.get(key);
    if (imported === undefined) continue;
    if (Number(card.stage_id) !== imported || card.outcome !== "open") movedCards.add(key);
    if (card.amount !== null) valuedCards.add(key);
  }
  return { movedCards, valuedCards };
}

type ContactColumns = Omit<UndoContact, "tags" | "isMerged" | "isDeleted"> & {
  mergedIntoId: number | null;
};

async function lockUndoContacts(tx: Tx, ids: number[]): Promise<Map<number, UndoContact>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.manager.query<ContactColumns[]>(
    `SELECT id, name, phone, phone_key AS phoneKey, email, version,
            merged_into_id AS mergedIntoId
       FROM contacts FORCE INDEX (PRIMARY)
      WHERE id IN (${placeholders(ids)}) AND account_id = ? ORDER BY id FOR UPDATE`,
    [...ids, tx.actor.accountId],
  );
  const contacts = new Map(
    rows.map(({ mergedIntoId, ...row }): [number, UndoContact] => {
      const id = Number(row.id);
      const isMerged = mergedIntoId !== null;
      return [id, { ...row, id, tags: [], isMerged, isDeleted: false }];
    }),
  );
  const tags = await tx.manager.query<{ contact_id: number; tag: string }[]>(
    `SELECT contact_id, tag FROM contact_tags WHERE contact_id IN (${placeholders(ids)})`,
    ids,
  );
  for (const { contact_id: id, tag } of tags) contacts.get(Number(id))?.tags.push(tag);
  return contacts;
}

/** Tables whose rows hang on a contact, with the reason that they keep it for. */
const tieTables: [reason: ImportReason, from: string, column: string][] = [
  ["has_conversation", "conversations FORCE INDEX (conversations_contact)", "contact_id"],
  ["has_identity", "contact_identities FORCE INDEX (contact_identities_contact)", "contact_id"],
  ["has_conversation", "widget_sessions FORCE INDEX (widget_sessions_contact)", "contact_id"],
  ["has_appointment", "appointments FORCE INDEX (appointments_contact)", "contact_id"],
  ["has_stage", "contact_stages FORCE INDEX (contact_stages_contact)", "contact_id"],
];

async function readTies(
  tx: Tx,
  importId: number,
  contactIds: number[],
): Promise<Map<number, Tie[]>> {
  const ties = new Map<number, Tie[]>();
  if (contactIds.length === 0) return ties;
  const add = (id: number, tie: Tie) => ties.set(id, [...(ties.get(id) ?? []), tie]);
  for (const [reason, from, column] of tieTables) {
    const rows = await tx.manager.query<{ id: number }[]>(
      `SELECT DISTINCT ${column} AS id FROM ${from}
        WHERE ${column} IN (${placeholders(contactIds)})`,
      contactIds,
    );
    for (const { id } of rows) add(Number(id), { reason, exceptRow: null });
  }
  const merged = await tx.manager.query<{ id: number }[]>(
    `SELECT DISTINCT merged_into_id AS id FROM contacts FORCE INDEX (contacts_newest)
      WHERE account_id = ? AND merged_into_id IN (${placeholders(contactIds)})`,
    [tx.actor.accountId, ...contactIds],
  );
  for (const { id } of merged) add(Number(id), { reason: "merged", exceptRow: null });
  for (const tie of await readPlacementTies(tx, importId, contactIds)) add(tie.id, tie);
  return ties;
}

async function readPlacementTies(
  tx: Tx,
  importId: number,
  contactIds: number[],
): Promise<(Tie & { id: number })[]> {
  const rows = await tx.manager.query<
    { id: number; import_id: number; import_row: number; stage_id: number | null }[]
  >(
    `SELECT contact_id AS id, import_id, import_row, stage_id
       FROM contact_placements FORCE INDEX (contact_placements_contact)
      WHERE contact_id IN (${placeholders(contactIds)})`,
    contactIds,
  );
  return rows.map((row) => ({
    id: Number(row.id),
    reason: row.stage_id === null ? "has_note" : "has_stage",
    exceptRow: Number(row.import_id) === importId ? Number(row.import_row) : null,
  }));
}

/** Owners of the phones and emails before the import. */
async function readOwners(
  tx: Tx,
  changes: readonly RowChange[],
): Promise<Pick<UndoState, "phoneOwners" | "emailOwners">> {
  const phones = changes.flatMap(({ phone }) =>
    phone === undefined || phone[0] === null ? [] : [phoneKey(phone[0])],
  );
  const emails = changes.flatMap(({ email }) => email?.[0] ?? []);
  const find = async (column: string, index: string, values: string[]) => {
    if (values.length === 0) return new Map<string, number>();
    const rows = await tx.manager.query<{ id: number; value: string }[]>(
      `SELECT id, ${column} AS value FROM contacts FORCE INDEX (${index})
        WHERE account_id = ? AND ${column} IN (${placeholders(values)})`,
      [tx.actor.accountId, ...values],
    );
    return new Map(rows.map(({ id, value }) => [value, Number(id)]));
  };
  return {
    phoneOwners: await find("phone_key", "contacts_phone", phones),
    emailOwners: await find("email", "contacts_email", emails),
  };
}
