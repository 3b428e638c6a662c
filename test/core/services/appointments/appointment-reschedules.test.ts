import { beforeEach, expect, test } from "vitest";
import {
  commitReschedule,
  releaseReschedule,
  requestReschedule,
  type RescheduleInput,
} from "../../../../core/services/appointments/appointment-reschedules.ts";
import {
  cancelAppointment,
  completeAppointment,
  markNoShow,
} from "../../../../core/services/appointments/appointment-status.ts";
import {
  deleteResource,
  updateResource,
} from "../../../../core/services/appointments/resources.ts";
import { Resource } from "../../../../db/entities/resource.ts";
import type { Tx } from "../../../../db/transaction.ts";
import {
  afterwards,
  at,
  createTestAgenda,
  createTestResource,
  createTestService,
  openFrom,
  type TestAgenda,
} from "../../../support/appointments.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let agenda: TestAgenda;

beforeEach(async () => {
  agenda = await createTestAgenda(database.dataSource);
});

const moveOf = (appointmentId: number, given: Partial<RescheduleInput> = {}): RescheduleInput => ({
  appointmentId,
  startTime: at("18:00"),
  mode: "same",
  source: "panel",
  ...given,
});
const request = async (appointmentId: number, given: Partial<RescheduleInput> = {}) => {
  const row = await agenda.run((tx) => requestReschedule(tx, moveOf(appointmentId, given)));
  if (row === null) throw new Error("nothing to move");
  return row;
};
/** Later than any hold lasts. */
const later = (tx: Tx): Tx => ({ ...tx, now: new Date(tx.now.getTime() + 3_600_000) });

test("a move keeps the id and tells of both times, once", async () => {
  const { id } = await agenda.book();
  const elsewhere = await createTestResource(database.dataSource, agenda.account.accountId, {
    name: "Room 2",
  });
  const move = await request(id, { resourceId: elsewhere });
  const done = await agenda.trace((tx) => commitReschedule(tx, move.id));
  expect(done.result).toEqual({ state: "committed", appointmentId: id });
  expect(done.events.map(({ type, data }) => [type, data])).toEqual([
    [
      "appointment.rescheduled",
      expect.objectContaining({
        appointment_id: id,
        status: "confirmed",
        start_time: "2030-03-05T18:00:00.000Z",
        end_time: "2030-03-05T18:30:00.000Z",
        duration_minutes: 30,
        resource_id: elsewhere,
        resource_name: "Room 2",
        source: "panel",
        replaced_by_appointment_id: null,
        previous_start_time: "2030-03-05T16:00:00.000Z",
        previous_end_time: "2030-03-05T16:30:00.000Z",
        previous_resource_id: agenda.resourceId,
      }),
    ],
  ]);
  const again = await agenda.trace((tx) => commitReschedule(tx, move.id));
  expect([again.result, again.events]).toEqual([done.result, []]);
  expect(await agenda.run((tx) => releaseReschedule(tx, move.id, "late"))).toEqual(done.result);
  await agenda.book();
});

test("the AI agent's move makes a new appointment, told of first, and the old one points to it", async () => {
  const { id } = await agenda.book({ googleEventId: "g1" });
  const move = await request(id, { mode: "replace", source: "agente" });
  const done = await agenda.trace((tx) => commitReschedule(tx, move.id));
  const newId = id + 1;
  expect(done.result).toEqual({ state: "committed", appointmentId: newId });
  expect(done.events.map(({ type, data }) => [type, data])).toEqual([
    [
      "appointment.created",
      expect.objectContaining({
        appointment_id: newId,
        status: "confirmed",
        start_time: "2030-03-05T18:00:00.000Z",
        source: "agente",
        google_event_id: "g1",
        replaced_by_appointment_id: null,
      }),
    ],
    [
      "appointment.rescheduled",
      expect.objectContaining({
        appointment_id: id,
        status: "rescheduled",
        start_time: "2030-03-05T16:00:00.000Z",
        end_time: "2030-03-05T16:30:00.000Z",
        source: "agente",
        google_event_id: null,
        replaced_by_appointment_id: newId,
        previous_start_time: "2030-03-05T16:00:00.000Z",
      }),
    ],
  ]);
  expect(await agenda.read(newId)).toMatchObject({ replacesAppointmentId: id });
  const again = await agenda.trace((tx) => commitReschedule(tx, move.id));
  expect([again.result, again.events]).toEqual([done.result, []]);
  // The old time is free, and the old appointment cannot be touched any more.
  await agenda.book();
  for (const step of [cancelAppointment, completeAppointment, markNoShow]) {
    await expect(
      agenda.run((tx) => step(tx, { appointmentId: id, source: null })),
    ).rejects.toMatchObject({
      code: "appointment_replaced",
      details: { replaced_by_appointment_id: newId },
    });
  }
  await expect(request(id)).rejects.toMatchObject({ code: "appointment_replaced" });
});

