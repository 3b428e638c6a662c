import { beforeEach, expect, test } from "vitest";
import {
  cancelAppointment,
  completeAppointment,
  markNoShow,
  reactivateAppointment,
} from "../../../../core/services/appointments/appointment-status.ts";
import { requestReschedule } from "../../../../core/services/appointments/appointment-reschedules.ts";
import {
  afterwards,
  at,
  createTestAgenda,
  type TestAgenda,
} from "../../../support/appointments.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let agenda: TestAgenda;

beforeEach(async () => {
  agenda = await createTestAgenda(database.dataSource);
});

const steps = {
  cancel: cancelAppointment,
  reactivate: reactivateAppointment,
  complete: afterwards(completeAppointment),
  noShow: afterwards(markNoShow),
};
const take = async (step: keyof typeof steps, appointmentId: number) =>
  await agenda.trace((tx) => steps[step](tx, { appointmentId, source: "panel" }));

test("a cancelled appointment is told of once, frees its time, and keeps the reason", async () => {
  const { id } = await agenda.book();
  const done = await agenda.trace((tx) =>
    cancelAppointment(tx, { appointmentId: id, source: "voz", reason: "ill" }),
  );
  expect(done.events.map(({ type, data }) => [type, data])).toEqual([
    [
      "appointment.cancelled",
      expect.objectContaining({ appointment_id: id, status: "cancelled", source: "voz" }),
    ],
  ]);
  expect((await take("cancel", id)).events).toEqual([]);
  expect(await agenda.read(id)).toMatchObject({
    status: "cancelled",
    cancelReason: "ill",
    cancelledAt: expect.any(Date),
    source: "enlace",
    version: 2,
  });
  await agenda.book();
});

test("a cancelled appointment comes back with its id, if its time is free", async () => {
  const { id } = await agenda.book();
  await take("cancel", id);
  const other = await agenda.book({ startTime: at("16:15") });
  await expect(take("reactivate", id)).rejects.toMatchObject({ code: "slot_taken" });
  await take("cancel", other.id);
  const { events } = await take("reactivate", id);
  expect(events.map(({ type, data }) => [type, data.appointment_id, data.status])).toEqual([
    ["appointment.created", id, "confirmed"],
  ]);
  expect(await agenda.read(id)).toMatchObject({ cancelReason: null, cancelledAt: null });
  expect((await take("reactivate", id)).events).toEqual([]);
});

test("what was agreed elsewhere may have begun, and comes back after it has passed", async () => {
  const startTime = new Date("2024-03-05T16:00:00.000Z");
  await expect(agenda.book({ startTime })).rejects.toMatchObject({ code: "past_time" });
  const { id } = await agenda.book({ startTime, source: "google", allowPast: true });
  await take("cancel", id);
  expect((await take("reactivate", id)).result).toMatchObject({ status: "confirmed", startTime });
});

test("completed, no-show and confirmed follow each other and nobody is told", async () => {
  const { id } = await agenda.book();
  const statuses: string[] = [];
  const chain = ["complete", "noShow", "complete", "reactivate", "noShow", "reactivate"] as const;
  for (const step of chain) {
    const { events, result } = await take(step, id);
    expect(events).toEqual([]);
    statuses.push(result.status);
  }
  expect(statuses).toEqual([
    "completed",
    "no_show",
    "completed",
    "confirmed",
    "no_show",
    "confirmed",
  ]);
});

test.each([completeAppointment, markNoShow])("%o waits for the visit to begin", async (step) => {
  const { id } = await agenda.book();
  const input = { appointmentId: id, source: "panel" };
  const takeAt = async (now: Date) => await agenda.run((tx) => step({ ...tx, now }, input));
  await expect(takeAt(new Date(at("16:00").getTime() - 1))).rejects.toMatchObject({
    code: "appointment_not_begun",
    details: { start_time: at("16:00").toISOString() },
  });
  expect(await agenda.read(id)).toMatchObject({ status: "confirmed", version: 1 });
  expect((await takeAt(at("16:00"))).status).not.toBe("confirmed");
});

test("a completed visit keeps its time; that of a no-show may be given away, and then is", async () => {
  const { id } = await agenda.book();
  await take("complete", id);
  await expect(agenda.book()).rejects.toMatchObject({ code: "slot_taken" });
  await take("noShow", id);
  await agenda.book();
  for (const step of ["reactivate", "complete"] as const) {
    await expect(take(step, id)).rejects.toMatchObject({ code: "slot_taken" });
  }
  expect(await agenda.read(id)).toMatchObject({ status: "no_show" });
});

test.each(["complete", "noShow"] as const)("a cancelled appointment refuses %s", async (step) => {
  const { id } = await agenda.book();
  await take("cancel", id);
  await expect(take(step, id)).rejects.toMatchObject({ code: "appointment_not_confirmed" });
});

test.each(["cancel", "complete", "noShow"] as const)(
  "%s gives up a move that is under way, and the time that it held",
  async (step) => {
    const { id } = await agenda.book();
    const move = {
      appointmentId: id,
      startTime: at("18:00"),
      mode: "same",
      source: "panel",
    } as const;
    await agenda.run((tx) => requestReschedule(tx, move));
    await expect(agenda.book({ startTime: at("18:00") })).rejects.toMatchObject({
      code: "slot_taken",
    });
    await take(step, id);
    await agenda.book({ startTime: at("18:00") });
  },
);
