import type { DataSource } from "typeorm";
import { beforeAll, expect, test } from "vitest";
import { listBusy } from "../../core/services/appointments/resource-times.ts";
import { listReschedules } from "../../core/services/appointments/appointment-holds.ts";
import {
  listAppointments,
  listAppointmentsAfter,
  type AppointmentFilter,
} from "../../core/services/appointments/appointment-list.ts";
import {
  deleteAppointments,
  moveAppointments,
} from "../../core/services/appointments/contact-appointments.ts";
import { countOtherLength } from "../../core/services/appointments/offered-services.ts";
import { listOpeningTimes } from "../../core/services/appointments/opening-times.ts";
import { countOutside } from "../../core/services/appointments/resources.ts";
import { Resource, Service } from "../../db/entities/resource.ts";
import { transaction, type Tx } from "../../db/transaction.ts";
import { createTestDatabase } from "../support/database.ts";
import { explain, explainTable, type Work } from "../support/query-plans.ts";
import { useFixture } from "../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let dataSource: DataSource;
/** Of account 2, as every look is: 100,000 appointments of half an hour, from 2028 on. */
const resourceId = 2;
const rows = 100_000;
const month = { start: new Date("2030-03-01T06:00:00Z"), end: new Date("2030-04-01T06:00:00Z") };
const inMonth = { from: month.start, to: month.end };
const page = { limit: 1_000, offset: 0, order: "asc" } as const;

beforeAll(async () => {
  ({ dataSource } = database);
  await dataSource.query("SET SESSION cte_max_recursion_depth = 1000000");
  const fill = async (table: string, count: number, columns: string, select: string) =>
    await dataSource.query(
      `INSERT INTO ${table} (${columns}) WITH RECURSIVE n (i) AS
         (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT ${select} FROM n`,
    );
  const start = "TIMESTAMPADD(MINUTE, 30 * i, '2028-01-01')";
  const end = "TIMESTAMPADD(MINUTE, 30 * i + 30, '2028-01-01')";
  const times = "start_time, end_time, blocked_from, blocked_until";
  const spans = `${start}, ${end}, ${start}, ${end}`;
  const facts = "contact_id, service_id, status, title, customer_name";
  const fact = (count: number) =>
    `1 + i % ${count}, 1 + i % 20, ELT(1 + i % 5, 'confirmed', 'confirmed', 'completed', 'no_show', 'cancelled'), 't', 'n'`;
  // The one resource is most of its account; others stand beside it, in it and elsewhere.
  await fill(
    "appointments",
    rows,
    `account_id, resource_id, ${times}, ${facts}`,
    `2, ${resourceId}, ${spans}, ${fact(10_000)}`,
  );
  await fill(
    "appointments",
    20_000,
    `account_id, resource_id, ${times}, ${facts}`,
    `1 + i % 4, 10 + i % 8, ${spans}, ${fact(10_000)}`,
  );
  await fill(
    "appointment_reschedules",
    3_000,
    `account_id, appointment_id, resource_id, ${times}, mode, state, expires_at`,
    `2, i, ${resourceId}, ${spans}, 'same', ELT(1 + i % 30, 'requested', ${"'committed', ".repeat(28)}'released'), NOW()`,
  );
  await fill(
    "resource_closures",
    3_000,
    "account_id, resource_id, start_time, end_time",
    `IF(i % 30 = 0, 2, 3), IF(i % 30 = 0, ${resourceId}, 10 + i % 8), ${start}, ${end}`,
  );
  await dataSource.query(
    `INSERT INTO resources (id, account_id, name, time_zone, weekly_hours) VALUES (?, 2, 'r', 'UTC',
       '{"monday":[],"tuesday":[],"wednesday":[],"thursday":[],"friday":[],"saturday":[],"sunday":[]}')`,
    [resourceId],
  );
  await dataSource.query(
    "INSERT INTO services (id, account_id, name, duration_minutes) VALUES (5, 2, 's', 30)",
  );
  await fill(
    "calendar_links",
    3_000,
    "account_id, connection_id, resource_id, provider, calendar_id",
    "2, i, i, 'google', 'c'",
  );
  await fill(
    "calendar_events",
    3_000,
    "account_id, appointment_id, link_id, event_id",
    "2, 1 + i DIV 2, 1 + i % 2, CONCAT('e', i)",
  );
  await dataSource.query(
    "ANALYZE TABLE appointments, appointment_reschedules, resource_closures, calendar_links, calendar_events",
  );
});

const indexesOf = async (work: Work, table: string) => await explainTable(dataSource, work, table);

test.each<[string, AppointmentFilter, string]>([
  ["a month of one resource", { ...inMonth, resource_ids: [resourceId] }, "appointments_resource"],
  [
    "of one resource and status",
    { ...inMonth, resource_ids: [resourceId], status: "confirmed" },
    "appointments_resource",
  ],
  ["a month of all", inMonth, "appointments_account"],
  ["of several resources", { ...inMonth, resource_ids: [2, 11] }, "appointments_account"],
  ["of a contact", { contact_id: 7 }, "appointments_contact"],
  ["everything", {}, "appointments_account"],
])("appointments are listed, %s, in the order of an index", async (_, filter, key) => {
  for (const order of ["asc", "desc"] as const) {
    const list = (tx: Tx) => listAppointments(tx, filter, { ...page, order });
    expect(await indexesOf(list, "a")).toEqual(new Set([key]));
  }
});

