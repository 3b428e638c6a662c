import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runActivity } from "../support/activity.ts";
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

const hourMs = 3_600_000;
const database = useFixture(createTestDatabase);
let fixture: ReadingFixture;

beforeEach(async () => {
  fixture = await createReadingFixture(database);
});

afterEach(async () => {
  vi.useRealTimers();
  await fixture.stop();
});

const errorCode = async () =>
  (
    await fixture.sql<{ code: string | null }>(
      "SELECT error_code AS code FROM calendar_connections WHERE id = ?",
      [fixture.connectionId],
    )
  )[0]?.code;

/** Reads in vain for some time of the clock. @returns the number of tries */
async function readInVain(forMs: number): Promise<number> {
  const { google, linkId } = fixture;
  const { accountId } = fixture.account;
  vi.useFakeTimers({ toFake: ["Date"] });
  const end = Date.now() + forMs;
  let failures = 0;
  for (; Date.now() < end; failures += 1) {
    const part = { accountId, linkId, begins: true, announced: false, failures };
    const outcome = await runActivity(() => fixture.steps.readCalendar(part));
    if (outcome.state !== "waiting") throw new Error(`The calendar is ${outcome.state}.`);
    vi.setSystemTime(Date.now() + outcome.waitMs);
    google.advance(outcome.waitMs);
  }
  return failures;
}

test("after two hours without Google each change of both sides arrives, once and in order", async () => {
  const { google } = fixture;
  const moved = google.insert(adaCalendar, visit("15:00", "16:00"));
  const removed = google.insert(adaCalendar, visit("17:00", "18:00"));
  await fixture.readAll();
  await fixture.events();
  const [later, added, ourTime] = [from("19:00", "20:00"), visit("21:00", "22:00"), soon("10:00")];
  await google.down();
  google.change(adaCalendar, moved.id, later);
  google.remove(adaCalendar, removed.id);
  google.insert(adaCalendar, added);
  const ours = await fixture.book({ startTime: new Date(ourTime) });
  await expect(fixture.sync(ours.id)).rejects.toThrow("unreachable");
  const tries = await readInVain(2 * hourMs);
  expect(tries).toBeGreaterThan(24);
  expect(tries).toBeLessThan(70);
  expect(await errorCode()).toMatch(/unreachable$/u);

  await google.up();
  await fixture.readAll(false);
  await fixture.sync(ours.id);
  // A list of the very moment of a write counts as read before it.
  vi.setSystemTime(Date.now() + 1_000);
  await fixture.readAll();
  expect(await errorCode()).toBeNull();
  expect(await fixture.events()).toEqual([
    "contact.created",
    "appointment.created",
    "appointment.rescheduled",
    "appointment.cancelled",
    "appointment.created",
  ]);
  expect(await fixture.shown()).toEqual([
    "10:00 confirmed Ana Torres",
    "17:00 cancelled Eva",
    "19:00 confirmed Eva",
    "21:00 confirmed Eva",
  ]);
  const { googleEventId } = await fixture.read(ours.id);
  expect(google.find(adaCalendar, googleEventId ?? "")).toMatchObject({ status: "confirmed" });
});
