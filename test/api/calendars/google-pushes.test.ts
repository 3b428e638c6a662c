import { beforeEach, expect, test } from "vitest";
import { hashToken } from "../../../core/secrets.ts";
import { addChannel } from "../../../core/services/calendars/calendar-channels.ts";
import { CalendarLink } from "../../../db/entities/calendar-link.ts";
import { startTestApi } from "../../support/api.ts";
import { createTestAgenda, type TestAgenda } from "../../support/appointments.ts";
import { linkCalendar } from "../../support/calendars.ts";
import { createTestDatabase } from "../../support/database.ts";
import { useFixture } from "../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
const api = useFixture(async () => await startTestApi(database));
let agenda: TestAgenda;
let linkId: number;
let channels = 0;
let channelId = "";

beforeEach(async () => {
  agenda = await createTestAgenda(database.dataSource);
  const { resourceId } = agenda;
  const calendarId = "room@group.calendar.google.com";
  ({ linkId } = await agenda.run((tx) => linkCalendar(tx, { resourceId, calendarId })));
  channelId = `channel-${(channels += 1)}`;
  const link = await readLink();
  const channel = { id: channelId, tokenHash: hashToken("secret") };
  await agenda.run((tx) => addChannel(tx, link, channel));
});

const readLink = async () =>
  await database.dataSource.manager.findOneByOrFail(CalendarLink, { id: linkId });

async function push(change: Record<string, string> = {}) {
  const headers = {
    "x-goog-channel-id": channelId,
    "x-goog-channel-token": "secret",
    "x-goog-resource-state": "exists",
    ...change,
  };
  return await api.call("POST", "/api/webhooks/google", { headers });
}

async function requests(): Promise<string[]> {
  const rows = await database.dataSource.query<{ id: string }[]>(
    `SELECT command ->> '$.workflowId' AS id FROM outbox
      WHERE account_id = ? AND kind = 'request' ORDER BY id`,
    [agenda.account.accountId],
  );
  return rows.map(({ id }) => id);
}

test("an announcement requests one reading, however often it comes", async () => {
  const first = await push();
  expect([first.status, first.text]).toEqual([204, ""]);
  expect((await push()).status).toBe(204);
  expect((await push({ "x-goog-resource-state": "not_exists" })).status).toBe(204);
  expect(await requests()).toEqual([`sync-calendar-${linkId}`]);
  const { dirty, lastPushAt } = await readLink();
  expect(dirty).toBe(true);
  expect(lastPushAt).not.toBeNull();
});

test("the first announcement of a channel asks for nothing", async () => {
  expect((await push({ "x-goog-resource-state": "sync" })).status).toBe(204);
  expect(await requests()).toEqual([]);
});

test.each([
  ["an unknown channel", { "x-goog-channel-id": "other" }],
  ["another token", { "x-goog-channel-token": "guess" }],
  ["no token", { "x-goog-channel-token": "" }],
])("%s is not found", async (_, change) => {
  expect((await push(change)).status).toBe(404);
  expect(await requests()).toEqual([]);
});

test("an announcement ends the polling of a calendar whose announcements were missed", async () => {
  const { dataSource } = database;
  await dataSource.query("UPDATE calendar_links SET poll_reason = 'push_missed' WHERE id = ?", [
    linkId,
  ]);
  await push();
  expect((await readLink()).pollReason).toBeNull();
});
