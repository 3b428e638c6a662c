import type { Tx } from "../../../db/transaction.ts";
import { waitingMarkSql } from "../conversations/read-marks.ts";
import { dueChecksSql } from "./channel-checks.ts";
import { holdingChannelsSql } from "./held-messages.ts";

const channelChores = ["held", "marks", "checks"] as const;

/**
 * Work of the channels that no ring announces. `held`: messages are held. `marks`: messages were
 * read. `checks`: channels are due for a check.
 */
export type ChannelChore = (typeof channelChores)[number];

const findSql: Record<ChannelChore, string> = {
  held: holdingChannelsSql("1"),
  marks: waitingMarkSql,
  checks: dueChecksSql("1"),
};
const columns = channelChores.map((chore) => `EXISTS(${findSql[chore]}) AS ${chore}`);

/**
 * Finds the chores that have work in any account. One statement, since most looks find nothing. It
 * reads one index entry of each chore.
 */
export async function findChannelChores(tx: Tx): Promise<ChannelChore[]> {
  const [row] = await tx.manager.query<Record<ChannelChore, number | string>[]>(
    `SELECT ${columns.join(", ")}`,
  );
  return channelChores.filter((chore) => Number(row?.[chore]) === 1);
}
