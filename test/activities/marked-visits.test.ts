import { afterEach, beforeEach, expect, test } from "vitest";
import {
  completeAppointment,
  markNoShow,
} from "../../core/services/appointments/appointment-status.ts";
import { createTestDatabase } from "../support/database.ts";
import { useFixture } from "../support/use-fixture.ts";
import {
  adaCalendar,
  createReadingFixture,
  from,
  soon,
  visit,
  type ReadingFixture,
} from "./calendar-reading-fixture.ts";

const database = useFixture(createTestDatabase);
let fixture: ReadingFixture;

beforeEach(async () => {
  fixture = await createReadingFixture(database);
});

afterEach(async () => {
  await fixture.stop();
});

/** Marks all appointments of the agenda, as somebody does after their end. */
async function markAll(step: typeof markNoShow): Promise<void> {
  const rows = await fixture.sql<{ id: number }>(
    "SELECT id FROM appointments WHERE account_id = ?",
    [fixture.account.accountId],
  );
  const now = new Date(soon("00:00", 60));
  for (const { id } of rows) {
    const mark = { appointmentId: Number(id), source: "panel" };
    await fixture.run((tx) => step(Object.assign({}, tx, { now }), mark));
  }
}

test.each([
  ["no_show", markNoShow],
  ["completed", completeAppointment],
] as const)(
  "a visit marked as %s is confirmed again by a new time there alone",
  async (status, step) => {
    const { google } = fixture;
    await fixture.readAll();
    const { id } = google.insert(adaCalendar, visit("15:00", "16:00"));
    await fixture.readAll();
    await markAll(step);
    await fixture.events();
    google.change(adaCalendar, id, { summary: "Control", colorId: "3" });
    await fixture.readAll();
    expect(await fixture.events()).toEqual([]);
    expect(await fixture.shown()).toEqual([`15:00 ${status} Eva`]);
    google.change(adaCalendar, id, from("17:00", "18:00"));
    await fixture.readAll();
    expect(await fixture.events()).toEqual(["appointment.rescheduled"]);
    expect(await fixture.shown()).toEqual(["17:00 confirmed Eva"]);
    const taken = fixture.book({ startTime: new Date(soon("17:00")) });
    await expect(taken).rejects.toMatchObject({ code: "slot_taken" });
    await fixture.readAll();
    expect(await fixture.events()).toEqual([]);
  },
);

test("a marked visit of a series moves with its series, and a split leaves the mark", async () => {
  const { google } = fixture;
  await fixture.readAll();
  const weekly = { recurrence: ["RRULE:FREQ=WEEKLY;COUNT=3"] };
  google.insert(adaCalendar, Object.assign(visit("15:00", "16:00"), weekly));
  await fixture.readAll();
  await markAll(markNoShow);
  await fixture.events();
  const [, second] = google.list(adaCalendar);
  google.split(adaCalendar, second?.id ?? "", { summary: "Control" });
  await fixture.readAll();
  expect(await fixture.events()).toEqual([]);
  expect(await fixture.shown()).toEqual(Array.from({ length: 3 }, () => "15:00 no_show Eva"));
  const [, moved] = google.list(adaCalendar);
  google.split(adaCalendar, moved?.id ?? "", from("17:00", "18:00", 9));
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["appointment.rescheduled", "appointment.rescheduled"]);
  expect(await fixture.shown()).toEqual([
    "15:00 no_show Eva",
    "17:00 confirmed Eva",
    "17:00 confirmed Eva",
  ]);
});
