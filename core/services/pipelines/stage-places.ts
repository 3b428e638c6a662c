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
export async function chooseCardPlace(
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
  const next = await findNext(tx, others, near.side === "above" ? "up" : "down", card);
  const [above, below] = near.side === "above" ? [next, card] : [card, next];
  const place = placeBetween(above?.place ?? null, below?.place ?? null);
  if (place !== null) return place;
  if (below !== null) await makeRoomAbove(tx, stageId, below);
  return await chooseCardPlace(tx, stageId, contactId, near);
}

interface Others {
  stageId: number;
  /** Contact whose own card does not count. */
  butOf: number;
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
  others: Others,
  direction: "up" | "down",
  from: Card | null,
): Promise<Card | null> {
  const [card] = await listNext(tx, others, direction, from, 1);
  return card ?? null;
}

async function listNext(
  tx: Tx,
  { stageId, butOf }: Others,
  direction: "up" | "down",
  from: Card | null,
  limit: number,
): Promise<Card[]> {
  const [sign, order] = direction === "up" ? [">", "ASC"] : ["<", "DESC"];
  const beyond = from === null ? "" : `AND place ${sign}= ? AND (place ${sign} ? OR id ${sign} ?)`;
  return await tx.manager.query<Card[]>(
    `SELECT id, place FROM contact_stages FORCE INDEX (contact_stages_board)
      WHERE stage_id = ? AND outcome = 'open' AND contact_id <> ? ${beyond}
      ORDER BY place ${order}, id ${order} LIMIT ?`,
    [stageId, butOf, ...(from === null ? [] : [from.place, from.place, from.id]), limit],
  );
}

/** Fewest cards that are renumbered together, as far as there are so many. */
const fewestRenumbered = 16;
/** Least distance between two renumbered cards. Ten more cards fit into any one gap. */
const leastStep = 2 ** 10;

/**
 * Renumbers the cards above a card in their order, with a gap between them. The cost grows with the
 * cards that are close together there, not with the column. Rarely needed.
 */
async function makeRoomAbove(tx: Tx, stageId: number, from: Card): Promise<void> {
  for (let count = fewestRenumbered; ; count *= 2) {
    const cards = await listNext(tx, { stageId, butOf: 0 }, "up", from, count + 1);
    const ceiling = cards[count];
    const room = ceiling === undefined ? Infinity : (ceiling.place - from.place) / (count + 1);
    if (room < leastStep) continue;
    const step = Math.min(Math.floor(room), placeStep);
    const places = cards.slice(0, count).map(({ id }, at) => [id, from.place + (at + 1) * step]);
    await tx.manager.query(
      `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$[0]',
                place BIGINT PATH '$[1]')) AS listed
         STRAIGHT_JOIN contact_stages c ON c.id = listed.id AND c.stage_id = ?
          SET c.place = listed.place`,
      [JSON.stringify(places), stageId],
    );
    return;
  }
}
