import { beforeEach, expect, test } from "vitest";
import type { CalendarConnection } from "../../../../db/entities/calendar-connection.ts";
import type { Tx } from "../../../../db/transaction.ts";
import {
  disconnectConnection,
  findConnection,
  lockConnection,
  noteConnectionError,
  noteConnectionSynced,
  openCredentials,
  saveConnection,
  storeCredentials,
} from "../../../../core/services/calendars/connections.ts";
import { dayMs, hourMs } from "../../../../core/model/durations.ts";
import { asSystem, createTestAccount, testSecretBox } from "../../../support/accounts.ts";
import { linkCalendar } from "../../../support/calendars.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let accountId: number;

beforeEach(async () => {
  ({ accountId } = await createTestAccount(database.dataSource));
});

const run = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  await asSystem(database.dataSource, accountId, work);
const sql = async <Row>(statement: string): Promise<Row[]> =>
  await database.dataSource.query<Row[]>(statement, [accountId]);
const statesOfLinks = async () =>
  (
    await sql<{ state: string }>(
      "SELECT state FROM calendar_links WHERE account_id = ? ORDER BY id",
    )
  ).map(({ state }) => state);
const notices = async () =>
  await sql<{ params: Record<string, unknown>; admins_only: number }>(
    "SELECT params, admins_only FROM notifications WHERE account_id = ? ORDER BY id",
  );

async function getConnection(id: number): Promise<CalendarConnection> {
  const row = await run((tx) => findConnection(tx, id));
  if (row === null) throw new Error("There is no such connection.");
  return row;
}

/** A Google account with two calendars. */
async function connect(): Promise<CalendarConnection> {
  const { connectionId } = await run((tx) => linkCalendar(tx, { resourceId: 1, calendarId: "a" }));
  await run((tx) => linkCalendar(tx, { resourceId: accountId * 1_000, calendarId: "b" }));
  return await getConnection(connectionId);
}

beforeEach(async () => {
  await database.dataSource.query("DELETE FROM calendar_links");
});

test("two calendars of a Google account share one grant, and the newest credentials count", async () => {
  const row = await connect();
  expect(await statesOfLinks()).toEqual(["connected", "connected"]);
  expect(openCredentials(testSecretBox, row)).toEqual({ refresh_token: "refresh-1" });
  await run(async (tx) => {
    const locked = await lockConnection(tx, row.id);
    if (locked !== null) await storeCredentials(tx, testSecretBox, locked, { refresh_token: "r2" });
  });
  const rotated = await getConnection(row.id);
  expect(openCredentials(testSecretBox, rotated)).toEqual({ refresh_token: "r2" });
  const moved = Object.assign(rotated, { id: row.id + 1 });
  expect(() => openCredentials(testSecretBox, moved)).toThrow(/cannot be opened/);
});

test("a refused grant ends the connection with all its calendars, and tells the admins once", async () => {
  const row = await connect();
  await run((tx) => disconnectConnection(tx, row, "invalid_grant"));
  await run((tx) => disconnectConnection(tx, row, "invalid_grant"));
  expect(await statesOfLinks()).toEqual(["disconnected", "disconnected"]);
  expect(await getConnection(row.id)).toMatchObject({
    state: "disconnected",
    errorCode: "grant_revoked",
  });
  expect(await notices()).toEqual([
    {
      params: {
        connection_id: row.id,
        provider: "google",
        email: "ana@example.com",
        reason: "grant_revoked",
      },
      admins_only: 1,
    },
  ]);
});

test("a call with the credentials of before does not end a connection that was given new ones", async () => {
  const before = await connect();
  const granted = { id: before.id, grantedAt: new Date(before.grantedAt.getTime() - 1) };
  await run((tx) => disconnectConnection(tx, granted, "invalid_grant"));
  expect(await getConnection(before.id)).toMatchObject({ state: "connected", errorCode: null });
  expect(await notices()).toEqual([]);
});

test.each([
  { title: "at seven days", ageMs: 7 * dayMs + 2 * hourMs, reason: "testing_expired" },
  { title: "after a month", ageMs: 30 * dayMs, reason: "grant_revoked" },
  { title: "after an hour", ageMs: hourMs, reason: "grant_revoked" },
])("an end of the grant $title is $reason", async ({ ageMs, reason }) => {
  const { id } = await connect();
  await database.dataSource.query(
    "UPDATE calendar_connections SET granted_at = TIMESTAMPADD(SECOND, ?, NOW(3)) WHERE id = ?",
    [-ageMs / 1_000, id],
  );
  const row = await getConnection(id);
  await run((tx) => disconnectConnection(tx, row, "invalid_grant"));
  expect((await getConnection(id)).errorCode).toBe(reason);
});

test("connecting the same account again brings its calendars back", async () => {
  const row = await connect();
  await run((tx) => disconnectConnection(tx, row, "invalid_grant"));
  const again = await run((tx) =>
    saveConnection(tx, testSecretBox, {
      provider: "google",
      externalId: row.externalId,
      email: "ana@example.com",
      name: "Ana",
      credentials: { refresh_token: "refresh-2" },
      scopes: [],
    }),
  );
  expect(again.id).toBe(row.id);
  expect(await statesOfLinks()).toEqual(["connected", "connected"]);
  const stored = await getConnection(row.id);
  expect(stored).toMatchObject({ state: "connected", errorCode: null });
  expect(openCredentials(testSecretBox, stored)).toEqual({ refresh_token: "refresh-2" });
});

test("an error that may pass is kept until the next sync, and the connection goes on", async () => {
  const { id } = await connect();
  await run((tx) => noteConnectionError(tx, id, "http_503"));
  expect(await getConnection(id)).toMatchObject({ state: "connected", errorCode: "http_503" });
  await run((tx) => noteConnectionSynced(tx, id));
  const row = await getConnection(id);
  expect(row).toMatchObject({ errorCode: null, errorAt: null });
  expect(row.lastSyncedAt).not.toBeNull();
});
