import type { Tx } from "../../../db/transaction.ts";
import type { DeliveryState } from "../../model/workflow/delivery.ts";

/** Deliveries of an account by their ids, for one statement. */
export interface DeliveryWindow {
  /** The window begins behind this id. */
  after: number;
  /** Last id of the window; null where no delivery in these states is behind the window. */
  through: number | null;
  /** First delivery in these states, as far as it is committed; null without one. */
  firstId: number | null;
}

/**
 * Most ids of a window, so that a statement has a bounded cost. The rows of other subscriptions are
 * read and passed over.
 */
const windowIds = 10_000;

/**
 * Finds the next deliveries of the account in some states. An index holds no state of a
 * subscription alone, so a search for its deliveries goes through those of the whole account. A
 * window begins at an existing delivery, so a gap between ids costs no window.
 */
export async function nextWindow(
  tx: Tx,
  states: readonly DeliveryState[],
  after: number,
): Promise<DeliveryWindow> {
  const ends = states.map(
    () => `SELECT MIN(id) AS first_id, MAX(id) AS last_id FROM deliveries FORCE INDEX (deliveries_state)
            WHERE account_id = ? AND state = ? AND id > ?`,
  );
  const [found] = await tx.manager.query<{ first_id: number | null; last_id: number | null }[]>(
    `SELECT MIN(first_id) AS first_id, MAX(last_id) AS last_id
       FROM (${ends.join(" UNION ALL ")}) AS ends`,
    states.flatMap((state) => [tx.actor.accountId, state, after]),
  );
  const firstId = found?.first_id ?? null;
  const through = (firstId ?? after) + windowIds - 1;
  return { after, through: through < (found?.last_id ?? 0) ? through : null, firstId };
}

/** The condition that an id is in the window. */
export function isInWindow(
  id: string,
  { after, through }: Pick<DeliveryWindow, "after" | "through">,
): { sql: string; values: number[] } {
  if (through === null) return { sql: `${id} > ?`, values: [after] };
  return { sql: `${id} > ? AND ${id} <= ?`, values: [after, through] };
}
