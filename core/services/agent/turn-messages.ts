import type { Tx } from "../../../db/transaction.ts";
import { findNetworkMessage, type NetworkMessage } from "../conversations/network-messages.ts";

/** The message that a turn answers. Null for a draft, and where the channel cannot send. */
export async function findTurnMessage(tx: Tx, turnId: number): Promise<NetworkMessage | null> {
  return await findNetworkMessage(
    tx,
    `FROM agent_turns t
       JOIN conversations v ON v.id = t.conversation_id
       JOIN channel_accounts c ON c.id = v.channel_account_id
       JOIN message_provider_ids p ON p.message_id = t.watermark AND p.channel_account_id = c.id
      WHERE t.id = ? AND t.account_id = ? AND t.mode = 'live'`,
    [turnId, tx.actor.accountId],
  );
}
