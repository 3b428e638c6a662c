import { Contact } from "../../../db/entities/contact.ts";
import { Message } from "../../../db/entities/message.ts";
import { In } from "typeorm";
import type { Tx } from "../../../db/transaction.ts";
import { mayReport, type MessageError, type ReportedStatus } from "../../model/message.ts";
import { recordChanges } from "../outbox/changes.ts";
import { publish } from "../outbox/outbox.ts";
import { idsOf, presentMessageEvent } from "./message-records.ts";

/** A provider's report that a message of ours is sent, delivered or read. */
export interface Report {
  messageId: number;
  status: Exclude<ReportedStatus, "failed">;
  at: Date;
}

/** @returns true if the status is the first one that tells that the channel took the message. */
export function isAccepted({ sentAt }: Message, status: ReportedStatus): boolean {
  return status !== "failed" && sentAt === null;
}

/** Columns of a message after a report that leads forward. */
export function reportedColumns(
  message: Message,
  status: ReportedStatus,
  error: MessageError | null,
  at: Date,
): Partial<Message> {
  return {
    status,
    error,
    part: null,
    inFlightSince: null,
    nextTryAt: null,
    heldAt: null,
    ...(isAccepted(message, status) ? { sentAt: at } : {}),
    ...(status === "delivered" ? { deliveredAt: at } : {}),
    ...(status === "read" ? { deliveredAt: message.deliveredAt ?? at, readAt: at } : {}),
  };
}

/**
 * Locks messages that reports may move on without a look at their conversations. Those that have
 * failed are left out, because a report on them may end a customer's wait. So are those with a
 * caption still to go, and those of erased contacts.
 */
export async function lockReported(tx: Tx, ids: readonly number[]): Promise<Map<number, Message>> {
  const { accountId } = tx.actor;
  // In the order of ids, so that two batches wait for each other in one direction alone.
  const rows = await tx.manager.find(Message, {
    where: { id: In([...ids]), accountId },
    order: { id: "ASC" },
    lock: { mode: "pessimistic_write" },
  });
  const contacts = await tx.manager.find(Contact, {
    select: { id: true },
    where: { id: In(rows.map(({ contactId }) => contactId)) },
  });
  const known = new Set(contacts.map(({ id }) => id));
  const fit = rows.filter(
    ({ status, part, contactId }) => status !== "failed" && part === null && known.has(contactId),
  );
  return new Map(fit.map((row) => [row.id, row]));
}

/**
 * Stores reports on locked messages in their order, each at its provider's time. A report that would
 * lead backwards changes nothing. Two reports on one message are one change for live views.
 */
export async function recordReports(
  tx: Tx,
  messages: ReadonlyMap<number, Message>,
  reports: readonly Report[],
): Promise<void> {
  const changed = new Set<Message>();
  for (const { messageId, status, at } of reports) {
    const message = messages.get(messageId);
    if (message === undefined || !mayReport(message, status)) continue;
    const accepted = isAccepted(message, status);
    Object.assign(message, reportedColumns(message, status, null, at), { updatedAt: tx.now });
    changed.add(message);
    if (accepted) await publish(tx, "message.sent", presentMessageEvent(message, "outbound"));
  }
  if (changed.size === 0) return;
  await storeReported(tx, [...changed]);
  await recordChanges(
    tx,
    Array.from(changed, (message) => ({ kind: "message.updated" as const, ...idsOf(message) })),
  );
}

async function storeReported(tx: Tx, messages: readonly Message[]): Promise<void> {
  const rows = messages.map(({ id, status, sentAt, deliveredAt, readAt }) => {
    return [id, status, toText(sentAt), toText(deliveredAt), toText(readAt)];
  });
  await tx.manager.query(
    `UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$[0]', status VARCHAR(16) PATH '$[1]',
         sent_at DATETIME(3) PATH '$[2]', delivered_at DATETIME(3) PATH '$[3]',
         read_at DATETIME(3) PATH '$[4]')) AS r
       STRAIGHT_JOIN messages m ON m.id = r.id
        SET m.status = r.status, m.error = NULL, m.in_flight_since = NULL, m.next_try_at = NULL,
            m.held_at = NULL, m.sent_at = r.sent_at, m.delivered_at = r.delivered_at,
            m.read_at = r.read_at, m.updated_at = ?`,
    [JSON.stringify(rows), tx.now],
  );
}

/** A time as MySQL reads it in JSON. */
function toText(at: Date | null): string | null {
  return at === null ? null : at.toISOString().slice(0, -1).replace("T", " ");
}
