import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { dropLink } from "../../core/services/calendars/calendar-reads.ts";
import { createTestDatabase } from "../support/database.ts";
import { useFixture } from "../support/use-fixture.ts";
import { adaCalendar, createReadingFixture, visit } from "./calendar-reading-fixture.ts";
import type { ReadingFixture } from "./calendar-reading-fixture.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const database = useFixture(createTestDatabase);
let fixture: ReadingFixture;

beforeEach(async () => {
  fixture = await createReadingFixture(database);
});

afterEach(async () => {
  vi.useRealTimers();
  await fixture.stop();
});

const check = async () =>
  await fixture.steps.keepCalendarChannel({
    accountId: fixture.account.accountId,
    linkId: fixture.linkId,
    failures: 0,
  });

const channelIds = () => fixture.google.channels().map(({ id }) => id);

test("a channel is renewed a day before its end, and the old one is stopped after that", async () => {
  const first = await check();
  expect(first).toMatchObject({ state: "open" });
  expect("waitMs" in first ? first.waitMs / dayMs : 0).toBeCloseTo(6, 1);
  const [before] = channelIds();
  expect(await check()).toMatchObject({ state: "open" });
  expect(channelIds()).toEqual([before]);
  await fixture.sql(
    "UPDATE calendar_channels SET created_at = created_at - INTERVAL 6 DAY, expires_at = NOW(3) + INTERVAL 23 HOUR WHERE link_id = ?",
    [fixture.linkId],
  );
  expect(await check()).toMatchObject({ state: "open" });
  expect(channelIds()).toHaveLength(1);
  expect(channelIds()).not.toEqual([before]);
  const watch = fixture.google.requests().findLastIndex(({ call }) => call === "watch");
  const stop = fixture.google.requests().findLastIndex(({ call }) => call === "stop");
  expect(stop).toBeGreaterThan(watch);
  const rows = await fixture.sql("SELECT id FROM calendar_channels WHERE link_id = ?", [
    fixture.linkId,
  ]);
  expect(rows).toHaveLength(1);
});

test("for 30 days each change is announced once, over every renewal", async () => {
  const { google } = fixture;
  const { id } = google.insert(adaCalendar, visit("15:00", "16:00"));
  google.pushes.choose({ mode: "lost" });
  vi.useFakeTimers({ toFake: ["Date"] });
  const hours = 30 * 24;
  const start = Date.now();
  let dueAt = start;
  const waits: number[] = [];
  for (let hour = 0; hour < hours; hour += 1) {
    vi.setSystemTime(start + hour * hourMs);
    if (Date.now() >= dueAt) {
      const outcome = await check();
      const waitMs = outcome.state === "open" ? outcome.waitMs : 0;
      waits.push(waitMs / dayMs);
      dueAt = Date.now() + waitMs;
    }
    google.change(adaCalendar, id, { summary: `Check-up ${hour}` });
    google.advance(hourMs);
  }
  const announced = google.pushes.list().filter(({ state }) => state === "exists");
  expect(announced).toHaveLength(hours);
  expect(waits.map(Math.round)).toEqual([6, 6, 6, 6, 6]);
  const done = google.requests().filter(({ answered }) => answered === 200 || answered === 204);
  expect(done.filter(({ call }) => call === "watch")).toHaveLength(5);
  expect(done.filter(({ call }) => call === "stop")).toHaveLength(4);
  expect(channelIds()).toHaveLength(1);
  expect(google.channels()[0]?.expiresAt).toBeGreaterThan(start + 30 * dayMs);
});

test("a calendar that announces nothing is asked every 5 minutes, and says why", async () => {
  fixture.google.fail({ kind: "noPush", call: "watch" });
  expect(await check()).toMatchObject({
    state: "polling",
    code: "not_supported",
  });
  expect(await fixture.link()).toMatchObject({
    pollReason: "not_supported",
  });
  expect(await fixture.readAll()).toEqual({ state: "idle", waitMs: 300_000 });
  expect(await check()).toMatchObject({ state: "open" });
  expect((await fixture.link()).pollReason).toBeNull();
  expect(await fixture.readAll()).toEqual({ state: "idle", waitMs: 1_800_000 });
});

test("a change that nobody announced for 5 minutes leads to polling until an announcement", async () => {
  await check();
  await fixture.readAll();
  await fixture.sql(
    "UPDATE calendar_channels SET created_at = created_at - INTERVAL 1 HOUR WHERE link_id = ?",
    [fixture.linkId],
  );
  fixture.google.pushes.choose({ mode: "lost" });
  fixture.google.advance(-600_000);
  fixture.google.insert(adaCalendar, visit("15:00", "16:00"));
  fixture.google.advance(600_000);
  expect(await fixture.readAll(false)).toEqual({ state: "idle", waitMs: 300_000 });
  expect((await fixture.link()).pollReason).toBe("push_missed");
});

test("a calendar that is not read any more loses its channel and its busy times", async () => {
  await check();
  await fixture.readAll();
  const { id, accountId } = await fixture.link();
  await fixture.run((tx) => dropLink(tx, { id, accountId }));
  await fixture.sql("UPDATE calendar_links SET direction = 'write_only' WHERE id = ?", [id]);
  expect(await check()).toEqual({ state: "ended" });
  expect(channelIds()).toEqual([]);
  expect(await fixture.readAll()).toEqual({ state: "ended" });
});