test("a move holds its new time and keeps its old one until it is carried out", async () => {
  const { id } = await agenda.book();
  const move = await request(id);
  const taken = [
    ["16:15", "appointment"],
    ["18:15", "hold"],
  ] as const;
  for (const [time, reason] of taken) {
    const attempt = agenda.book({ startTime: at(time) });
    await expect(attempt).rejects.toMatchObject({ code: "slot_taken", details: { reason } });
  }
  // Nor may it stay where it is all of a sudden: the move would be carried out after that.
  for (const time of ["20:00", "16:00"]) {
    await expect(request(id, { startTime: at(time) })).rejects.toMatchObject({
      code: "reschedule_in_progress",
    });
  }
  const released = { state: "released", failureCode: "calendar_failed" };
  for (let time = 0; time < 2; time += 1) {
    const outcome = await agenda.run((tx) => releaseReschedule(tx, move.id, "calendar_failed"));
    expect(outcome).toEqual(released);
  }
  expect(await agenda.run((tx) => commitReschedule(tx, move.id))).toEqual(released);
  await agenda.book({ startTime: at("18:00") });
  expect(await agenda.read(id)).toMatchObject({ startTime: at("16:00"), status: "confirmed" });
});

test("an appointment may move by less than its length, and to where it is nothing moves", async () => {
  const { id } = await agenda.book();
  expect(
    await agenda.run((tx) => requestReschedule(tx, moveOf(id, { startTime: at("16:00") }))),
  ).toBeNull();
  const move = await request(id, { startTime: at("16:10") });
  await agenda.run((tx) => commitReschedule(tx, move.id));
  expect(await agenda.read(id)).toMatchObject({ startTime: at("16:10"), endTime: at("16:40") });
});

test("a move keeps to the rules of a booking", async () => {
  const { id } = await agenda.book();
  const { dataSource } = database;
  const { accountId } = agenda.account;
  const hours = openFrom("09:00", "17:00");
  const closed = await createTestResource(dataSource, accountId, { weeklyHours: hours });
  const serviceId = await createTestService(dataSource, accountId);
  const served = await agenda.book({ serviceId, startTime: at("08:00") });
  await dataSource.query(
    "INSERT INTO service_resources SET service_id = ?, resource_id = ?, account_id = ?",
    [serviceId, agenda.resourceId, accountId],
  );
  const refusals: [Partial<RescheduleInput>, string][] = [
    [{ startTime: new Date("2020-01-01T10:00:00Z") }, "past_time"],
    [{ resourceId: closed }, "outside_hours"],
    [
      { appointmentId: served.id, resourceId: closed, startTime: at("10:00") },
      "service_not_offered",
    ],
    [{ endTime: at("18:00") }, "validation_error"],
    [{ endTime: new Date(at("18:00").getTime() + 86_400_001) }, "validation_error"],
    [{ resourceId: 999_999 }, "validation_error"],
    [{ appointmentId: 999_999 }, "appointment_not_found"],
  ];
  for (const [given, code] of refusals) {
    await expect(request(id, given)).rejects.toMatchObject({ code });
  }
  const move = await request(id, { resourceId: closed, endTime: at("19:00"), outsideHours: true });
  await agenda.run((tx) => commitReschedule(tx, move.id));
  expect(await agenda.read(id)).toMatchObject({ resourceId: closed, endTime: at("19:00") });
});

