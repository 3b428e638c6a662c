import { setTimeout as sleep } from "node:timers/promises";
import { readdirSync, readFileSync } from "node:fs";
import mysql, { type Connection } from "mysql2/promise";
import type { Installation } from "./installation.ts";
import type { EventLine, Ledger, ResourceLine } from "./ledger.ts";

/** The state in MySQL. */
export type StoredBook = Pick<
  Ledger,
  "events" | "contacts" | "deliveries" | "attempts" | "discardNotices" | "outboxRows"
>;

/** Opens a connection without a proxy for one piece of work. */
export async function withMysql<T>(
  { databaseUrl }: Pick<Installation, "databaseUrl">,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await mysql.createConnection({
    uri: databaseUrl,
    timezone: "Z",
    connectTimeout: 5_000,
  });
  try {
    return await work(connection);
  } finally {
    connection.destroy();
  }
}

/** Timeout in ms of a query, so that no check waits forever for a broken server. */
const timeout = 60_000;

/** Reads all rows of a query. The caller asserts their shape. */
export async function readRows<T>(connection: Connection, sql: string): Promise<T[]> {
  const [rows] = await connection.query({ sql, timeout });
  return rows as T[];
}

/** Reads the state that the invariants need. */
export async function readStoredBook(installation: Installation): Promise<StoredBook> {
  return await withMysql(installation, async (connection) => {
    const read = async <T>(sql: string) => await readRows<T>(connection, sql);
    const contacts = await read<{
      id: number;
      accountId: number;
      phone: string;
      tags: string | null;
    }>(
      `SELECT c.id, c.account_id AS accountId, c.phone, GROUP_CONCAT(t.tag) AS tags
         FROM contacts c LEFT JOIN contact_tags t ON t.contact_id = c.id GROUP BY c.id`,
    );
    const events = await read<Omit<EventLine, "at"> & { occurredAt: Date }>(
      `SELECT BIN_TO_UUID(id) AS id, account_id AS accountId, type, contact_id AS contactId, body,
              occurred_at AS occurredAt FROM events`,
    );
    const [outbox] = await read<{ total: number }>("SELECT COUNT(*) AS total FROM outbox");
    return {
      contacts: contacts.map(({ tags, ...contact }) => ({
        ...contact,
        tags: tags?.split(",") ?? [],
      })),
      events: events.map(({ occurredAt, ...event }) => ({
        ...event,
        at: occurredAt.getTime() - performance.timeOrigin,
      })),
      deliveries: await read(
        `SELECT id, account_id AS accountId, BIN_TO_UUID(event_id) AS eventId,
                subscription_id AS subscriptionId, state, run, via FROM deliveries`,
      ),
      attempts: await read(
        `SELECT delivery_id AS deliveryId, run, seq, number, posts, status_code AS statusCode
           FROM delivery_attempts`,
      ),
      discardNotices: await read(
        `SELECT account_id AS accountId, delivery_id AS deliveryId, dedupe_key AS dedupeKey
           FROM notifications WHERE kind = 'delivery_discarded'`,
      ),
      outboxRows: outbox?.total ?? 0,
    };
  });
}

/** Number of unfinished deliveries and outbox rows. */
export interface OpenWork {
  deliveries: number;
  outbox: number;
}

export async function readOpenWork(installation: Installation): Promise<OpenWork> {
  return await withMysql(installation, async (connection) => {
    const [open] = await readRows<OpenWork>(
      connection,
      `SELECT (SELECT COUNT(*) FROM deliveries WHERE state IN ('queued', 'sending', 'waiting')) AS deliveries,
              (SELECT COUNT(*) FROM outbox) AS outbox`,
    );
    return open ?? { deliveries: 0, outbox: 0 };
  });
}

interface OpenDelivery {
  id: number;
  state: string;
  run: number;
  attempts: number;
  url: string;
  due: string | null;
  asked: string | null;
}

/** Text about the oldest unfinished deliveries. */
export async function describeOpenDeliveries(installation: Installation): Promise<string> {
  return await withMysql(installation, async (connection) => {
    const open = await readRows<OpenDelivery>(
      connection,
      `SELECT d.id, d.state, d.run, d.attempts_made AS attempts, s.url,
              CAST(COALESCE(d.next_attempt_at, d.discard_at) AS CHAR) AS due,
              (SELECT CONCAT_WS(' ', o.kind, 'row, attempt', o.attempts, o.last_error, 'due', o.available_at)
                 FROM outbox o WHERE o.delivery_id = d.id LIMIT 1) AS asked
         FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
        WHERE d.state IN ('queued', 'sending', 'waiting') ORDER BY d.id LIMIT 5`,
    );
    const told = open.map(
      ({ id, state, run, attempts, url, due, asked }) =>
        `delivery ${id} of run ${run} to ${url}, ${state} after ${attempts}, due ${due}, ${asked ?? "without a row"}`,
    );
    return told.join("; ");
  });
}

/** Number of recorded attempts without an outcome. */
export async function countUnderWay(installation: Installation): Promise<number> {
  return await withMysql(installation, async (connection) => {
    const [row] = await readRows<{ total: number }>(
      connection,
      "SELECT COUNT(*) AS total FROM delivery_attempts WHERE duration_ms IS NULL",
    );
    return row?.total ?? 0;
  });
}

/**
 * Number of connections to MySQL, without the one of this query. MySQL counts a connection for a
 * moment after its end, so the least number within a second is taken.
 */
export async function countConnections(installation: Installation): Promise<number> {
  return await withMysql(installation, async (connection) => {
    let least = Number.POSITIVE_INFINITY;
    for (let looks = 0; looks < 10; looks += 1) {
      if (looks > 0) await sleep(100);
      const [row] = await readRows<{ total: number }>(
        connection,
        "SELECT COUNT(*) AS total FROM information_schema.processlist WHERE user = 'parley'",
      );
      least = Math.min(least, (row?.total ?? 1) - 1);
    }
    return least;
  });
}

/** Memory and handles of the running processes. */
export function readResources({ apis, workers }: Installation): ResourceLine[] {
  return [...apis, ...workers]
    .filter((one) => one.isRunning())
    .map((one) => {
      const pid = one.pid();
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      return {
        process: one.name,
        pid,
        residentMb: Math.round(Number(/^VmRSS:\s*(\d+)/m.exec(status)?.[1]) / 1_024),
        handles: readdirSync(`/proc/${pid}/fd`).length,
      };
    });
}

/** CPU time of a process in seconds. */
export function readCpuSeconds(pid: number): number {
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [userTicks, systemTicks] = fields.split(" ").slice(11, 13).map(Number);
  return ((userTicks ?? 0) + (systemTicks ?? 0)) / 100;
}
