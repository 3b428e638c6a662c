import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestDatabase } from "../support/database.ts";
import { useFixture } from "../support/use-fixture.ts";
import {
  adaCalendar,
  bookOnBothSides,
  createReadingFixture,
  from,
  type ReadingFixture,
} from "./calendar-reading-fixture.ts";

const database = useFixture(createTestDatabase);
let fixture: ReadingFixture;
let appointmentId: number;
let eventId: string;

beforeEach(async () => {
  fixture = await createReadingFixture(database);
  ({ appointmentId, eventId } = await bookOnBothSides(fixture));
});

afterEach(async () => {
  await fixture.stop();
});

/** Does something during the call of this number that lists events. */
function duringList(number: number, work: () => Promise<unknown>): void {
  let lists = 0;
  fixture.google.hook(async ({ call }) => {
    if (call !== "list") return null;
    lists += 1;
    if (lists === number) await work();
    return null;
  });
}

/** Our own write of another title. */
async function writeOurs(): Promise<void> {
  await fixture.sql("UPDATE appointments SET title = 'Control' WHERE id = ?", [appointmentId]);
  await fixture.sync(appointmentId);
}

test("a move there that meets our write is applied by the same reading", async () => {
  fixture.google.change(adaCalendar, eventId, from("18:00", "18:30"));
  duringList(1, writeOurs);
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["appointment.rescheduled"]);
  expect(await fixture.shown()).toEqual(["18:00 confirmed Ana Torres"]);
});

test("a deletion there that meets our write is applied by the same reading", async () => {
  fixture.google.remove(adaCalendar, eventId);
  duringList(1, writeOurs);
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["appointment.cancelled"]);
});

test("a move that meets our write during a whole reading is asked for", async () => {
  fixture.google.change(adaCalendar, eventId, from("18:00", "18:30"));
  fixture.google.endSyncTokens(adaCalendar);
  duringList(2, writeOurs);
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["appointment.rescheduled"]);
  expect((await fixture.link()).phase).toBe("delta");
});

test("a calendar that is only written to from now on is not read by the page under way", async () => {
  fixture.google.insert(adaCalendar, Object.assign({ summary: "x" }, from("20:00", "21:00")));
  duringList(1, async () => await fixture.use(adaCalendar, { direction: "write_only" }));
  expect(await fixture.readAll()).toEqual({ state: "ended" });
  expect(await fixture.busy()).toEqual([]);
  const ended = { phase: "full", syncToken: null, pageToken: null, readDueAt: null };
  expect(await fixture.link()).toMatchObject(ended);
});

test("trouble of a call brings no calendar back that is only written to by now", async () => {
  duringList(1, async () => await fixture.use(adaCalendar, { direction: "write_only" }));
  fixture.google.endSyncTokens(adaCalendar);
  expect(await fixture.readAll()).toEqual({ state: "ended" });
  expect(await fixture.link()).toMatchObject({ syncToken: null, readDueAt: null });
  await fixture.use(adaCalendar);
  fixture.google.hook(async ({ call }) => {
    if (call !== "list") return null;
    await fixture.use(adaCalendar, { direction: "write_only" });
    return "backend";
  });
  expect(await fixture.readAll()).toMatchObject({ state: "waiting" });
  expect((await fixture.link()).readDueAt).toBeNull();
});

test("another use of other events is not overwritten by the page under way", async () => {
  fixture.google.insert(adaCalendar, Object.assign({ summary: "x" }, from("20:00", "21:00")));
  duringList(1, async () => await fixture.use(adaCalendar, { other_events: "ignore" }));
  expect(await fixture.readAll()).toMatchObject({ state: "idle" });
  expect(await fixture.busy()).toEqual([]);
  expect((await fixture.link()).generation).toBe(2);
});
