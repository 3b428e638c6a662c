import { In } from "typeorm";
import { Conversation } from "../../../db/entities/conversation.ts";
import { ContactStage } from "../../../db/entities/pipeline.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { CardCursor } from "../../model/pipeline.ts";
import type { LogPage } from "../../model/page.ts";
import { presentInboxRows } from "./inbox.ts";
import { getStage } from "../pipelines/pipeline-stages.ts";
import { cutPage, inOrder } from "../sql.ts";
import { countCards } from "../conversations/stage-moves.ts";

/**
 * A page of a stage's cards, from the top down.
 * @param cursor end of the page before. The card at that place may have moved since.
 * @throws AppError `stage_not_found`
 */
export async function listCards(
  tx: Tx,
  stageId: number,
  { limit, cursor }: { limit: number; cursor?: CardCursor | undefined },
): Promise<LogPage<ContactStage, CardCursor>> {
  await getStage(tx, stageId);
  const after = cursor === undefined ? "" : "AND place <= ? AND (place < ? OR id < ?)";
  const read = await tx.manager.query<CardCursor[]>(
    `SELECT id, place FROM contact_stages FORCE INDEX (contact_stages_board)
      WHERE stage_id = ? ${after} ORDER BY place DESC, id DESC LIMIT ?`,
    [
      stageId,
      ...(cursor === undefined ? [] : [cursor.place, cursor.place, cursor.id]),
      // One row more shows if another page follows.
      limit + 1,
    ],
  );
  const { page, next } = cutPage(read, limit);
  const ids = page.map(({ id }) => id);
  const found = await tx.manager.findBy(ContactStage, { id: In(ids) });
  const rows = inOrder(ids, found);
  return { rows, total: await countCards(tx, stageId), totalAtLeast: false, next };
}

/** Cards on the board: the inbox row of the conversation, and the time of entering the stage. */
export async function presentCards(tx: Tx, rows: ContactStage[]) {
  const ids = rows.map(({ conversationId }) => conversationId);
  const found = await tx.manager.findBy(Conversation, { id: In(ids) });
  const views = new Map((await presentInboxRows(tx, found)).map((view) => [view.id, view]));
  return rows.flatMap(({ conversationId, movedAt }) => {
    const view = views.get(conversationId);
    return view === undefined ? [] : [{ ...view, stage_entered_at: movedAt.toISOString() }];
  });
}
