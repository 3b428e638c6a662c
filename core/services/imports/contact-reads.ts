import type { Tx } from "../../../db/transaction.ts";
import {
  ContactBook,
  type BookCard,
  type RowStage,
  type StoredContact,
} from "../../imports/contact-book.ts";
import type { RowContact } from "../../imports/contact-row.ts";
import { WriteConflict } from "../../errors.ts";
import { tagKey } from "../../model/contact.ts";
import { placeholders } from "../sql.ts";

/** Contacts that own the phones and emails of some rows, and the places of their cards and notes. */
export interface ContactBatch {
  book: ContactBook;
  /** As they were before the rows. */
  known: StoredContact[];
  /** The newest conversation of each contact that has one. Empty where no row needs it. */
  conversations: Map<number, number>;
}

interface ReadOptions {
  overwrite: boolean;
  /** Pipeline of the stages; null where no row names a stage. */
  pipelineId: number | null;
  /** Locks the contacts until the transaction ends. */
  locks: boolean;
}

/**
 * Reads the owners of the keys of rows. A contact is locked before its tags, cards and notes are
 * read, so they are the latest ones.
 * @throws WriteConflict where a contact has just lost a key by which it was found.
 */
export async function readContactBatch(
  tx: Tx,
  rows: readonly RowContact[],
  { overwrite, pipelineId, locks }: ReadOptions,
): Promise<ContactBatch> {
  const owners = await findOwners(tx, rows);
  const ids = [...new Set(owners.map(({ id }) => id))].toSorted((one, other) => one - other);
  const stored = locks ? await lockContactRows(tx, ids) : await readContacts(tx, ids);
  if (locks) requireSameOwners(owners, stored);
  await readTags(tx, stored);
  const texts = rows.flatMap(({ note }) => note ?? []);
  const hasPlaces = pipelineId !== null || texts.length > 0;
  const conversations = hasPlaces ? await readConversations(tx, ids) : new Map<number, number>();
  if (pipelineId !== null) await readCards(tx, stored, pipelineId);
  if (hasPlaces) await readPlacements(tx, stored, pipelineId);
  if (texts.length > 0) await readNotes(tx, stored, texts);
  const tagId = await readTagIds(tx, rows, stored);
  const known = structuredClone(stored);
  return { book: new ContactBook(stored, { overwrite, tagId }), known, conversations };
}

interface Owner {
  id: number;
  phoneKey?: string;
  email?: string;
}

async function findOwners(tx: Tx, rows: readonly RowContact[]): Promise<Owner[]> {
  const { accountId } = tx.actor;
  const phones = [...new Set(rows.flatMap(({ phoneKey }) => phoneKey ?? []))];
  const emails = [...new Set(rows.flatMap(({ email }) => email ?? []))];
  const find = async (column: "phone_key" | "email", index: string, values: string[]) =>
    values.length === 0
      ? []
      : await tx.manager.query<{ id: number; value: string }[]>(
          `SELECT id, ${column} AS value FROM contacts FORCE INDEX (${index})
            WHERE account_id = ? AND ${column} IN (${placeholders(values)})`,
          [accountId, ...values],
        );
  const byPhone = await find("phone_key", "contacts_phone", phones);
  const byEmail = await find("email", "contacts_email", emails);
  return [
    ...byPhone.map(({ id, value }) => ({ id: Number(id), phoneKey: value })),
    ...byEmail.map(({ id, value }) => ({ id: Number(id), email: value })),
  ];
}

interface ContactColumns {
  id: number;
  name: string | null;
  phone: string | null;
  phoneKey: string | null;
  email: string | null;
  version: number;
}

async function readContacts(tx: Tx, ids: number[]): Promise<StoredContact[]> {
  return await selectContacts(tx, ids, "");
}

/** Reads contacts and locks them, in the order of their ids. */
async function lockContactRows(tx: Tx, ids: number[]): Promise<StoredContact[]> {
  return await selectContacts(tx, ids, "FOR UPDATE");
}

