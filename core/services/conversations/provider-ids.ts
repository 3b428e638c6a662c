import type { Conversation } from "../../../db/entities/conversation.ts";
import { MessageProviderId, type Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { insertOrLose, insertRow } from "../sql.ts";

/** The message that a channel account knows by this id, or null. */
export async function findMessageId(
  tx: Tx,
  channelAccountId: number,
  providerId: string,
): Promise<number | null> {
  const { accountId } = tx.actor;
  const row = await tx.manager.findOneBy(MessageProviderId, {
    accountId,
    channelAccountId,
    providerId,
  });
  return row?.messageId ?? null;
}

/** An id that a channel account gave to a message. */
export interface ProviderName {
  channelAccountId: number;
  providerId: string;
}

/** Key of a name in the result of `findMessageIds`. */
export function nameKey({ channelAccountId, providerId }: ProviderName): string {
  return `${channelAccountId}:${providerId}`;
}

/** Messages by the keys of their names. Names that no message of the account has are left out. */
export async function findMessageIds(
  tx: Tx,
  names: readonly ProviderName[],
): Promise<Map<string, number>> {
  if (names.length === 0) return new Map();
  const pairs = names.map(() => "(?, ?)").join(", ");
  const rows = await tx.manager.query<(ProviderName & { messageId: number })[]>(
    `SELECT channel_account_id AS channelAccountId, provider_id AS providerId,
            message_id AS messageId
       FROM message_provider_ids FORCE INDEX (message_provider_ids_provider)
      WHERE (channel_account_id, provider_id) IN (${pairs}) AND account_id = ?`,
    [
      ...names.flatMap(({ channelAccountId, providerId }) => [channelAccountId, providerId]),
      tx.actor.accountId,
    ],
  );
  return new Map(rows.map((row) => [nameKey(row), Number(row.messageId)]));
}

/** The channel account's id of a message, or null. A message of several parts has the first one's. */
export async function findProviderId(
  tx: Tx,
  channelAccountId: number,
  messageId: number | null,
): Promise<string | null> {
  if (messageId === null) return null;
  const row = await tx.manager.findOne(MessageProviderId, {
    where: { messageId, channelAccountId },
    order: { id: "ASC" },
  });
  return row?.providerId ?? null;
}

/** Records the id of a message at its channel. @throws WriteConflict if another message has the id. */
export async function recordProviderId(tx: Tx, message: Message, providerId: string) {
  const { id: messageId, accountId, channelAccountId, conversationId } = message;
  const row = { accountId, channelAccountId, providerId, messageId, conversationId };
  await insertOrLose(() => insertRow(tx, MessageProviderId, row));
}

/** The message that a customer answers, if it is one of the contact's on the same channel. */
export async function findAnswered(
  tx: Tx,
  { accountId, channelAccountId, contactId }: Conversation,
  providerId: string | null,
): Promise<number | null> {
  if (providerId === null) return null;
  const [row] = await tx.manager.query<{ id: number }[]>(
    `SELECT m.id FROM message_provider_ids p JOIN messages m ON m.id = p.message_id
      WHERE p.account_id = ? AND p.channel_account_id = ? AND p.provider_id = ?
        AND m.contact_id = ?`,
    [accountId, channelAccountId, providerId, contactId],
  );
  return row === undefined ? null : Number(row.id);
}