test.each<[string, AppointmentFilter, string[]]>([
  ["all of them", {}, ["appointments_id"]],
  ["a month of one resource", { ...inMonth, resource_ids: [resourceId] }, ["appointments_id"]],
  ["those of a contact, which are few", { contact_id: 7 }, ["appointments_contact", "sorted"]],
])("an export reads %s by their ids", async (_, filter, indexes) => {
  const read = (tx: Tx) => listAppointmentsAfter(tx, filter, { after: 5_000, limit: 1_000 });
  expect(await indexesOf(read, "a")).toEqual(new Set(indexes));
});

test("one contact's next appointments are found by the contact and sorted: they are few", async () => {
  const list = (tx: Tx) => listAppointments(tx, { contact_id: 7 }, { ...page, order: "next" });
  expect(await indexesOf(list, "a")).toEqual(new Set(["appointments_contact", "sorted"]));
});

test("a month of a resource with 100,000 appointments reads little more than the month", async () => {
  const actor = { type: "system", accountId: 2 } as const;
  await transaction(dataSource, { actor }, async (tx) => {
    const before = await readRows(tx);
    const { total } = await listAppointments(tx, { ...inMonth, resource_ids: [resourceId] }, page);
    expect(total).toBe(31 * 48);
    // Once to count, up to 1,000 for the page and as many rows, and the day before the month.
    expect((await readRows(tx)) - before).toBeLessThan(total + 2 * page.limit + 300);
  });
});

/** How many rows and entries of indexes this connection has read. */
async function readRows(tx: Tx): Promise<number> {
  const counters = await tx.manager.query<{ Value: string }[]>(
    "SHOW SESSION STATUS WHERE Variable_name REGEXP '^Handler_read_(key|next|prev|rnd)$'",
  );
  return counters.reduce((sum, { Value }) => sum + Number(Value), 0);
}

test("whether a time is free is read from the indexes of the resource around that time", async () => {
  const hour = { start: new Date("2030-03-05T10:00:00Z"), end: new Date("2030-03-05T11:00:00Z") };
  const steps = await explain(dataSource, (tx) => listBusy(tx, resourceId, hour));
  expect(steps.filter(({ table }) => table === "appointments")).toMatchObject([
    { key: "appointments_resource", type: "range" },
  ]);
  expect(steps.filter(({ table }) => table === "appointment_reschedules")).toMatchObject([
    { key: "appointment_reschedules_resource" },
  ]);
});

test("the moves of an appointment are found by an index", async () => {
  const moves = (tx: Tx) => listReschedules(tx, 7, { limit: 50, offset: 0 });
  const steps = await explain(dataSource, moves);
  expect(new Set(steps.map(({ key }) => key))).toEqual(
    new Set(["appointment_reschedules_appointment"]),
  );
});

test("opening times read the closures of their resources alone", async () => {
  const opening = (tx: Tx) => listOpeningTimes(tx, month);
  const indexes = await indexesOf(opening, "ResourceClosure");
  expect(indexes).toContain("resource_closures_resource");
  expect(indexes).not.toContain("scanned");
});

test("what a change of hours or of a service leaves outside is counted by an index", async () => {
  const outside = async (tx: Tx) =>
    await countOutside(
      { ...tx, now: new Date("2033-09-01") },
      await tx.manager.findOneByOrFail(Resource, { id: resourceId }),
    );
  expect(await indexesOf(outside, "appointments")).toEqual(new Set(["appointments_resource"]));
  const other = async (tx: Tx) =>
    await countOtherLength(tx, await tx.manager.findOneByOrFail(Service, { id: 5 }));
  expect(await indexesOf(other, "appointments")).toEqual(new Set(["appointments_service"]));
});

test("a merge and an erasure find the appointments of their contact alone, with their calendars", async () => {
  const steps = await explain(dataSource, async (tx) => {
    await moveAppointments(tx, 9, 8);
    await deleteAppointments(tx, [8]);
  });
  // MySQL reads an empty table whole: there are no reminders here, and no bookings of Calendly. The
  // other table is written, and has no key.
  const others = new Set<string | null>([
    "appointment_reminders",
    "calendar_syncs",
    "calendly_invitees",
  ]);
  const read = steps.filter(({ table }) => !others.has(table) && !table?.startsWith("<union"));
  expect(read.filter(({ type }) => type === "ALL" || type === "index")).toEqual([]);
  // Without a key is what MySQL knows to be empty.
  expect(new Set(read.flatMap(({ key }) => key ?? []))).toEqual(
    new Set([
      "PRIMARY",
      "appointments_contact",
      "appointment_reschedules_appointment",
      "calendar_links_resource",
      "calendar_events_appointment",
    ]),
  );
});
