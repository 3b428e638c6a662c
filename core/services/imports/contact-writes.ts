import type { Tx } from "../../../db/transaction.ts";
import { placeStep } from "../../model/pipeline.ts";
import type { BookContact, RowChange } from "../../imports/contact-book.ts";
import { importedNoteId } from "../pipelines/contact-placements.ts";
import { insertOrLose, placeholders } from "../sql.ts";

/** A row with its contact and its changes, as the commit writes them. */
export interface AppliedRow {
  number: number;
  contact: BookContact;
  change: RowChange;
  /** The text of the row's note. */
  note: string | null;
}

/**
 * Stores the name, phone, email and version of changed contacts in one statement. The contact of
 * the earliest row comes first, so that a phone which one contact gives up is free for the next.
 * @throws WriteConflict where another contact has a phone or an email.
 */
export async function updateContacts(
  tx: Tx,
  contacts: readonly Omit<BookContact, "card" | "waitingStageId" | "notes" | "tags">[],
): Promise<void> {
  if (contacts.length === 0) return;
  await insertOrLose(() =>
    tx.manager.query(
      `UPDATE (VALUES ${contacts.map(() => "ROW(?, ?, ?, ?, ?, ?)").join(", ")})
                AS changed (id, name, phone, phone_key, email, version)
         STRAIGHT_JOIN contacts c ON c.id = changed.id
          SET c.name = changed.name, c.phone = changed.phone, c.phone_key = changed.phone_key,
              c.email = changed.email, c.version = changed.version, c.updated_at = ?
        WHERE c.account_id = ?`,
      [
        ...contacts.flatMap(({ id, name, phone, phoneKey, email, version }) => {
          return [id, name, phone, phoneKey, email, version];
        }),
        tx.now,
        tx.actor.accountId,
      ],
    ),
  );
}

/**
 * Inserts new contacts in one statement, and sets the id of each.
 * @throws WriteConflict where another contact has a phone or an email.
 */
export async function insertContacts(
  tx: Tx,
  contacts: readonly BookContact[],
  createdByUserId: number | null,
): Promise<void> {
  if (contacts.length === 0) return;
  const { now, actor } = tx;
  const { insertId } = await insertOrLose(() =>
    tx.manager.query<{ insertId: number }>(
      `INSERT INTO contacts (account_id, name, phone, phone_key, email, source, created_by_user_id,
                             last_activity_at, created_at, updated_at, version)
       VALUES ${contacts.map(() => "(?, ?, ?, ?, ?, 'import', ?, ?, ?, ?, ?)").join(", ")}`,
      contacts.flatMap(({ name, phone, phoneKey, email, version }) => {
        const whose = [actor.accountId, name, phone, phoneKey, email, createdByUserId];
        return [...whose, now, now, now, version];
      }),
    ),
  );
  const step = await readIdStep(tx);
  for (const [index, contact] of contacts.entries()) contact.id = insertId + index * step;
}

/** The rows of one INSERT get ids in their order, at this distance. */
async function readIdStep(tx: Tx): Promise<number> {
  const [row] = await tx.manager.query<{ step: number }[]>(
    "SELECT @@SESSION.auto_increment_increment AS step",
  );
  return Number(row?.step ?? 1);
}

/** Adds the tags of rows, in their order: each tag of a contact is a millisecond later. */
export async function insertTags(tx: Tx, rows: readonly AppliedRow[]): Promise<void> {
  const counts = new Map<number, number>();
  const tags = rows.flatMap(({ contact, change }) =>
    (change.tags ?? []).map((tag) => {
      const id = requireId(contact);
      const index = counts.get(id) ?? 0;
      counts.set(id, index + 1);
      return [id, tag, tx.actor.accountId, new Date(tx.now.getTime() + index)];
    }),
  );
  if (tags.length === 0) return;
  await tx.manager.query(
    `INSERT IGNORE INTO contact_tags (contact_id, tag, account_id, created_at)
     VALUES ${tags.map(() => "(?, ?, ?, ?)").join(", ")}`,
    tags.flat(),
  );
}

/**
 * Writes the notes and stages of rows. Those of a contact without a conversation wait for its first
 * one. Publishes no event.
 */
export async function insertPlaces(
  tx: Tx,
  rows: readonly AppliedRow[],
  place: {
    importId: number;
    userId: number | null;
    conversations: ReadonlyMap<number, number>;
  },
): Promise<void> {
  const isPlaced = ({ contact }: AppliedRow) => place.conversations.has(requireId(contact));
  const changed = rows.filter(({ change }) => change.stage !== undefined || change.note === true);
  await insertPlacements(
    tx,
    changed.filter((row) => !isPlaced(row)),
    place,
  );
  const placed = changed.filter(isPlaced);
  await insertNotes(tx, placed, place);
  await moveCards(tx, placed, place.conversations);
}

