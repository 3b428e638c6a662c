import { createHash } from "node:crypto";
import { CalendarConnection } from "../../../db/entities/calendar-connection.ts";
import { CalendlyRequest } from "../../../db/entities/calendly.ts";
import type { Tx } from "../../../db/transaction.ts";
import { request } from "../outbox/outbox.ts";
import { findOwned } from "../sql.ts";
import { calendlyRequestCommand } from "./calendly-commands.ts";

/** The connected account of Calendly behind a webhook URL, or null. Accounts of all customers. */
export async function findCalledCalendly(tx: Tx, slug: string): Promise<CalendarConnection | null> {
  const row = await tx.manager.findOneBy(CalendarConnection, {
    slug,
    provider: "calendly",
    state: "connected",
  });
  return row === null || row.sealed === null ? null : row;
}

/**
 * Stores a signed webhook and requests its run. The same bytes are stored once.
 * @returns false for a repetition
 */
export async function storeCalendlyRequest(
  tx: Tx,
  { connectionId, body }: { connectionId: number; body: Buffer },
): Promise<boolean> {
  const { accountId } = tx.actor;
  const hash = createHash("sha256").update(body).digest();
  const { insertId, affectedRows } = await tx.manager.query<{
    insertId: number;
    affectedRows: number;
  }>(
    `INSERT IGNORE INTO calendly_requests
       (account_id, connection_id, hash, body, state, received_at) VALUES (?, ?, ?, ?, 'queued', ?)`,
    [accountId, connectionId, hash, body, tx.now],
  );
  if (affectedRows === 0) return false;
  await request(tx, calendlyRequestCommand({ id: insertId, accountId }));
  return true;
}

/** A stored webhook that nobody has applied yet, or null. */
export async function findQueuedRequest(tx: Tx, id: number): Promise<CalendlyRequest | null> {
  const row = await findOwned(tx, CalendlyRequest, { id });
  return row?.state === "queued" ? row : null;
}

/** Ends a webhook. Its body is deleted, as it holds personal data; its hash stays. */
export async function endCalendlyRequest(
  tx: Tx,
  id: number,
  state: "applied" | "ignored",
): Promise<void> {
  const { accountId } = tx.actor;
  await tx.manager.update(CalendlyRequest, { id, accountId }, { state, body: null });
}
