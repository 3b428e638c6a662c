import type { Tx } from "../../../db/transaction.ts";
import { isMetaDriver, isSendingHeld } from "../../model/channels.ts";
import type { ChannelDriver, ChannelState, MetaDriver } from "../../model/channels.ts";

/** A customer's message as its network knows it, for the sign that it was read. */
export interface NetworkMessage {
  channelAccountId: number;
  driver: MetaDriver;
  externalId: string;
  parentId: string | null;
  customer: string;
  /** The network's id of the message. */
  messageId: string;
}

interface NetworkMessageRow extends Omit<NetworkMessage, "driver"> {
  driver: ChannelDriver;
  state: ChannelState;
  stateReason: string | null;
}

/**
 * Finds a message as its network knows it.
 * @param rows SQL from FROM to WHERE, with the conversation as `v`, its channel as `c` and the
 *   network's id of the message as `p`
 * @returns null without such a row, on the sandbox, and while the channel can send nothing
 */
export async function findNetworkMessage(
  tx: Tx,
  rows: string,
  values: readonly number[],
): Promise<NetworkMessage | null> {
  const [row] = await tx.manager.query<NetworkMessageRow[]>(
    `SELECT c.id AS channelAccountId, c.driver, c.external_id AS externalId,
            c.parent_id AS parentId, c.state, c.state_reason AS stateReason,
            v.customer_external_id AS customer, p.provider_id AS messageId
       ${rows} ORDER BY p.id LIMIT 1`,
    [...values],
  );
  if (row === undefined || isSendingHeld(row)) return null;
  const { driver } = row;
  if (!isMetaDriver(driver)) return null;
  return { ...row, driver, channelAccountId: Number(row.channelAccountId) };
}
