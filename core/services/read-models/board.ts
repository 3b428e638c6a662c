import { In } from "typeorm";
import { Conversation } from "../../../db/entities/conversation.ts";
import { ContactStage } from "../../../db/entities/pipeline.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { BoardFilter, CardCursor } from "../../model/pipeline.ts";
import { presentInboxRows } from "./inbox.ts";
import { getStage } from "../pipelines/pipeline-stages.ts";
import { cutPage, inOrder, placeholders } from "../sql.ts";
import { filterSql } from "./board-filter.ts";

interface ColumnPage extends BoardFilter {
  limit: number;
  /** End of the page before. The card at that place may have moved since. */
  cursor?: CardCursor | undefined;
}

/**
 * A page of a stage's cards, from the top down.
 * @throws AppError `stage_not_found`
 */
export async function listCards(
  tx: Tx,
  stageId: number,
  { limit, cursor, ...filter }: ColumnPage,
): Promise<{ rows: ContactStage[]; next: CardCursor | null }> {
  await getStage(tx, stageId);
  const { joins, conditions } = filterSql(tx, filter);
  const after = cursor === undefined ? "" : "AND s.place <= ? AND (s.place < ? OR s.id < ?)";
  const read = await tx.manager.query<CardCursor[]>(
    `SELECT s.id, s.place FROM contact_stages s FORCE INDEX (contact_stages_board) ${joins.sql}
      WHERE s.stage_id = ? AND ${conditions.sql} ${after}
      ORDER BY s.place DESC, s.id DESC LIMIT ?`,
    [
      ...joins.values,
      stageId,
      ...conditions.values,
      ...(cursor === undefined ? [] : [cursor.place, cursor.place, cursor.id]),
      // One row more shows if another page follows.
      limit + 1,
    ],
  );
  const { page, next } = cutPage(read, limit);
  const ids = page.map(({ id }) => id);
  const found = await tx.manager.findBy(ContactStage, { id: In(ids) });
  return { rows: inOrder(ids, found), next };
}

/** Tags that a card shows. */
const tagsShown = 3;

/** Cards on the board: the inbox row of the conversation, with the facts of the deal. */
export async function presentCards(tx: Tx, rows: ContactStage[]) {
  const ids = rows.map(({ conversationId }) => conversationId);
  const contactIds = rows.map(({ contactId }) => contactId);
  const found = await tx.manager.findBy(Conversation, { id: In(ids) });
  const views = new Map((await presentInboxRows(tx, found)).map((view) => [view.id, view]));
  const tags = await loadTags(tx, contactIds);
  const appointments = await loadNextAppointments(tx, contactIds);
  return rows.flatMap((card) => {
    const view = views.get(card.conversationId);
    if (view === undefined) return [];
    return [
      {
        ...view,
        ...presentDeal(card),
        tags: tags.get(card.contactId) ?? [],
        next_appointment_at: appointments.get(card.contactId)?.toISOString() ?? null,
      },
    ];
  });
}

function presentDeal(card: ContactStage) {
  const { amount, currency } = card;
  return {
    stage_entered_at: card.movedAt.toISOString(),
    value: amount === null || currency === null ? null : { amount, currency },
    outcome: card.outcome,
    lost_reason: card.lostReason,
    closed_at: card.closedAt?.toISOString() ?? null,
  };
}

/** The first tags of each contact that has any. */
async function loadTags(tx: Tx, contactIds: number[]): Promise<Map<number, string[]>> {
  const tags = new Map<number, string[]>();
  if (contactIds.length === 0) return tags;
  const rows = await tx.manager.query<{ contact_id: number; tag: string }[]>(
    `SELECT contact_id, tag FROM contact_tags WHERE contact_id IN (${placeholders(contactIds)})
      ORDER BY created_at, tag`,
    contactIds,
  );
  for (const { contact_id: id, tag } of rows) {
    const own = tags.get(Number(id)) ?? [];
    if (own.length < tagsShown) tags.set(Number(id), [...own, tag]);
  }
  return tags;
}

async function loadNextAppointments(tx: Tx, contactIds: number[]): Promise<Map<number, Date>> {
  if (contactIds.length === 0) return new Map();
  const rows = await tx.manager.query<{ contact_id: number; next: Date }[]>(
    `SELECT contact_id, MIN(start_time) AS next
       FROM appointments FORCE INDEX (appointments_contact)
      WHERE contact_id IN (${placeholders(contactIds)}) AND start_time > ? AND account_id = ?
        AND status = 'confirmed'
      GROUP BY contact_id`,
    [...contactIds, tx.now, tx.actor.accountId],
  );
  return new Map(rows.map(({ contact_id: id, next }) => [Number(id), next]));
}
