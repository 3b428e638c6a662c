import { Mail } from "../../../db/entities/mail.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { BookingMail } from "../../model/booking-link.ts";
import type { WorkflowCommand } from "../../model/workflow/workflow-command.ts";
import type { SecretBox } from "../../secrets.ts";
import { request } from "../outbox/outbox.ts";
import { insertRow } from "../sql.ts";

/** Requests a mail with a one-time link, sent once this transaction has committed. */
export async function queueLinkMail(
  tx: Tx,
  secretBox: SecretBox,
  mail: { kind: "invitation" | "password_reset"; userLinkId: number; token: string },
): Promise<void> {
  const { accountId } = tx.actor;
  const sealed = secretBox.seal(mail.token, mailContext(accountId, mail.userLinkId));
  await queueMail(tx, {
    kind: mail.kind,
    userLinkId: mail.userLinkId,
    sealed,
    keyId: secretBox.keyIdOf(sealed),
  });
}

/**
 * Requests a mail to the customer of a booking. The address, which nothing else keeps, is sealed
 * until the mail is finished.
 */
export async function queueBookingMail(
  tx: Tx,
  secretBox: SecretBox,
  appointmentId: number,
  mail: BookingMail,
): Promise<void> {
  const context = mailContext(tx.actor.accountId, appointmentId);
  const sealed = secretBox.seal(JSON.stringify(mail), context);
  const keyId = secretBox.keyIdOf(sealed);
  await queueMail(tx, { kind: "booking_made", appointmentId, sealed, keyId });
}

/** Context of a sealed text, which opens for the mail of its own link or appointment alone. */
export function mailContext(accountId: number, ownerId: number): string {
  return `mails:sealed:${accountId}:${ownerId}`;
}

/** The command that starts the run of a mail. */
export function mailCommand({
  id: mailId,
  accountId,
}: {
  id: number;
  accountId: number;
}): WorkflowCommand {
  return {
    op: "start",
    workflow: "sendMail",
    workflowId: `send-mail-${mailId}`,
    taskQueue: "ops",
    input: { accountId, mailId },
    summary: `mail ${mailId}`,
  };
}

/** Requests a mail, sent once this transaction has committed. */
export async function queueMail(tx: Tx, row: Partial<Mail>): Promise<void> {
  const { accountId } = tx.actor;
  const mailId = await insertRow(tx, Mail, {
    ...row,
    accountId,
    state: "queued",
    dueAt: tx.now,
    createdAt: tx.now,
  });
  await request(tx, mailCommand({ id: mailId, accountId }));
}