async function selectContacts(
  tx: Tx,
  ids: number[],
  lock: "" | "FOR UPDATE",
): Promise<StoredContact[]> {
  if (ids.length === 0) return [];
  const rows = await tx.manager.query<ContactColumns[]>(
    `SELECT id, name, phone, phone_key AS phoneKey, email, version
       FROM contacts FORCE INDEX (PRIMARY)
      WHERE id IN (${placeholders(ids)}) AND account_id = ? ORDER BY id ${lock}`,
    [...ids, tx.actor.accountId],
  );
  return rows.map((row) => {
    const id = Number(row.id);
    return { ...row, id, tags: [], card: null, waitingStageId: null, notes: [] };
  });
}

function requireSameOwners(owners: readonly Owner[], stored: readonly StoredContact[]): void {
  const byId = new Map(stored.map((row) => [row.id, row]));
  for (const { id, phoneKey, email } of owners) {
    const row = byId.get(id);
    if (row === undefined) throw new WriteConflict();
    if (phoneKey !== undefined && row.phoneKey !== phoneKey) throw new WriteConflict();
    if (email !== undefined && row.email !== email) throw new WriteConflict();
  }
}

async function readTags(tx: Tx, contacts: readonly StoredContact[]): Promise<void> {
  if (contacts.length === 0) return;
  const byId = new Map(contacts.map((row) => [row.id, row]));
  const rows = await tx.manager.query<{ contact_id: number; tag: string }[]>(
    `SELECT contact_id, tag FROM contact_tags
      WHERE contact_id IN (${placeholders(contacts)}) ORDER BY created_at, tag`,
    contacts.map(({ id }) => id),
  );
  for (const { contact_id: id, tag } of rows) byId.get(Number(id))?.tags.push(tag);
}

async function readConversations(tx: Tx, ids: number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.manager.query<{ contact_id: number; newest: number }[]>(
    `SELECT contact_id, MAX(id) AS newest FROM conversations FORCE INDEX (conversations_contact)
      WHERE contact_id IN (${placeholders(ids)}) GROUP BY contact_id`,
    ids,
  );
  return new Map(rows.map(({ contact_id: id, newest }) => [Number(id), Number(newest)]));
}

interface CardRow {
  contact_id: number;
  stage_id: number;
  place: number;
  outcome: string;
  lost_reason: string | null;
  closed_at: Date | null;
  moved_at: Date;
}

async function readCards(
  tx: Tx,
  contacts: readonly StoredContact[],
  pipelineId: number,
): Promise<void> {
  if (contacts.length === 0) return;
  const rows = await tx.manager.query<CardRow[]>(
    `SELECT contact_id, stage_id, place, outcome, lost_reason, closed_at, moved_at
       FROM contact_stages FORCE INDEX (contact_stages_contact)
      WHERE contact_id IN (${placeholders(contacts)}) AND pipeline_id = ?`,
    [...contacts.map(({ id }) => id), pipelineId],
  );
  const cards = new Map(rows.map((row) => [Number(row.contact_id), presentCard(row)]));
  for (const contact of contacts) contact.card = cards.get(contact.id) ?? null;
}

function presentCard(row: CardRow): BookCard {
  return {
    stageId: Number(row.stage_id),
    place: Number(row.place),
    outcome: row.outcome,
    lostReason: row.lost_reason,
    closedAt: row.closed_at?.toISOString() ?? null,
    movedAt: row.moved_at.toISOString(),
  };
}

async function readPlacements(
  tx: Tx,
  contacts: readonly StoredContact[],
  pipelineId: number | null,
): Promise<void> {
  if (contacts.length === 0) return;
  const byId = new Map(contacts.map((row) => [row.id, row]));
  const rows = await tx.manager.query<
    { contact_id: number; pipeline_id: number; stage_id: number | null; note: string | null }[]
  >(
    `SELECT contact_id, pipeline_id, stage_id, note
       FROM contact_placements FORCE INDEX (contact_placements_contact)
      WHERE contact_id IN (${placeholders(contacts)}) ORDER BY id`,
    contacts.map(({ id }) => id),
  );
  for (const row of rows) {
    const contact = byId.get(Number(row.contact_id));
    if (contact === undefined) continue;
    if (row.note !== null) contact.notes.push(row.note);
    if (row.stage_id !== null && Number(row.pipeline_id) === pipelineId) {
      contact.waitingStageId = Number(row.stage_id);
    }
  }
}

