import { In } from "typeorm";
import { Appointment } from "../../../db/entities/appointment.ts";
import type { Tx } from "../../../db/transaction.ts";
import {
  maxDurationMinutes,
  type AppointmentOrder,
  type AppointmentStatus,
} from "../../model/appointment.ts";
import { mostCounted } from "../../model/wire.ts";
import { allOf, countList, inOrder, placeholders, type SqlPart } from "../sql.ts";
import { minuteMs } from "../../model/durations.ts";
import type { Page, PageBounds } from "../../model/page.ts";

/** Filters for a list of appointments. All of them apply together. */
export interface AppointmentFilter {
  /** Appointments that end after this time. */
  from?: Date | undefined;
  /** Appointments that begin before this time. */
  to?: Date | undefined;
  resource_ids?: number[] | undefined;
  contact_id?: number | undefined;
  status?: AppointmentStatus | undefined;
  /** True for appointments that are neither cancelled nor replaced. */
  takes_place?: boolean | undefined;
}

/** The account's appointments in order, with the number of matches, counted up to a cap. */
export async function listAppointments(
  tx: Tx,
  filter: AppointmentFilter,
  { limit, offset, order }: PageBounds & { order: AppointmentOrder },
): Promise<Page<Appointment>> {
  const { sql: where, values } = conditionsOf(tx, filter);
  const from = `appointments a${hintFor(filter)}`;
  const sorted = orderOf(tx, order);
  // Reads ids first, so that a far page reads the index only and not the skipped rows.
  const page = await tx.manager.query<{ id: number }[]>(
    `SELECT a.id FROM ${from} WHERE ${where} ORDER BY ${sorted.sql} LIMIT ? OFFSET ?`,
    [...values, ...sorted.values, limit, offset],
  );
  const ids = page.map(({ id }) => id);
  const found = await tx.manager.findBy(Appointment, { id: In(ids) });
  const all = { sql: `FROM ${from} WHERE ${where}`, values };
  const count = await countList(tx, all, { offset, rows: ids.length, cap: mostCounted });
  return { rows: inOrder(ids, found), ...count };
}

/**
 * A page of appointments by their id, without a count. An id never changes, so an appointment that
 * moves between two pages is neither left out nor repeated.
 * @returns the id after which the next page begins, or null after the last page
 */
export async function listAppointmentsAfter(
  tx: Tx,
  filter: AppointmentFilter,
  { after, limit }: { after: number; limit: number },
): Promise<{ rows: Appointment[]; next: number | null }> {
  const { sql: where, values } = conditionsOf(tx, filter);
  const index = filter.contact_id === undefined ? "appointments_id" : "appointments_contact";
  const page = await tx.manager.query<{ id: number }[]>(
    `SELECT a.id FROM appointments a FORCE INDEX (${index})
      WHERE ${where} AND a.id > ? ORDER BY a.id LIMIT ?`,
    [...values, after, limit],
  );
  const ids = page.map(({ id }) => Number(id));
  const rows = inOrder(ids, await tx.manager.findBy(Appointment, { id: In(ids) }));
  return { rows, next: ids.length < limit ? null : (ids.at(-1) ?? null) };
}

function orderOf(tx: Tx, order: AppointmentOrder): SqlPart {
  if (order === "asc") return { sql: "a.start_time, a.id", values: [] };
  const latest = "a.start_time DESC, a.id DESC";
  if (order === "desc") return { sql: latest, values: [] };
  const coming = "IF(a.status = 'confirmed' AND a.end_time > ?, a.start_time, NULL)";
  return { sql: `ISNULL(${coming}), ${coming}, ${latest}`, values: [tx.now, tx.now] };
}

/** Without a hint MySQL may read every appointment of the account in the requested order. */
function hintFor({ contact_id: contactId, resource_ids: resourceIds }: AppointmentFilter): string {
  if (contactId !== undefined) return " FORCE INDEX (appointments_contact)";
  const index = resourceIds?.length === 1 ? "appointments_resource" : "appointments_account";
  return ` FORCE INDEX (${index})`;
}

function conditionsOf(tx: Tx, filter: AppointmentFilter): SqlPart {
  const conditions: [string, ...unknown[]][] = [["a.account_id = ?", tx.actor.accountId]];
  const {
    from,
    to,
    status,
    takes_place: takesPlace,
    contact_id: contactId,
    resource_ids: resourceIds,
  } = filter;
  if (contactId !== undefined) conditions.push(["a.contact_id = ?", contactId]);
  if (resourceIds !== undefined) {
    conditions.push([`a.resource_id IN (${placeholders(resourceIds)})`, ...resourceIds]);
  }
  if (to !== undefined) conditions.push(["a.start_time < ?", to]);
  if (from !== undefined) {
    // The index holds start times. No appointment is long enough to reach `from` from before
    // `earliest`.
    const earliest = new Date(from.getTime() - maxDurationMinutes * minuteMs);
    conditions.push(["a.start_time > ? AND a.end_time > ?", earliest, from]);
  }
  if (status !== undefined) conditions.push(["a.status = ?", status]);
  if (takesPlace === true) conditions.push(["a.status NOT IN ('cancelled', 'rescheduled')"]);
  return allOf(conditions);
}