async function insertPlacements(
  tx: Tx,
  rows: readonly AppliedRow[],
  { importId, userId }: { importId: number; userId: number | null },
): Promise<void> {
  if (rows.length === 0) return;
  await tx.manager.query(
    `INSERT INTO contact_placements (account_id, contact_id, pipeline_id, stage_id, note, user_id,
                                     import_id, import_row, created_at)
     VALUES ${rows.map(() => "(?, ?, ?, ?, ?, ?, ?, ?, ?)").join(", ")}`,
    rows.flatMap(({ number, contact, change, note }) => [
      tx.actor.accountId,
      contact.id,
      change.stage?.pipelineId ?? null,
      change.stage?.stageId ?? null,
      change.note === true ? note : null,
      userId,
      importId,
      number,
      tx.now,
    ]),
  );
}

interface NotePlace {
  importId: number;
  userId: number | null;
  conversations: ReadonlyMap<number, number>;
}

async function insertNotes(
  tx: Tx,
  rows: readonly AppliedRow[],
  { importId, userId, conversations }: NotePlace,
): Promise<void> {
  const notes = rows.filter(({ change }) => change.note === true);
  if (notes.length === 0) return;
  await tx.manager.query(
    `INSERT INTO conversation_notes (account_id, conversation_id, kind, text, user_id, external_id,
                                     created_at)
     VALUES ${notes.map(() => "(?, ?, 'note', ?, ?, ?, ?)").join(", ")}`,
    notes.flatMap(({ number, contact, note }) => [
      tx.actor.accountId,
      conversations.get(requireId(contact)),
      note,
      userId,
      importedNoteId(importId, number),
      tx.now,
    ]),
  );
}

/** Puts the cards of contacts on top of their new columns. The last row of a contact decides. */
async function moveCards(
  tx: Tx,
  rows: readonly AppliedRow[],
  conversations: ReadonlyMap<number, number>,
): Promise<void> {
  const moves = new Map(
    rows.flatMap(({ contact, change }) =>
      change.stage === undefined ? [] : [[requireId(contact), change.stage] as const],
    ),
  );
  if (moves.size === 0) return;
  const tops = await readTops(
    tx,
    [...moves.values()].map(({ stageId }) => stageId),
  );
  const cards = [...moves].map(([contactId, { pipelineId, stageId }]) => {
    const place = (tops.get(stageId) ?? -placeStep) + placeStep;
    tops.set(stageId, place);
    const conversationId = conversations.get(contactId);
    const whose = [tx.actor.accountId, contactId, pipelineId, stageId, conversationId];
    return [...whose, place, tx.now, tx.now];
  });
  // A move is later than all earlier moves of the contact even if a clock is behind.
  await tx.manager.query(
    `INSERT INTO contact_stages (account_id, contact_id, pipeline_id, stage_id, conversation_id,
                                 place, moved_at, created_at)
     VALUES ${cards.map(() => "(?, ?, ?, ?, ?, ?, ?, ?)").join(", ")} AS moved
     ON DUPLICATE KEY UPDATE stage_id = moved.stage_id, conversation_id = moved.conversation_id,
       place = moved.place, outcome = 'open', lost_reason = NULL, closed_at = NULL,
       moved_at = GREATEST(moved.moved_at, contact_stages.moved_at + INTERVAL 1000 MICROSECOND)`,
    cards.flat(),
  );
}

/** The highest place in each column that has a card. */
export async function readTops(tx: Tx, stageIds: readonly number[]): Promise<Map<number, number>> {
  const ids = [...new Set(stageIds)];
  if (ids.length === 0) return new Map();
  const rows = await tx.manager.query<{ stage_id: number; top: number }[]>(
    `SELECT stage_id, MAX(place) AS top FROM contact_stages FORCE INDEX (contact_stages_board)
      WHERE stage_id IN (${placeholders(ids)}) AND outcome = 'open' GROUP BY stage_id`,
    ids,
  );
  return new Map(rows.map(({ stage_id: id, top }) => [Number(id), Number(top)]));
}

/** The id of a contact that is stored by now. */
export function requireId({ id }: BookContact): number {
  if (id === null) throw new Error("A contact of an import was not stored.");
  return id;
}