/** A note that one of the contact's conversations has already is not written again. */
async function readNotes(
  tx: Tx,
  contacts: readonly StoredContact[],
  texts: string[],
): Promise<void> {
  if (contacts.length === 0) return;
  const byId = new Map(contacts.map((row) => [row.id, row]));
  const rows = await tx.manager.query<{ contact_id: number; text: string }[]>(
    `SELECT c.contact_id, n.text
       FROM conversations c FORCE INDEX (conversations_contact)
       STRAIGHT_JOIN conversation_notes n FORCE INDEX (conversation_notes_conversation)
          ON n.conversation_id = c.id AND n.kind = 'note' AND n.text IN (${placeholders(texts)})
      WHERE c.contact_id IN (${placeholders(contacts)})`,
    [...texts, ...contacts.map(({ id }) => id)],
  );
  for (const { contact_id: id, text } of rows) byId.get(Number(id))?.notes.push(text);
}

/**
 * MySQL treats more tags as equal than `tagKey`, such as full-width letters. Its own sort keys tell
 * which. Plain ASCII needs no query.
 */
async function readTagIds(
  tx: Tx,
  rows: readonly RowContact[],
  contacts: readonly StoredContact[],
): Promise<(tag: string) => string> {
  const tags = new Set([...rows, ...contacts].flatMap((row) => row.tags));
  const unusual = [...tags].filter((tag) => !/^[ -~]*$/u.test(tag));
  if (unusual.length === 0) return tagKey;
  const asked = [...tags];
  const keys = await tx.manager.query<{ tag: string; sort_key: string }[]>(
    `SELECT tag, HEX(WEIGHT_STRING(tag COLLATE utf8mb4_0900_as_ci)) AS sort_key
       FROM (VALUES ${asked.map(() => "ROW(?)").join(", ")}) AS asked (tag)`,
    asked,
  );
  const byTag = new Map(keys.map((row) => [row.tag, row.sort_key]));
  return (tag) => byTag.get(tag) ?? tagKey(tag);
}

/** Stages of a pipeline by name; case and accents do not count. */
export interface StageNames {
  pipelineId: number;
  find(name: string): RowStage | null;
}

/**
 * The stages of the pipeline of an import.
 * @param pipelineId null: the account's first one.
 * @returns null without such a pipeline.
 */
export async function readStageNames(
  tx: Tx,
  pipelineId: number | null,
): Promise<StageNames | null> {
  return await selectStageNames(tx, pipelineId, "");
}

/** The same stages. None is deleted until the transaction ends. */
export async function lockStageNames(
  tx: Tx,
  pipelineId: number | null,
): Promise<StageNames | null> {
  return await selectStageNames(tx, pipelineId, "FOR SHARE");
}

async function selectStageNames(
  tx: Tx,
  pipelineId: number | null,
  locking: "" | "FOR SHARE",
): Promise<StageNames | null> {
  const { accountId } = tx.actor;
  const [pipeline] = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM pipelines WHERE account_id = ? ${pipelineId === null ? "" : "AND id = ?"}
      ORDER BY id LIMIT 1`,
    [accountId, ...(pipelineId === null ? [] : [pipelineId])],
  );
  if (pipeline === undefined) return null;
  const id = Number(pipeline.id);
  const stages = await tx.manager.query<{ id: number; name: string }[]>(
    `SELECT id, name FROM pipeline_stages FORCE INDEX (pipeline_stages_name)
      WHERE pipeline_id = ? ORDER BY id ${locking}`,
    [id],
  );
  const byName = new Map(stages.map((stage) => [nameKey(stage.name), Number(stage.id)]));
  return {
    pipelineId: id,
    find: (name) => {
      const stageId = byName.get(nameKey(name));
      return stageId === undefined ? null : { pipelineId: id, stageId };
    },
  };
}

function nameKey(name: string): string {
  return name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().trim();
}
