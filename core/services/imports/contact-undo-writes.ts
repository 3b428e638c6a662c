import type { ImportRow } from "../../../db/entities/import.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { BookCard } from "../../imports/contact-book.ts";
import { importedNoteId } from "../pipelines/contact-placements.ts";
import { placeholders } from "../sql.ts";
import type { UndoState } from "./contact-undo-reads.ts";
import { updateContacts } from "./contact-writes.ts";

/** Contacts and tags of an undone batch. */
interface Undone {
  importId: number;
  /** Rows whose notes and waiting stages go. */
  rows: readonly ImportRow[];
  removedTags: readonly [contactId: number, tag: string][];
}

/** Stores the judged contacts: deletes those that go, and gives the others their values back. */
export async function storeUndone(
  tx: Tx,
  { contacts, before }: UndoState,
  { importId, rows, removedTags }: Undone,
): Promise<void> {
  const all = [...contacts.values()];
  await removePlaces(tx, importId, rows);
  await deleteTags(tx, removedTags);
  await deleteContacts(
    tx,
    all.filter(({ isDeleted }) => isDeleted).map(({ id }) => id),
  );
  const isChanged = (id: number, version: number) => before.get(id)?.version !== version;
  await updateContacts(
    tx,
    all.filter(({ id, version, isDeleted }) => !isDeleted && isChanged(id, version)),
  );
}

/** Removes the notes of the rows, and the notes and stages of the rows that still wait. */
async function removePlaces(tx: Tx, importId: number, rows: readonly ImportRow[]): Promise<void> {
  const noted = rows.filter(({ beforeValues }) => Reflect.get(beforeValues ?? {}, "note") === true);
  const staged = rows.filter(({ beforeValues }) => Reflect.has(beforeValues ?? {}, "stage"));
  const placed = [...new Set([...noted, ...staged])];
  if (placed.length === 0) return;
  const contactIds = [...new Set(placed.flatMap(({ contactId }) => contactId ?? []))];
  await tx.manager.query(
    `DELETE FROM contact_placements
      WHERE contact_id IN (${placeholders(contactIds)}) AND import_id = ?
        AND import_row IN (${placeholders(placed)})`,
    [...contactIds, importId, ...placed.map((row) => row.number)],
  );
  if (noted.length === 0) return;
  await tx.manager.query(
    `DELETE n FROM conversations c FORCE INDEX (conversations_contact)
       STRAIGHT_JOIN conversation_notes n FORCE INDEX (conversation_notes_external)
          ON n.conversation_id = c.id AND n.external_id IN (${placeholders(noted)})
      WHERE c.contact_id IN (${placeholders(contactIds)})`,
    [...noted.map((row) => importedNoteId(importId, row.number)), ...contactIds],
  );
}

async function deleteTags(
  tx: Tx,
  tags: readonly [contactId: number, tag: string][],
): Promise<void> {
  if (tags.length === 0) return;
  await tx.manager.query(
    `DELETE t FROM (VALUES ${tags.map(() => "ROW(?, ?)").join(", ")}) AS removed (contact_id, tag)
       STRAIGHT_JOIN contact_tags t FORCE INDEX (PRIMARY)
          ON t.contact_id = removed.contact_id
         AND t.tag = CONVERT(removed.tag USING utf8mb4) COLLATE utf8mb4_0900_as_ci`,
    tags.flat(),
  );
}

async function deleteContacts(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const own = [...ids, tx.actor.accountId];
  for (const [table, column] of [
    ["contact_tags", "contact_id"],
    ["contact_placements", "contact_id"],
    ["contacts", "id"],
  ]) {
    await tx.manager.query(
      `DELETE FROM ${table} WHERE ${column} IN (${placeholders(ids)}) AND account_id = ?`,
      own,
    );
  }
}

/** A card to put back, where the contact still stands in the imported stage. */
export interface CardRestore {
  contactId: number;
  pipelineId: number;
  /** The imported stage. */
  stageId: number;
  /** The card before the import; null: there was none. */
  card: BookCard | null;
}

/** Puts cards back, the last row first. A card that somebody has moved since stays. */
export async function restoreCards(tx: Tx, restores: readonly CardRestore[]): Promise<void> {
  for (const { contactId, pipelineId, stageId, card } of restores) {
    const where = "contact_id = ? AND pipeline_id = ? AND stage_id = ? AND outcome = 'open'";
    const own = [contactId, pipelineId, stageId];
    if (card === null) {
      await tx.manager.query(`DELETE FROM contact_stages WHERE ${where}`, own);
      continue;
    }
    await tx.manager.query(
      `UPDATE contact_stages SET stage_id = ?, place = ?, outcome = ?, lost_reason = ?,
              closed_at = ?, moved_at = ? WHERE ${where}`,
      [
        card.stageId,
        card.place,
        card.outcome,
        card.lostReason,
        card.closedAt === null ? null : new Date(card.closedAt),
        new Date(card.movedAt),
        ...own,
      ],
    );
  }
}
