import type { Export } from "../../../db/entities/export.ts";
import { Contact } from "../../../db/entities/contact.ts";
import type { Tx } from "../../../db/transaction.ts";
import { In } from "typeorm";
import { listAppointmentsAfter, type AppointmentFilter } from "../appointments/appointment-list.ts";
import { presentAppointments } from "../appointments/appointment-views.ts";
import { loadRecords } from "../contacts/contact-records.ts";
import { contactConditions, type ContactFilter } from "../contacts/contacts.ts";
import { readDeliveryPage, type DeliveryFilter } from "../deliveries/deliveries.ts";
import { presentContactRows } from "../read-models/contact-list.ts";
import { inOrder } from "../sql.ts";

/** Rows of one page of an export. */
export const exportPageSize = 1_000;

/** Position of the last row of a page: a moment in milliseconds, and an id. */
export interface ExportCursor {
  at: number;
  id: number;
}

/** One page of a table, each row as the texts of its cells. */
export interface ExportPage {
  rows: string[][];
  /** Null after the last page. */
  next: ExportCursor | null;
}

/** A table that is exported: its columns and its pages, by key. */
export interface ExportTable {
  columns: readonly string[];
  readPage(tx: Tx, filters: Export["filters"], after: ExportCursor | null): Promise<ExportPage>;
}

const contacts: ExportTable = {
  columns: [
    ..."id name phone email tags pipeline stage channel assigned_to_user_id source".split(" "),
    ..."last_activity_at created_at updated_at".split(" "),
  ],
  async readPage(tx, filters, after) {
    const page = await readContactKeys(tx, (filters ?? {}) as ContactFilter, after);
    const ids = page.map(({ id }) => id);
    const found = inOrder(ids, await tx.manager.findBy(Contact, { id: In(ids) }));
    const records = await loadRecords(tx, found);
    const views = await presentContactRows(tx, records);
    const rows = views.map((view, index) => [
      view.id,
      // A name that only stands in for a missing one is no name.
      records[index]?.row.name,
      view.phone,
      view.email,
      view.tags.join(";"),
      view.stage?.pipeline_name,
      view.stage?.stage_name,
      view.channel,
      view.assigned_to_user_id,
      records[index]?.row.source,
      view.last_activity_at,
      view.created_at,
      view.updated_at,
    ]);
    // The key of the first query: until the second one the contacts may be gone.
    const next = page.length === exportPageSize ? (page.at(-1) ?? null) : null;
    return { rows: rows.map(cellsOf), next };
  },
};

/** The moment of a contact's creation never changes, so no contact moves between two pages. */
async function readContactKeys(
  tx: Tx,
  filter: ContactFilter,
  after: ExportCursor | null,
): Promise<ExportCursor[]> {
  const { sql, values } = contactConditions(tx, filter);
  const at = after === null ? null : new Date(after.at);
  const beyond = "AND c.created_at >= ? AND (c.created_at > ? OR c.id > ?)";
  const rows = await tx.manager.query<{ id: number; createdAt: Date }[]>(
    `SELECT c.id, c.created_at AS createdAt FROM contacts c FORCE INDEX (contacts_newest)
      WHERE ${sql} ${at === null ? "" : beyond} ORDER BY c.created_at, c.id LIMIT ?`,
    [...values, ...(at === null ? [] : [at, at, after?.id]), exportPageSize],
  );
  return rows.map(({ id, createdAt }) => ({ at: createdAt.getTime(), id: Number(id) }));
}

const appointments: ExportTable = {
  columns: [
    ..."id status title start_time end_time duration_minutes resource service contact_id".split(
      " ",
    ),
    ..."customer_name customer_phone source cancel_reason cancelled_at created_at".split(" "),
  ],
  async readPage(tx, filters, after) {
    const bounds = { after: after?.id ?? 0, limit: exportPageSize };
    const filter = withMoments<AppointmentFilter>(filters, ["from", "to"]);
    const { rows, next } = await listAppointmentsAfter(tx, filter, bounds);
    const views = await presentAppointments(tx, rows);
    const cells = views.map((view) => [
      view.id,
      view.status,
      view.title,
      view.start_time,
      view.end_time,
      view.duration_minutes,
      view.resource_name,
      view.service_name,
      view.contact_id,
      view.customer_name,
      view.customer_phone,
      view.source,
      view.cancel_reason,
      view.cancelled_at,
      view.created_at,
    ]);
    return { rows: cells.map(cellsOf), next: cursorOf(next) };
  },
};

const deliveries: ExportTable = {
  columns: [
    ..."id event_id event_type subscription_id state reason attempts_made contact_id".split(" "),
    ..."contact status_code error_class duration_ms next_attempt_at created_at".split(" "),
  ],
  async readPage(tx, filters, after) {
    const filter = withMoments<DeliveryFilter>(filters, ["since", "until"]);
    const bounds = { limit: exportPageSize, before_id: after?.id };
    const { rows, next } = await readDeliveryPage(tx, filter, bounds);
    const cells = rows.map((row) => [
      row.id,
      row.event_id,
      row.event_type,
      row.subscription_id,
      row.state,
      row.reason,
      row.attempts_made,
      row.contact?.id,
      row.contact?.name,
      row.last_answer?.status_code,
      row.last_answer?.error_class,
      row.last_answer?.duration_ms,
      row.next_attempt_at,
      row.created_at,
    ]);
    return { rows: cells.map(cellsOf), next: cursorOf(next) };
  },
};

/** The cursor of a table that is paged by id alone. */
function cursorOf(id: number | null): ExportCursor | null {
  return id === null ? null : { at: 0, id };
}

/** The tables that can be exported, by kind. */
export const exportTables = { contacts, appointments, deliveries } as const;

/** Stored filters with their moments. */
function withMoments<Filter>(filters: Export["filters"], moments: readonly string[]): Filter {
  const entries = Object.entries(filters ?? {}).map(([name, value]) => {
    return [name, moments.includes(name) ? new Date(String(value)) : value];
  });
  return Object.fromEntries(entries) as Filter;
}

function cellsOf(row: readonly (string | number | null | undefined)[]): string[] {
  return row.map((value) => String(value ?? ""));
}
