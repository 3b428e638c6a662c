import { expect, test } from "vitest";
import { putBusyBlocks } from "../../../core/services/calendars/busy-blocks.ts";
import { bookVisit } from "../../../dev/stand-in/calendly-customer.ts";
import { asSystem } from "../../support/accounts.ts";
import { at } from "../../support/appointments.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startCalendlyServers, type CalendlyFixture } from "./calendly-fixture.ts";

const servers = useFixture(startCalendlyServers);
const world = () => servers.standIn.world;

const hooksOf = ({ slug }: CalendlyFixture) =>
  [...world().hooks.values()].filter(({ url }) => url.endsWith(slug));

async function readAccount({ connectionId }: CalendlyFixture): Promise<unknown> {
  const [row] = await servers.database.dataSource.query<unknown[]>(
    `SELECT c.state, c.sealed, c.error_code, a.subscription_id, a.next_read_at
       FROM calendar_connections c JOIN calendly_accounts a ON a.connection_id = c.id
      WHERE c.id = ?`,
    [connectionId],
  );
  return row;
}

/** Requests to read the bookings of a connection that wait for the relay; they are taken away. */
async function takeReads({ account }: CalendlyFixture): Promise<string[]> {
  const { dataSource } = servers.database;
  const where = "account_id = ? AND command ->> '$.workflow' = 'reconcileCalendly'";
  const rows = await dataSource.query<{ run: string }[]>(
    `SELECT command ->> '$.workflowId' AS run FROM outbox WHERE ${where}`,
    [account.accountId],
  );
  await dataSource.query(`DELETE FROM outbox WHERE ${where}`, [account.accountId]);
  return rows.map(({ run }) => run);
}

/** An event of Calendly that takes time of the agenda without being its appointment. */
async function blockTime(fixture: CalendlyFixture): Promise<void> {
  const { resourceId, connectionId, account } = fixture;
  const times = { startTime: at("18:00"), endTime: at("18:30") };
  await asSystem(servers.database.dataSource, account.accountId, (tx) =>
    putBusyBlocks(tx, [{ resourceId, connectionId, linkId: null, eventId: "OTHER", ...times }]),
  );
}

const ended = { state: "disconnected", sealed: null, error_code: null, next_read_at: null };

test("a disconnection deletes the subscription at Calendly, ends the reads and keeps appointments", async () => {
  const fixture = await servers.connect();
  await bookVisit(world(), { startTime: at("16:00") });
  await fixture.work();
  await fixture.readAll();
  await takeReads(fixture);
  await blockTime(fixture);
  const path = `/calendars/${fixture.connectionId}/disconnect`;
  const answer = await fixture.call("POST", path);
  expect([answer.status, answer.json.data]).toEqual([200, { id: fixture.connectionId }]);
  expect(hooksOf(fixture)).toEqual([]);
  expect(await readAccount(fixture)).toEqual({ ...ended, subscription_id: null });
  expect(await takeReads(fixture)).toEqual([`reconcile-calendly-${fixture.connectionId}`]);
  expect(await fixture.readAll()).toEqual({ state: "over" });
  expect(await fixture.appointments()).toEqual(["confirmed 16:00"]);
  expect(await servers.database.dataSource.query("SELECT id FROM busy_blocks")).toEqual([]);
  expect((await fixture.call("POST", path)).status).toBe(200);
});

test("a Calendly that is away does not hold a disconnection up, and a new token cleans up", async () => {
  const fixture = await servers.connect();
  world().fault = { kind: "status", status: 503, resetSeconds: 0, left: 1 };
  const answer = await fixture.call("POST", `/calendars/${fixture.connectionId}/disconnect`);
  expect(answer.status).toBe(200);
  const [left] = hooksOf(fixture);
  expect(await readAccount(fixture)).toEqual({ ...ended, subscription_id: null });
  const again = await fixture.call("POST", "/calendars/calendly", { token: "owner-token" });
  expect(again.json.data).toMatchObject({ id: fixture.connectionId, slug: fixture.slug });
  expect(hooksOf(fixture).map(({ id }) => id === left?.id)).toEqual([false]);
});

test("a connection of another company is not found, and stays", async () => {
  const fixture = await servers.connect();
  const other = await servers.connect({ token: "member-token", map: false });
  const answer = await other.call("POST", `/calendars/${fixture.connectionId}/disconnect`);
  expect(answer.status).toBe(404);
  expect(await readAccount(fixture)).toMatchObject({ state: "connected" });
});
