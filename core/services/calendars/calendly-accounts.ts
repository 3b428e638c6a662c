import { CalendarConnection } from "../../../db/entities/calendar-connection.ts";
import { BusyBlock } from "../../../db/entities/calendar-read.ts";
import { CalendlyAccount } from "../../../db/entities/calendly.ts";
import type { Tx } from "../../../db/transaction.ts";
import {
  calendlyCredentials,
  type CalendlyCredentials,
} from "../../calendars/calendly-credentials.ts";
import type { SecretBox } from "../../secrets.ts";
import { recordChange } from "../outbox/changes.ts";
import { findOwned, insertRow } from "../sql.ts";
import { reapplyBookings } from "./calendly-busy-blocks.ts";
import { requestCalendlyRead } from "./calendly-commands.ts";
import { openCredentials, saveConnection } from "./connections.ts";

/** A user or an event type, as Calendly names it. */
export interface CalendlyEntry {
  id: string;
  uri: string;
  name: string;
  email: string | null;
}

/** An account of Calendly that an admin connects. */
export interface FoundCalendly {
  userUri: string;
  organizationUri: string;
  scope: "organization" | "user";
  name: string;
  email: string | null;
  credentials: CalendlyCredentials;
  /** Granted scopes; none for a personal token, which names them itself or has all. */
  scopes: readonly string[];
  slug: string;
  /** Null: no webhooks are possible, for the reason. */
  subscriptionId: string | null;
  modeReason: "no_https" | "forbidden" | null;
  users: readonly CalendlyEntry[];
  eventTypes: readonly CalendlyEntry[];
}

/** A connection with Calendly and its credentials. */
export interface OpenCalendly {
  connection: CalendarConnection;
  account: CalendlyAccount;
  credentials: CalendlyCredentials;
}

/** The account's connection with this user of Calendly, connected or not; null if there is none. */
export async function findCalendlyOf(tx: Tx, userUri: string): Promise<CalendarConnection | null> {
  return await findOwned(tx, CalendarConnection, { provider: "calendly", externalId: userUri });
}

/** The credentials of a connection. @throws Error if they cannot be opened */
export function openCalendlyCredentials(
  secretBox: SecretBox,
  connection: CalendarConnection,
): CalendlyCredentials {
  return calendlyCredentials.parse(openCredentials(secretBox, connection));
}

/** A connected account of Calendly with its credentials, or null. */
export async function findOpenCalendly(
  tx: Tx,
  secretBox: SecretBox,
  connectionId: number,
): Promise<OpenCalendly | null> {
  const connection = await findOwned(tx, CalendarConnection, {
    id: connectionId,
    provider: "calendly",
    state: "connected",
  });
  if (connection === null || connection.sealed === null) return null;
  const account = await findCalendlyAccount(tx, connectionId);
  if (account === null) return null;
  return { connection, account, credentials: openCalendlyCredentials(secretBox, connection) };
}

/** Facts of a connection beside its grant, or null. */
export async function findCalendlyAccount(
  tx: Tx,
  connectionId: number,
): Promise<CalendlyAccount | null> {
  const { accountId } = tx.actor;
  return await tx.manager.findOneBy(CalendlyAccount, { connectionId, accountId });
}

/** Like `findCalendlyAccount`, and locks the row: other changes of the connection wait. */
export async function lockCalendlyAccount(
  tx: Tx,
  connectionId: number,
): Promise<CalendlyAccount | null> {
  return await tx.manager.findOne(CalendlyAccount, {
    where: { connectionId, accountId: tx.actor.accountId },
    lock: { mode: "pessimistic_write" },
  });
}

