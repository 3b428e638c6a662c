import { Appointment } from "../../../db/entities/appointment.ts";
import { Contact } from "../../../db/entities/contact.ts";
import { Conversation } from "../../../db/entities/conversation.ts";
import type { Mail } from "../../../db/entities/mail.ts";
import { User } from "../../../db/entities/user.ts";
import { UserLink } from "../../../db/entities/user-link.ts";
import type { Tx } from "../../../db/transaction.ts";
import { findMailReader, type Recipient } from "../accounts/notification-preferences.ts";
import { contactName } from "../contacts/contact-records.ts";
import { findOwned } from "../sql.ts";
import { findHandoffReader } from "../conversations/handoffs.ts";

/** The reader of a mail, or null if the mail is no longer needed. */
export async function findRecipient(
  tx: Tx,
  mail: Pick<Mail, "kind" | "userLinkId" | "userId" | "conversationId" | "appointmentId">,
): Promise<Recipient | null> {
  switch (mail.kind) {
    case "needs_person":
      return await findHandoffReader(tx, mail);
    case "new_message":
      return await findReader(tx, mail);
    case "assigned":
      return await findAssignee(tx, mail);
    case "mentioned":
      return await findMentioned(tx, mail);
    case "booked":
      return await findBooked(tx, mail);
    case "invitation":
    case "password_reset":
      return await findLinked(tx, mail);
    case "booking_made":
      // Its recipient is no member: the address is sealed in the mail.
      return null;
  }
}

async function findLinked(
  tx: Tx,
  { userLinkId }: Pick<Mail, "userLinkId">,
): Promise<Recipient | null> {
  if (userLinkId === null) return null;
  const link = await tx.manager.findOneBy(UserLink, { id: userLinkId });
  if (link === null || link.usedAt !== null || link.revokedAt !== null) return null;
  if (link.expiresAt <= tx.now) return null;
  if (link.kind === "password_reset") return await findPerson(tx, link.userId);
  return link.email === null ? null : { to: link.email, locale: null };
}

async function findPerson(tx: Tx, id: number | null): Promise<Recipient | null> {
  const user = id === null ? null : await tx.manager.findOneBy(User, { id });
  if (user === null || user.disabledAt !== null) return null;
  return { to: user.email, locale: user.locale };
}

/** The assignee, while the customer's messages are unread. */
async function findReader(
  tx: Tx,
  { conversationId, userId }: Pick<Mail, "conversationId" | "userId">,
): Promise<Recipient | null> {
  const conversation = await findConversation(tx, conversationId);
  if (conversation === null || conversation.unreadCount === 0) return null;
  if (userId === null || conversation.assignedToUserId !== userId) return null;
  return await findMailReader(tx, userId, "message_received");
}

async function findAssignee(
  tx: Tx,
  { conversationId, userId }: Pick<Mail, "conversationId" | "userId">,
): Promise<Recipient | null> {
  const conversation = await findConversation(tx, conversationId);
  if (userId === null || conversation?.assignedToUserId !== userId) return null;
  return await findMailReader(tx, userId, "conversation_assigned");
}

async function findMentioned(
  tx: Tx,
  { conversationId, userId }: Pick<Mail, "conversationId" | "userId">,
): Promise<Recipient | null> {
  if (userId === null || (await findConversation(tx, conversationId)) === null) return null;
  return await findMailReader(tx, userId, "mentioned");
}

async function findBooked(
  tx: Tx,
  { appointmentId, userId }: Pick<Mail, "appointmentId" | "userId">,
): Promise<Recipient | null> {
  const appointment = await findAppointment(tx, appointmentId);
  if (userId === null || appointment?.status !== "confirmed") return null;
  return await findMailReader(tx, userId, "appointment_booked");
}

/** Name of the customer that a mail is about; null where the mail names none. */
export async function findCustomerName(
  tx: Tx,
  { kind, conversationId, appointmentId }: Pick<Mail, "kind" | "conversationId" | "appointmentId">,
): Promise<string | null> {
  if (kind === "needs_person") return null;
  const appointment = await findAppointment(tx, appointmentId);
  if (appointment !== null) return appointment.customerName;
  const conversation = await findConversation(tx, conversationId);
  if (conversation === null) return null;
  const contact = await tx.manager.findOneBy(Contact, { id: conversation.contactId });
  return contact === null ? null : contactName(contact);
}

async function findConversation(tx: Tx, id: number | null): Promise<Conversation | null> {
  return id === null ? null : await findOwned(tx, Conversation, { id });
}

async function findAppointment(tx: Tx, id: number | null): Promise<Appointment | null> {
  return id === null ? null : await findOwned(tx, Appointment, { id });
}