test("a hold that ran out is nobody's: whoever comes first has the time", async () => {
  const { id } = await agenda.book();
  const move = await request(id);
  // Nobody came: it is carried out all the same.
  expect(await agenda.run((tx) => commitReschedule(later(tx), move.id))).toMatchObject({
    state: "committed",
  });
  const other = await agenda.book({ startTime: at("12:00") });
  const late = await request(other.id, { startTime: at("20:00") });
  await database.dataSource.query(
    "UPDATE appointment_reschedules SET expires_at = '2020-01-01' WHERE id = ?",
    [late.id],
  );
  await agenda.book({ startTime: at("20:00") });
  const { result, events } = await agenda.trace((tx) => commitReschedule(tx, late.id));
  expect([result, events]).toEqual([{ state: "released", failureCode: "slot_taken" }, []]);
  expect(await agenda.read(other.id)).toMatchObject({ startTime: at("12:00") });
});

test.each([
  [cancelAppointment, "appointment_cancelled"],
  [afterwards(completeAppointment), "appointment_completed"],
  [afterwards(markNoShow), "appointment_no_show"],
] as const)("a move under way is released by %o", async (step, failureCode) => {
  const { id } = await agenda.book();
  const move = await request(id);
  await agenda.run((tx) => step(tx, { appointmentId: id, source: "panel" }));
  const { result, events } = await agenda.trace((tx) => commitReschedule(tx, move.id));
  expect([result, events]).toEqual([{ state: "released", failureCode }, []]);
  await expect(request(id)).rejects.toMatchObject({ code: "appointment_not_confirmed" });
});

test.each<{ what: string; end: (id: number, tx: Tx) => Promise<unknown> }>([
  { what: "archived", end: (id: number, tx: Tx) => updateResource(tx, id, { archived: true }) },
  // It is archived, too: the move is on its way there.
  { what: "deleted", end: (id: number, tx: Tx) => deleteResource(tx, id) },
  { what: "gone", end: (id: number, tx: Tx) => tx.manager.delete(Resource, id) },
])("a move to a resource that is $what meanwhile ends, and nothing moves", async ({ end }) => {
  const { id } = await agenda.book();
  const { accountId } = agenda.account;
  const elsewhere = await createTestResource(database.dataSource, accountId);
  const move = await request(id, { resourceId: elsewhere });
  await agenda.run((tx) => end(elsewhere, tx));
  const { result, events } = await agenda.trace((tx) => commitReschedule(tx, move.id));
  expect([result, events]).toEqual([{ state: "released", failureCode: "resource_archived" }, []]);
  expect(await agenda.read(id)).toMatchObject({
    resourceId: agenda.resourceId,
    startTime: at("16:00"),
  });
});

test("a resource that a move is on its way to is archived rather than deleted", async () => {
  const { id } = await agenda.book();
  const { accountId } = agenda.account;
  const elsewhere = await createTestResource(database.dataSource, accountId);
  const move = await request(id, { resourceId: elsewhere });
  expect(await agenda.run((tx) => deleteResource(tx, elsewhere))).toBe(true);
  await agenda.run((tx) => releaseReschedule(tx, move.id, "given_up"));
  expect(await agenda.run((tx) => deleteResource(tx, elsewhere))).toBe(false);
});

test("two appointments never end up in one place, also when each moves to the other's at once", async () => {
  for (let round = 0; round < 5; round += 1) {
    const day = (time: string) => new Date(at(time).getTime() + round * 86_400_000);
    const [one, two] = [
      await agenda.book({ startTime: day("08:00") }),
      await agenda.book({ startTime: day("09:00") }),
    ];
    const outcomes = await Promise.allSettled([
      request(one.id, { startTime: day("09:00") }),
      request(two.id, { startTime: day("08:00") }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  }
});
