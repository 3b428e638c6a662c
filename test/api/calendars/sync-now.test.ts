import { expect, test } from "vitest";
import { asSystem } from "../../support/accounts.ts";
import { createTestResource } from "../../support/appointments.ts";
import { linkCalendar } from "../../support/calendars.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startCalendlyServers, type CalendlyFixture } from "./calendly-fixture.ts";

const servers = useFixture(startCalendlyServers);

/** Reads that wait for the relay, by their runs. They are taken away. */
async function takeReads({ account }: CalendlyFixture): Promise<string[]> {
  const { dataSource } = servers.database;
  const where =
    "account_id = ? AND command ->> '$.workflow' IN ('reconcileCalendly', 'syncCalendar')";
  const rows = await dataSource.query<{ run: string }[]>(
    `SELECT command ->> '$.workflowId' AS run FROM outbox WHERE ${where}`,
    [account.accountId],
  );
  await dataSource.query(`DELETE FROM outbox WHERE ${where}`, [account.accountId]);
  return rows.map(({ run }) => run);
}

test("an admin has the bookings of Calendly read now", async () => {
  const fixture = await servers.connect();
  await takeReads(fixture);
  const answer = await fixture.call("POST", `/calendars/${fixture.connectionId}/sync`);
  expect([answer.status, answer.json.data]).toEqual([202, { id: fixture.connectionId }]);
  expect(await takeReads(fixture)).toEqual([`reconcile-calendly-${fixture.connectionId}`]);
});

test("an admin has the calendars of Google read now, and those alone that are read", async () => {
  const fixture = await servers.connect();
  const { dataSource } = servers.database;
  const { accountId } = fixture.account;
  const otherId = await createTestResource(dataSource, accountId);
  const { connectionId, linkId } = await asSystem(dataSource, accountId, async (tx) => {
    await linkCalendar(tx, {
      resourceId: otherId,
      calendarId: "b@example.com",
      direction: "write_only",
    });
    return await linkCalendar(tx, { resourceId: fixture.resourceId, calendarId: "a@example.com" });
  });
  await takeReads(fixture);
  const answer = await fixture.call("POST", `/calendars/${connectionId}/sync`);
  expect(answer.status).toBe(202);
  expect(await takeReads(fixture)).toEqual([`sync-calendar-${linkId}`]);
});

test("a connection that has ended, and one of another company, are not read", async () => {
  const fixture = await servers.connect();
  const other = await servers.connect({ token: "member-token", map: false });
  const path = `/calendars/${fixture.connectionId}`;
  await fixture.call("POST", `${path}/disconnect`);
  // The disconnection wakes the run, so that it ends.
  await takeReads(fixture);
  expect((await other.call("POST", `${path}/sync`)).status).toBe(404);
  const ended = await fixture.call("POST", `${path}/sync`);
  expect([ended.status, ended.json.error.code]).toEqual([422, "calendar_disconnected"]);
  expect(await takeReads(fixture)).toEqual([]);
});
