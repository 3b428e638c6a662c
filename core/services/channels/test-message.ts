import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import type { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField } from "../../errors.ts";
import { parsePhone } from "../../model/contact.ts";
import { getAccount } from "../accounts/accounts.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { findIdentity } from "../contacts/contact-identities.ts";
import { sendMessage } from "../conversations/messages.ts";
import { getOwned } from "../sql.ts";

const audit = auditOf("channel_account");
const texts: Readonly<Record<string, string>> = {
  en: "This is a test message. Your channel works.",
  es: "Este es un mensaje de prueba. Tu canal funciona.",
};

/**
 * Sends a test message to a customer who has written to the channel. The message takes the way of
 * every other one, so that its status shows if the channel works.
 * @throws AppError `channel_account_not_found`, `validation_error` for a customer who has not
 * written, `messaging_window_closed`
 */
export async function sendTestMessage(tx: Tx, id: number, to: string): Promise<Message> {
  const channel = await getOwned(tx, ChannelAccount, "channel_account", { id });
  const conversationId = await findConversation(tx, channel, to);
  if (conversationId === null) {
    throw invalidField(
      "body.to",
      "unknown_customer",
      "This customer has not written to the channel. Write to it from there first.",
    );
  }
  const { locale } = await getAccount(tx);
  const content = texts[locale] ?? texts["en"];
  const { row } = await sendMessage(tx, conversationId, { type: "text", content });
  await recordAudit(tx, audit("tested", id, { message_id: row.id }));
  return row;
}

async function findConversation(
  tx: Tx,
  channel: ChannelAccount,
  to: string,
): Promise<number | null> {
  const externalId = channel.channel === "whatsapp" ? (parsePhone(to) ?? to) : to;
  const identity = await findIdentity(tx, channel, externalId);
  if (identity === null) return null;
  const [newest] = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM conversations
      WHERE account_id = ? AND contact_id = ? AND channel_account_id = ?
      ORDER BY id DESC LIMIT 1`,
    [tx.actor.accountId, identity.contactId, channel.id],
  );
  return newest === undefined ? null : Number(newest.id);
}
