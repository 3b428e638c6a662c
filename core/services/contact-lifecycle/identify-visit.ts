import { Not } from "typeorm";
import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { ContactIdentity } from "../../../db/entities/contact.ts";
import type { WidgetSession } from "../../../db/entities/widget.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { VerifiedIdentity } from "../../model/widget-visit.ts";
import type { SecretBox } from "../../secrets.ts";
import { findIdentity, recordIdentity } from "../contacts/contact-identities.ts";
import { lockContact } from "../contacts/contact-locks.ts";
import { findContactIdByEmail, findContactIdByPhone } from "../contacts/contact-lookup.ts";
import { lockNewest } from "../conversations/conversations.ts";
import type { LiveWidget } from "../widgets/find-widget.ts";
import {
  beginSession,
  endSession,
  recordVisitEnd,
  recordVisitor,
  renewSession,
  storeSession,
  type OpenedSession,
} from "../widgets/sessions.ts";
import { applySaid, readClaims, type Said } from "../widgets/visit-contact.ts";
import { mergeContacts } from "./contact-merge.ts";

/**
 * Makes a locked session that of a verified person. The contact that the session alone has made
 * merges into the person's. Its secrets change, because who had them before need not be the person.
 * A session of another person ends, and a new one begins with nothing from before. An identity that
 * has ended leaves the session of its person as it is.
 * @param opened the secrets that the session has
 * @throws AppError `identity_invalid` for one that has ended, in a session of anybody else
 */
export async function identifyVisit(
  tx: Tx,
  box: SecretBox,
  widget: LiveWidget,
  opened: OpenedSession,
  identity: VerifiedIdentity,
): Promise<OpenedSession> {
  const { session } = opened;
  if (identity.hasEnded) {
    if (session.verifiedSub !== identity.sub) throw new AppError("identity_invalid");
    return opened;
  }
  const said = readClaims(identity);
  if (session.verifiedSub === identity.sub) {
    await storeSession(tx, session, { said });
    if (session.conversationId === null) await joinOwn(tx, session);
    await applySaid(tx, session, said, "signed");
    return opened;
  }
  if (session.verifiedSub === null) return await verify(tx, box, widget, session, identity);
  const { locale, page } = session;
  await endSession(tx, session);
  const next = await beginSession(tx, box, widget, { locale, page });
  return await verify(tx, box, widget, next.session, identity);
}

/** The person may have begun the conversation on another device. */
async function joinOwn(tx: Tx, session: WidgetSession): Promise<void> {
  const channel = channelOf(tx, session);
  const known = await findIdentity(tx, channel, session.visitorId);
  if (known === null) return;
  const contactId = Number(known.contactId);
  await lockContact(tx, contactId);
  await joinNewest(tx, session, contactId);
}

/** @param contactId its row is locked; null: the session has no contact from now on */
async function joinNewest(tx: Tx, session: WidgetSession, contactId: number | null): Promise<void> {
  const newest =
    contactId === null ? null : await lockNewest(tx, contactId, session.channelAccountId);
  const conversationId = newest?.id ?? null;
  await storeSession(tx, session, { contactId, conversationId, readMessageId: null });
}

const channelOf = (tx: Tx, { accountId, channelAccountId: id }: WidgetSession): ChannelAccount =>
  tx.manager.create(ChannelAccount, { id, accountId, channel: "web" });

async function verify(
  tx: Tx,
  box: SecretBox,
  widget: LiveWidget,
  session: WidgetSession,
  identity: VerifiedIdentity,
): Promise<OpenedSession> {
  const said = readClaims(identity);
  const channel = channelOf(tx, session);
  const visitorId = `u_${identity.sub}`;
  const { contactId: earlierId, conversationId } = session;
  const before = { contactId: earlierId, conversationId, isOwn: await madeAlone(tx, session) };
  const personId = await findPerson(tx, channel, visitorId, said);
  await storeSession(tx, session, { visitorId, verifiedSub: identity.sub, said });
  const contactId = personId ?? (before.isOwn ? before.contactId : null);
  if (contactId !== null) {
    const shouldMerge = before.contactId !== null && before.isOwn && before.contactId !== contactId;
    if (shouldMerge && before.contactId !== null) {
      // The session is the person's by now, so that the merge does not end it.
      await storeSession(tx, session, { contactId, madeContact: false });
      await mergeContacts(tx, before.contactId, contactId);
    }
    await lockContact(tx, contactId);
    await recordIdentity(tx, channel, contactId, visitorId);
  }
  await joinNewest(tx, session, contactId);
  await applySaid(tx, session, said, "signed");
  // Streams of the old token end. Those without a conversation read the session before they get one.
  if (before.conversationId !== null) await recordVisitEnd(tx, before);
  const { token, resume } = await renewSession(tx, box, session, widget.settings.remembers);
  await recordVisitor(tx, session);
  return { session, token, resume };
}

/** The contact that the identity names: by its id, else by the email or phone that it proves. */
async function findPerson(
  tx: Tx,
  channel: ChannelAccount,
  visitorId: string,
  { email, phone }: Said,
): Promise<number | null> {
  const known = await findIdentity(tx, channel, visitorId);
  if (known !== null) return Number(known.contactId);
  const found = [
    email === undefined ? null : await findContactIdByEmail(tx, email),
    phone === undefined ? null : await findContactIdByPhone(tx, phone),
  ];
  for (const id of found) if (id !== null && !(await isOtherVisitor(tx, id, visitorId))) return id;
  return null;
}

/**
 * True where another visitor of web chat has the contact. That visitor, signed in or not, may have
 * typed anybody's email. The person with the email must not get into the visitor's conversation, nor
 * the visitor into the person's. Another chat of the account may know the person by the same id.
 */
async function isOtherVisitor(tx: Tx, contactId: number, visitorId: string): Promise<boolean> {
  const { accountId } = tx.actor;
  const where = { accountId, contactId, channel: "web", externalId: Not(visitorId) } as const;
  return await tx.manager.existsBy(ContactIdentity, where);
}

/** True where the session has made its contact, and nobody reaches the contact in another way. */
export async function madeAlone(
  tx: Tx,
  { accountId, contactId, madeContact, visitorId }: WidgetSession,
): Promise<boolean> {
  if (contactId === null || !madeContact) return false;
  const identities = await tx.manager.findBy(ContactIdentity, { accountId, contactId });
  return identities.every(({ externalId }) => externalId === visitorId);
}
