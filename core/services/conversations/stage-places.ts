import type { Tx } from "../../../db/transaction.ts";
import { placeBetween, placeStep } from "../../model/pipeline.ts";

/** The card right above or right below which another card is put. */
export interface Neighbour {
  contactId: number;
  side: "above" | "below";
}

interface Card {
  id: number;
  place: number;
}

/**
 * Place of a contact's card in a column: next to a neighbour, else at the top. A neighbour that has
 * left the column counts as none, and so do cards that are won or lost.
 * @param near if given, the stage is locked alone.
 */
export async function findPlace(
  tx: Tx,
  stageId: number,
  contactId: number,
  near: Neighbour | null,
): Promise<number> {
  const others = { stageId, butOf: contactId };
  const card = near === null ? null : await findCard(tx, stageId, near.contactId);
  if (near === null || card === null || near.contactId === contactId) {
    // Two cards at once may get one place; then the newer card is the higher one.
    return placeBetween(null, (await findNext(tx, others, "down", null))?.place ?? null) ?? 0;
  }
  const place = await placeBeside(tx, others, near.side, card);
  if (place !== null) return place;
  await rebalance(tx, stageId);
  return await findPlace(tx, stageId, contactId, near);
}

interface Others {
  stageId: number;
  /** Contact whose own card does not count. */
  butOf: number;
}

async function placeBeside(tx: Tx, others: Others, side: Neighbour["side"], card: Card) {
  const next = await findNext(tx, others, side === "above" ? "up" : "down", card);
  const place = next?.place ?? null;
  return side === "above" ? placeBetween(place, card.place) : placeBetween(card.place, place);
}

async function findCard(tx: Tx, stageId: number, contactId: number): Promise<Card | null> {
  const [card] = await tx.manager.query<Card[]>(
    `SELECT id, place FROM contact_stages FORCE INDEX (contact_stages_contact)
      WHERE contact_id = ? AND stage_id = ? AND account_id = ? AND outcome = 'open'`,
    [contactId, stageId, tx.actor.accountId],
  );
  return card ?? null;
}

/** The next card up or down from `from`. Without `from`, the first from the bottom or the top. */
async function findNext(
  tx: Tx,
  { stageId, butOf }: Others,
  direction: "up" | "down",
  from: Card | null,
): Promise<Card | null> {
  const [sign, order] = direction === "up" ? [">", "ASC"] : ["<", "DESC"];
  const beyond = from === null ? "" : `AND place ${sign}= ? AND (place ${sign} ? OR id ${sign} ?)`;
  const [card] = await tx.manager.query<Card[]>(
    `SELECT id, place FROM contact_stages FORCE INDEX (contact_stages_board)
      WHERE stage_id = ? AND outcome = 'open' AND contact_id <> ? ${beyond}
      ORDER BY place ${order}, id ${order} LIMIT 1`,
    [stageId, butOf, ...(from === null ? [] : [from.place, from.place, from.id])],
  );
  return card ?? null;
}

/** Renumbers a column in its order, with a gap between all cards. Rarely needed. */
async function rebalance(tx: Tx, stageId: number): Promise<void> {
  await tx.manager.query(
    `UPDATE contact_stages c
       JOIN (SELECT id, ROW_NUMBER() OVER (ORDER BY place, id) AS number
               FROM contact_stages WHERE stage_id = ?) listed ON listed.id = c.id
        SET c.place = listed.number * ?
      WHERE c.stage_id = ?`,
    [stageId, placeStep, stageId],
  );
}
