import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { RestChannel } from "../../model/channels.ts";

// These searches differ in their filters, so that each stays by itself. The search for bookings
// leaves chats of websites out, as a rule of privacy.

/** The conversation in which a contact event happened. */
export interface ContactConversation {
  conversationId: number;
  channel: RestChannel;
}

/** The contact's newest conversation on any channel, for an event of the contact, or null. */
export async function findEventConversation(
  tx: Tx,
  contactId: number,
): Promise<ContactConversation | null> {
  const [newest] = await tx.manager.query<{ id: number; channel: RestChannel }[]>(
    "SELECT id, channel FROM conversations WHERE contact_id = ? ORDER BY id DESC LIMIT 1",
    [contactId],
  );
  return newest === undefined ? null : { conversationId: newest.id, channel: newest.channel };
}

/**
 * The contact's newest conversation for an appointment that was booked elsewhere, or null. A chat of
 * a website is none: its visitor, signed in or not, may have typed the email or phone by which the
 * booking found the contact.
 */
export async function findBookingConversation(
  { manager }: Tx,
  contactId: number,
): Promise<number | null> {
  const [newest] = await manager.query<{ id: number }[]>(
    `SELECT id FROM conversations FORCE INDEX (conversations_contact)
      WHERE contact_id = ? AND channel <> 'web' ORDER BY id DESC LIMIT 1`,
    [contactId],
  );
  return newest?.id ?? null;
}

/** The contact's newest conversation on any channel, for a move to a stage, or null. */
export async function findNewestConversation(tx: Tx, contactId: number): Promise<number | null> {
  const row = await tx.manager.findOne(Conversation, {
    select: { id: true },
    where: { accountId: tx.actor.accountId, contactId },
    order: { id: "DESC" },
  });
  return row?.id ?? null;
}
