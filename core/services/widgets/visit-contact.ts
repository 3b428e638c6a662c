import { Conversation } from "../../../db/entities/conversation.ts";
import type { WidgetSession } from "../../../db/entities/widget.ts";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField } from "../../errors.ts";
import { parseEmail, parsePhone, phoneKey } from "../../model/contact.ts";
import { asLocale } from "../../model/user.ts";
import {
  changeContact,
  withoutSamePhone,
  type ContactIdentifiers,
} from "../contacts/contact-changes.ts";
import { recordSameOwner } from "../contacts/contact-identities.ts";
import { lockContact } from "../contacts/contact-locks.ts";
import { findContactIdByEmail, findContactIdByPhone } from "../contacts/contact-lookup.ts";
import type { ContactRecord } from "../contacts/contact-records.ts";
import { recordNote } from "../conversation-records/conversation-notes.ts";
import { ownerNotes } from "./owner-notes.ts";
import { recordVisitor, storeSession } from "./sessions.ts";

/** Facts of a person, as a visitor has typed them or a signed identity tells. */
export interface Said {
  name?: string;
  email?: string;
  phone?: string;
}

/**
 * Reads what a visitor typed. Empty fields are left out.
 * @throws AppError `validation_error` for text that is no email or no phone
 */
export function readSaid({
  name,
  email,
  phone,
}: { [Field in keyof Said]: string | undefined }): Said {
  const readEmail = email === undefined || email === "" ? undefined : parseEmail(email);
  const readPhone = phone === undefined || phone === "" ? undefined : parsePhone(phone);
  if (readEmail === null) {
    throw invalidField("body.email", "invalid_email", "Use an address such as ana@example.com.");
  }
  if (readPhone === null) {
    throw invalidField("body.phone", "invalid_phone", "Use 8 to 15 digits with the country code.");
  }
  return {
    ...(name !== undefined && name !== "" && { name }),
    ...(readEmail !== undefined && { email: readEmail }),
    ...(readPhone !== undefined && { phone: readPhone }),
  };
}

/** Claims that cannot be read as an email or a phone are left out. */
export function readClaims({ name, email, phone }: Said): Said {
  const readEmail = email === undefined ? null : parseEmail(email);
  const readPhone = phone === undefined ? null : parsePhone(phone);
  return {
    ...(name !== undefined && { name }),
    ...(readEmail !== null && { email: readEmail }),
    ...(readPhone !== null && { phone: readPhone }),
  };
}

/**
 * Stores facts that a visitor has typed. Before the first message they wait in the session. An email
 * or phone replaces none that a signed identity has told.
 */
export async function storeSaid(tx: Tx, session: WidgetSession, typed: Said): Promise<void> {
  const { said, verifiedSub } = session;
  const { name } = typed;
  const both =
    verifiedSub === null
      ? { ...said, ...typed }
      : { ...typed, ...said, ...(name !== undefined && { name }) };
  await storeSession(tx, session, { said: both });
  await applySaid(tx, session, typed, "typed");
  await recordVisitor(tx, session);
}

/**
 * Gives the visitor's contact what was said. An email or phone of another contact stays there: the
 * thread shows it to people alone, who can merge the two. A signed identity replaces facts of the
 * contact. A typed email or phone replaces one of an anonymous visitor's own contact, and else fills
 * an empty field: nothing proves it.
 */
export async function applySaid(
  tx: Tx,
  session: Pick<WidgetSession, "contactId" | "conversationId" | "verifiedSub" | "madeContact">,
  { name, email, phone }: Said,
  source: "signed" | "typed",
): Promise<void> {
  const { contactId, conversationId } = session;
  if (contactId === null || conversationId === null) return;
  const record = await lockContact(tx, contactId);
  const isKnown = session.verifiedSub !== null;
  const isOwn = source === "signed" || (!isKnown && session.madeContact);
  const sent: Partial<ContactIdentifiers> = {};
  if (name !== undefined && (isKnown || isOwn || record.row.name === null)) sent.name = name;
  const place = { contactId, conversationId };
  if (await mayTake(tx, place, record, { field: "email", value: email, isOwn })) {
    sent.email = email ?? null;
  }
  if (await mayTake(tx, place, record, { field: "phone", value: phone, isOwn })) {
    Object.assign(sent, { phone, phoneKey: phoneKey(phone ?? "") });
  }
  if (Object.keys(sent).length === 0) return;
  await changeContact(tx, record, withoutSamePhone(sent, record), {
    conversation: { conversationId, channel: "web" },
  });
}

interface Claim {
  field: "email" | "phone";
  value: string | undefined;
  isOwn: boolean;
}

/** @returns true where nobody has the value. Another owner is noted for people. */
async function mayTake(
  tx: Tx,
  place: { contactId: number; conversationId: number },
  { row }: ContactRecord,
  { field, value, isOwn }: Claim,
): Promise<boolean> {
  if (value === undefined) return false;
  const find = field === "email" ? findContactIdByEmail : findContactIdByPhone;
  const ownerId = await find(tx, value);
  if (ownerId === null) return isOwn || row[field] === null;
  if (ownerId === place.contactId) return false;
  await noteOwner(tx, place, ownerId, { field, value });
  return false;
}

async function noteOwner(
  tx: Tx,
  { contactId, conversationId }: { contactId: number; conversationId: number },
  ownerId: number,
  { field, value }: { field: "email" | "phone"; value: string },
): Promise<void> {
  const { accountId } = tx.actor;
  const [account] = await tx.manager.query<{ locale: string }[]>(
    "SELECT locale FROM accounts WHERE id = ?",
    [accountId],
  );
  const text = ownerNotes[asLocale(account?.locale ?? "")][field].replace("{}", () => value);
  // One note for each value, however often a visitor repeats it.
  const known = await tx.manager.query<unknown[]>(
    "SELECT 1 FROM conversation_notes WHERE conversation_id = ? AND account_id = ? AND text = ? LIMIT 1",
    [conversationId, accountId, text],
  );
  if (known.length > 0) return;
  const conversation = tx.manager.create(Conversation, { id: conversationId, contactId });
  await recordNote(tx, conversation, { kind: "note", text });
  await recordSameOwner(tx, contactId, ownerId);
}
