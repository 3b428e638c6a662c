import { beforeEach, expect, test } from "vitest";
import type { AppointmentOrder } from "../../../../core/model/appointment.ts";
import type { PageBounds } from "../../../../core/model/page.ts";
import {
  listAppointments,
  type AppointmentFilter,
} from "../../../../core/services/appointments/appointment-list.ts";
import { cancelAppointment } from "../../../../core/services/appointments/appointment-status.ts";
import {
  at,
  createTestAgenda,
  createTestResource,
  type TestAgenda,
} from "../../../support/appointments.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let agenda: TestAgenda;

beforeEach(async () => {
  agenda = await createTestAgenda(database.dataSource);
});

const list = async (
  filter: AppointmentFilter,
  page: Partial<PageBounds & { order: AppointmentOrder }> = {},
) => {
  const whole = { limit: 50, offset: 0, order: "asc" as const, ...page };
  const { rows, total } = await agenda.run((tx) => listAppointments(tx, filter, whole));
  return { ids: rows.map(({ id }) => id), total };
};
const addResource = async () =>
  await createTestResource(database.dataSource, agenda.account.accountId);

test("a range holds what is under way in it, not what only touches it", async () => {
  const ids: Record<string, number> = {};
  for (const time of ["08:00", "09:00", "10:00", "11:00", "12:00"]) {
    ids[time] = (await agenda.book({ startTime: at(time), durationMinutes: 60 })).id;
  }
  expect(await list({ from: at("10:00"), to: at("12:00") })).toEqual({
    ids: [ids["10:00"], ids["11:00"]],
    total: 2,
  });
  expect(await list({ from: at("09:59"), to: at("10:01") })).toEqual({
    ids: [ids["09:00"], ids["10:00"]],
    total: 2,
  });
});

test("the longest appointment is found from its last moment", async () => {
  const { id } = await agenda.book({ startTime: at("00:00"), durationMinutes: 1_440 });
  const end = at("00:00").getTime() + 86_400_000;
  const range = (from: number, to: number) => ({ from: new Date(from), to: new Date(to) });
  expect((await list(range(end - 1, end))).ids).toEqual([id]);
  expect((await list(range(end, end + 1))).ids).toEqual([]);
});

test("resources, contact and status narrow a list, pages follow each other, newest first if asked", async () => {
  const [second, third] = [await addResource(), await addResource()];
  const first = await agenda.book({ startTime: at("10:00") });
  const others = [
    await agenda.book({ resourceId: second, startTime: at("09:00") }),
    await agenda.book({ resourceId: third, startTime: at("11:00") }),
    await agenda.book({
      resourceId: second,
      startTime: at("08:00"),
      customer: { contactId: first.contactId },
    }),
  ];
  const [b, c, d] = others.map(({ id }) => id);
  await agenda.run((tx) => cancelAppointment(tx, { appointmentId: Number(c), source: null }));
  expect(await list({})).toEqual({ ids: [d, b, first.id, c], total: 4 });
  expect(await list({}, { limit: 2, offset: 1 })).toEqual({ ids: [b, first.id], total: 4 });
  expect((await list({}, { order: "desc" })).ids).toEqual([c, first.id, b, d]);
  expect((await list({ resource_ids: [second] })).ids).toEqual([d, b]);
  expect((await list({ resource_ids: [agenda.resourceId, third] })).ids).toEqual([first.id, c]);
  expect((await list({ contact_id: first.contactId })).ids).toEqual([d, first.id]);
  expect((await list({ status: "cancelled" })).ids).toEqual([c]);
  expect(await list({ takes_place: true })).toEqual({ ids: [d, b, first.id], total: 3 });
  const stranger = await createTestAgenda(database.dataSource);
  expect(
    await stranger.run((tx) =>
      listAppointments(tx, { contact_id: first.contactId }, { limit: 9, offset: 0, order: "asc" }),
    ),
  ).toEqual({ rows: [], total: 0, totalAtLeast: false });
});
