import { Appointment } from "../../../db/entities/appointment.ts";
import { Mail } from "../../../db/entities/mail.ts";
import { Resource, Service } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { CalendarEntry } from "../../calendars/calendar-file.ts";
import { bookingMail } from "../../model/booking-link.ts";
import type { MailKind } from "../../model/mail.ts";
import { asLocale, type Locale } from "../../model/user.ts";
import {
  mailWaitsMs,
  type SendMailInput,
  type SendMailOutcome,
} from "../../model/workflow/mailing.ts";
import type { SecretBox } from "../../secrets.ts";
import { companyOf, getAccount } from "../accounts/accounts.ts";
import { mailContext } from "../accounts/mails.ts";
import { findOwned } from "../sql.ts";
import { findCustomerName, findRecipient } from "./mail-recipients.ts";

/** Content and recipient of a mail. */
export interface MailMaterial {
  id: number;
  kind: MailKind;
  to: string;
  locale: Locale;
  accountName: string;
  customerName: string | null;
  facts?: string[];
  /** The appointment for the reader's calendar. */
  appointment?: MailedAppointment;
  /** Path of the page in the mail. It may hold a token. */
  path: string;
}

/** An appointment that a mail confirms, without the host of its UID. */
export interface MailedAppointment extends Omit<CalendarEntry, "uid"> {
  id: number;
}

/** The mail server's answer to one try. `code` holds no address. */
export type MailAnswer =
  | { kind: "sent" }
  | { kind: "transient"; code: string }
  | { kind: "permanent"; code: string };

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
  const read = row.kind === "booking_made" ? readBookingMail : readMemberMail;
  const content = await read(tx, secretBox, row);
  if (content !== null) return { material: { id: row.id, kind: row.kind, ...content } };
  await finish(tx, row, { state: "cancelled" });
  return { outcome: { state: "over" } };
}

type MailContent = Omit<MailMaterial, "id" | "kind">;

/** A mail to a member of the account. Null if the member no longer needs it. */
async function readMemberMail(
  tx: Tx,
  secretBox: SecretBox,
  row: Mail,
): Promise<MailContent | null> {
  const recipient = await findRecipient(tx, row);
  if (recipient === null) return null;
  const account = await getAccount(tx);
  const locale = asLocale(recipient.locale ?? account.locale);
  const customerName = await findCustomerName(tx, row);
  const path = pathOf(row, unseal(secretBox, row));
  return { to: recipient.to, locale, accountName: account.name, customerName, path };
}

function pathOf({ conversationId, appointmentId }: Mail, token: string | null): string {
  if (token !== null) return `/link#token=${token}`;
  if (appointmentId !== null) return `/appointments?appointment=${appointmentId}`;
  return `/inbox/${conversationId}`;
}

/** A mail to the customer of a booking. Null if the appointment is cancelled, over or erased. */
async function readBookingMail(
  tx: Tx,
  secretBox: SecretBox,
  row: Mail,
): Promise<MailContent | null> {
  const sealed = unseal(secretBox, row);
  const appointment = await findOwned(tx, Appointment, { id: row.appointmentId ?? 0 });
  if (sealed === null || appointment?.status !== "confirmed") return null;
  if (appointment.endTime <= tx.now) return null;
  const { to, locale, path } = bookingMail.parse(JSON.parse(sealed));
  const { name, address } = companyOf(await getAccount(tx));
  const resource = await findOwned(tx, Resource, { id: appointment.resourceId });
  const service = await findOwned(tx, Service, { id: appointment.serviceId ?? 0 });
  const when = fullTime(appointment.startTime, locale, resource?.timeZone ?? "UTC");
  const facts = [service?.name, when, resource?.name, address].filter(
    (text) => typeof text === "string",
  );
  const mailed: MailedAppointment = {
    id: appointment.id,
    recurrenceId: null,
    sequence: appointment.version,
    isCancelled: false,
    start: appointment.startTime,
    end: appointment.endTime,
    updatedAt: appointment.updatedAt,
    summary: `${service?.name ?? appointment.title}, ${name}`,
    location: address,
  };
  return { to, locale, accountName: name, customerName: null, facts, appointment: mailed, path };
}

function unseal(secretBox: SecretBox, row: Mail): string | null {
  const { accountId, sealed } = row;
  const ownerId = row.userLinkId ?? row.appointmentId ?? 0;
  return sealed === null ? null : secretBox.open(sealed, mailContext(accountId, ownerId));
}

/** A time in the zone of the company, which is named. */
function fullTime(moment: Date, locale: Locale, timeZone: string): string {
  const format = new Intl.DateTimeFormat(locale, {
    timeZone,
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZoneName: "short",
  });
  return format.format(moment);
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
