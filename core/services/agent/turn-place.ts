import type { Tx } from "../../../db/transaction.ts";
import { isMetaDriver, isSendingHeld } from "../../model/channels.ts";
import type { ChannelDriver, ChannelState, MetaDriver } from "../../model/channels.ts";

/** Where the customer of a turn waits for the answer. */
export interface TurnPlace {
  channelAccountId: number;
  driver: MetaDriver;
  externalId: string;
  parentId: string | null;
  customer: string;
  /** The network's id of the message that the turn answers. */
  messageId: string;
}

interface PlaceRow extends Omit<TurnPlace, "driver"> {
  driver: ChannelDriver;
  state: ChannelState;
  stateReason: string | null;
}

/** Null for a draft, on the sandbox, and where the channel can send nothing. */
export async function findTurnPlace(tx: Tx, turnId: number): Promise<TurnPlace | null> {
  const [row] = await tx.manager.query<PlaceRow[]>(
    `SELECT c.id AS channelAccountId, c.driver, c.external_id AS externalId,
            c.parent_id AS parentId, c.state, c.state_reason AS stateReason,
            v.customer_external_id AS customer, p.provider_id AS messageId
       FROM agent_turns t
       JOIN conversations v ON v.id = t.conversation_id
       JOIN channel_accounts c ON c.id = v.channel_account_id
       JOIN message_provider_ids p ON p.message_id = t.watermark AND p.channel_account_id = c.id
      WHERE t.id = ? AND t.account_id = ? AND t.mode = 'live' ORDER BY p.id LIMIT 1`,
    [turnId, tx.actor.accountId],
  );
  if (row === undefined || isSendingHeld(row)) return null;
  const { driver } = row;
  if (!isMetaDriver(driver)) return null;
  return { ...row, driver, channelAccountId: Number(row.channelAccountId) };
}
