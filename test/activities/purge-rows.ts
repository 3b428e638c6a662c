import type { DataSource } from "typeorm";

/** Inserts a row of any table. @returns its id */
export async function insertInto(
  dataSource: DataSource,
  table: string,
  row: Record<string, unknown>,
): Promise<number> {
  const names = Object.keys(row);
  const { insertId } = await dataSource.query<{ insertId: number }>(
    `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    Object.values(row),
  );
  return insertId;
}

/** A visitor's session that was last used then. */
export function visitSessionRow(at: Date, visitorId: string, tokenHash: Buffer) {
  return {
    account_id: 1,
    widget_id: 1,
    channel_account_id: 1,
    visitor_id: visitorId,
    token_hash: tokenHash,
    expires_at: at,
    locale: "en",
    last_seen_at: at,
  };
}

/** An entry of the audit log. */
export function auditRow(at: Date) {
  return {
    account_id: 1,
    actor_type: "user",
    action: "subscription.paused",
    target_type: "subscription",
    created_at: at,
  };
}

/** A webhook of Calendly that was applied. */
export function calendlyRequestRow(at: Date, hash: Buffer) {
  return { account_id: 1, connection_id: 1, hash, state: "applied", received_at: at };
}

/** A time that an event of a calendar has blocked until a moment. */
export function busyBlockRow(at: Date, eventId: string) {
  const ids = { account_id: 1, resource_id: 1, connection_id: 1 };
  return { ...ids, event_id: eventId, start_time: at, end_time: at };
}

/** An instance of a series that waited for the end of a reading. */
export function calendarChangeRow(at: Date, eventId: string) {
  const place = { account_id: 1, link_id: 1, event_id: eventId, series_id: "s" };
  return { ...place, kind: "vanished", created_at: at };
}

/** A mail that was sent. */
export function mailRow(at: Date) {
  return {
    account_id: 1,
    kind: "invitation",
    state: "sent",
    due_at: at,
    created_at: at,
  };
}

/** An import that has ended. */
export function importRow(columns: { created_at: Date } | { rows_until: Date }) {
  const facts = {
    account_id: 1,
    kind: "contacts",
    state: "done",
    size: 1,
    sha256: Buffer.alloc(32),
  };
  return Object.assign(facts, { counts: "{}", reasons: "[]" }, columns);
}

/** Inserts that make an import, and a row of one, as old as `at`. */
export function importRows(
  insert: (table: string, row: Record<string, unknown>) => Promise<number>,
) {
  return {
    import_rows: async (at: Date) => {
      const import_id = await insert("imports", importRow({ rows_until: at }));
      return await insert("import_rows", { import_id, number: 1, account_id: 1, plan: "create" });
    },
    imports: async (at: Date) => await insert("imports", importRow({ created_at: at })),
  };
}
