import { Account } from "../../../db/entities/account.ts";
import type { Conversation } from "../../../db/entities/conversation.ts";
import { Mail } from "../../../db/entities/mail.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { MailKind } from "../../model/mail.ts";
import { asLocale, type Locale } from "../../model/user.ts";
import {
  mailWaitsMs,
  type SendMailInput,
  type SendMailOutcome,
} from "../../model/workflow/mailing.ts";
import type { SecretBox } from "../../secrets.ts";
import { mailContext, queueMail } from "../accounts/mails.ts";
import { findCustomerName, findRecipient } from "./mail-recipients.ts";

/** Content and recipient of a mail. `token` belongs to the mail's one-time link. */
export interface MailMaterial {
  id: number;
  kind: MailKind;
  to: string;
  locale: Locale;
  accountName: string;
  token: string | null;
  conversationId: number | null;
  appointmentId: number | null;
  customerName: string | null;
}

/** The mail server's answer to one try. `code` holds no address. */
export type MailAnswer =
  | { kind: "sent" }
  | { kind: "transient"; code: string }
  | { kind: "permanent"; code: string };

/**
 * Queues a mail to the assignee of a conversation in a handoff, if that person wants mails. Each
 * person gets one mail per handoff. The conversation is locked.
 */
export async function queueHandoffMail(tx: Tx, conversation: Conversation): Promise<void> {
  const { id: conversationId, botEpoch, assignedToUserId: userId } = conversation;
  const about = { conversationId, userId, userLinkId: null, appointmentId: null };
  const mail = { kind: "needs_person", ...about } as const;
  if (userId === null || (await findRecipient(tx, mail)) === null) return;
  const dedupeKey = `needs_person:${conversationId}:${botEpoch}:${userId}`;
  const { accountId } = tx.actor;
  if (await tx.manager.existsBy(Mail, { accountId, dedupeKey })) return;
  await queueMail(tx, { ...mail, dedupeKey });
}

/**
 * Locks a mail and reads its content.
 * @returns `outcome` if there is nothing to send: the mail is finished, or its reader no longer
 * needs it.
 */
export async function beginMail(
  tx: Tx,
  secretBox: SecretBox,
  { mailId }: SendMailInput,
): Promise<{ material: MailMaterial } | { outcome: SendMailOutcome }> {
  const row = await lockQueued(tx, mailId);
  if (row === null) return { outcome: { state: "over" } };
  const recipient = await findRecipient(tx, row);
  if (recipient === null) {
    await finish(tx, row, { state: "cancelled" });
    return { outcome: { state: "over" } };
  }
  const { accountId, id, kind, conversationId, appointmentId, sealed } = row;
  const account = await tx.manager.findOneByOrFail(Account, { id: accountId });
  const context = mailContext(accountId, row.userLinkId ?? 0);
  const token = sealed === null ? null : secretBox.open(sealed, context);
  const locale = asLocale(recipient.locale ?? account.locale);
  const customerName = await findCustomerName(tx, row);
  const about = { conversationId, appointmentId, customerName };
  const { to } = recipient;
  return { material: { id, kind, to, locale, accountName: account.name, token, ...about } };
}

/** Stores the mail server's answer. The token is deleted once the mail is sent or has failed. */
export async function completeMail(
  tx: Tx,
  { mailId }: SendMailInput,
  answer: MailAnswer,
): Promise<SendMailOutcome> {
  const row = await lockQueued(tx, mailId);
  if (row === null) return { state: "over" };
  const tries = row.tries + 1;
  if (answer.kind === "sent") {
    await finish(tx, row, { state: "sent", tries, error: null });
    return { state: "sent" };
  }
  const error = answer.code.slice(0, 64);
  const waitMs = answer.kind === "permanent" ? undefined : mailWaitsMs[tries - 1];
  if (waitMs === undefined) {
    await finish(tx, row, { state: "failed", tries, error });
    return { state: "failed" };
  }
  const dueAt = new Date(tx.now.getTime() + waitMs);
  await tx.manager.update(Mail, row.id, { tries, error, dueAt });
  return { state: "waiting", waitMs };
}

async function lockQueued(tx: Tx, id: number): Promise<Mail | null> {
  const row = await tx.manager.findOne(Mail, {
    where: { id, accountId: tx.actor.accountId },
    lock: { mode: "pessimistic_write" },
  });
  return row?.state === "queued" ? row : null;
}

async function finish(tx: Tx, { id }: Mail, end: Partial<Mail>): Promise<void> {
  await tx.manager.update(Mail, id, { ...end, sealed: null, keyId: null, finishedAt: tx.now });
}