/** Stores a connected account, and has its bookings read. A known account keeps its mapping. */
export async function connectCalendly(
  tx: Tx,
  secretBox: SecretBox,
  found: FoundCalendly,
): Promise<CalendarConnection> {
  const { userUri, organizationUri, scope, subscriptionId } = found;
  const connection = await saveConnection(tx, secretBox, {
    provider: "calendly",
    externalId: userUri,
    email: found.email ?? "",
    name: found.name.slice(0, 200),
    credentials: found.credentials,
    scopes: found.scopes,
    slug: found.slug,
  });
  const { id: connectionId, accountId } = connection;
  const columns = { userUri, organizationUri, scope, subscriptionId, nextReadAt: tx.now };
  const known = await lockCalendlyAccount(tx, connectionId);
  if (known === null) {
    await insertRow(tx, CalendlyAccount, { connectionId, accountId, ...columns });
  } else {
    await tx.manager.update(CalendlyAccount, { connectionId, accountId }, columns);
    // A disconnection has freed the times of other hosts.
    await reapplyBookings(tx, connectionId);
  }
  await storeSubscription(tx, connectionId, subscriptionId, found.modeReason);
  await storeEntries(tx, connectionId, found);
  await requestCalendlyRead(tx, connectionId);
  await recordChange(tx, { kind: "calendar.updated" });
  return connection;
}

/** Stores the subscription of a connection, and so whether changes are pushed or polled. */
export async function storeSubscription(
  tx: Tx,
  connectionId: number,
  subscriptionId: string | null,
  modeReason: FoundCalendly["modeReason"],
): Promise<void> {
  const { accountId } = tx.actor;
  const mode = subscriptionId === null ? "polling" : "push";
  await tx.manager.update(CalendlyAccount, { connectionId, accountId }, { subscriptionId });
  await tx.manager.update(
    CalendarConnection,
    { id: connectionId, accountId },
    { mode, modeReason, updatedAt: tx.now },
  );
}

/** Stores the names of users and event types. Those that Calendly no longer lists stay. */
export async function storeEntries(
  tx: Tx,
  connectionId: number,
  { users, eventTypes }: Pick<FoundCalendly, "users" | "eventTypes">,
): Promise<void> {
  const { accountId } = tx.actor;
  for (const { id, uri, name, email } of users) {
    await tx.manager.query(
      `INSERT INTO calendly_users (account_id, connection_id, external_id, uri, name, email)
       VALUES (?, ?, ?, ?, ?, ?)
       ON DUPLICATE KEY UPDATE uri = VALUES(uri), name = VALUES(name), email = VALUES(email)`,
      [accountId, connectionId, id, uri, name, email],
    );
  }
  for (const { id, uri, name } of eventTypes) {
    await tx.manager.query(
      `INSERT INTO calendly_event_types (account_id, connection_id, external_id, uri, name)
       VALUES (?, ?, ?, ?, ?)
       ON DUPLICATE KEY UPDATE uri = VALUES(uri), name = VALUES(name)`,
      [accountId, connectionId, id, uri, name],
    );
  }
}

/** Stores the time of the next read; null ends the reads. */
export async function storeNextRead(
  tx: Tx,
  connectionId: number,
  nextReadAt: Date | null,
): Promise<void> {
  const { accountId } = tx.actor;
  await tx.manager.update(CalendlyAccount, { connectionId, accountId }, { nextReadAt });
}

/**
 * Ends the reads and webhooks of a connection that was disconnected, and frees the times that it
 * blocks. Its mapping stays for a later token. A run that sleeps is woken, and ends.
 */
export async function endCalendly(tx: Tx, connectionId: number): Promise<void> {
  const { accountId } = tx.actor;
  await storeSubscription(tx, connectionId, null, null);
  await storeNextRead(tx, connectionId, null);
  await tx.manager.delete(BusyBlock, { accountId, connectionId });
  await recordChange(tx, { kind: "agenda.updated" });
  await requestCalendlyRead(tx, connectionId);
}

/** Address of the webhooks of a connection. */
export function calendlyWebhookUrl(publicUrl: string, slug: string): string {
  return `${publicUrl}/api/webhooks/calendly/${slug}`;
}
