import { expect, test } from "vitest";
import { listSlots } from "../../../core/services/appointments/free-slots.ts";
import {
  bookVisit,
  cancelVisit,
  moveVisit,
  reassignVisit,
} from "../../../dev/stand-in/calendly-customer.ts";
import { at } from "../../support/appointments.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startCalendlyServers, userUri, type CalendlyFixture } from "./calendly-fixture.ts";

const servers = useFixture(startCalendlyServers);
const world = () => servers.standIn.world;
const hostIds = ["OWNER", "MEMBER"];

/** A connection whose two hosts have an agenda each. */
async function connectBoth(): Promise<{ fixture: CalendlyFixture; other: number }> {
  const fixture = await servers.connect();
  const other = await fixture.addResource();
  await map(fixture, "MEMBER", other);
  return { fixture, other };
}

async function map(fixture: CalendlyFixture, user: string, resource_id: number | null) {
  const users = [{ uri: userUri(user), resource_id }];
  const path = `/calendars/calendly/${fixture.connectionId}`;
  expect((await fixture.call("PATCH", path, { users })).status).toBe(200);
}

/** Blocked times as `resource HH:MM`. */
async function blocks({ account }: CalendlyFixture): Promise<string[]> {
  const rows = await servers.database.dataSource.query<{ id: number; start: Date }[]>(
    `SELECT resource_id AS id, start_time AS start FROM busy_blocks WHERE account_id = ?
      ORDER BY start_time, resource_id`,
    [account.accountId],
  );
  return rows.map(({ id, start }) => `${id} ${start.toISOString().slice(11, 16)}`);
}

test("the other hosts of a booking are busy, and their slots close", async () => {
  const { fixture, other } = await connectBoth();
  const range = { from: at("16:00"), to: new Date(at("16:00").getTime() + 60_000) };
  const slots = async () =>
    await fixture.run((tx) => listSlots(tx, { resourceId: other, ...range }));
  expect(await slots()).toHaveLength(1);
  await bookVisit(world(), { startTime: at("16:00"), hostIds });
  await fixture.work();
  expect(await fixture.appointments()).toEqual(["confirmed 16:00"]);
  expect(await blocks(fixture)).toEqual([`${other} 16:00`]);
  expect(await slots()).toEqual([]);
});

test("a move moves the busy time, and a cancellation frees it", async () => {
  const { fixture, other } = await connectBoth();
  const guest = await bookVisit(world(), { startTime: at("16:00"), hostIds });
  await fixture.work();
  const next = await moveVisit(world(), guest.id, { startTime: at("18:00") });
  await fixture.work();
  expect(await blocks(fixture)).toEqual([`${other} 18:00`]);
  await cancelVisit(world(), next.id);
  await fixture.work();
  expect(await blocks(fixture)).toEqual([]);
});

test("a group stays busy until the last invitee has cancelled", async () => {
  const { fixture, other } = await connectBoth();
  const first = await bookVisit(world(), { startTime: at("16:00"), typeId: "CLASS", hostIds });
  const { eventId, startTime } = { eventId: first.eventId, startTime: at("16:00") };
  const second = await bookVisit(world(), {
    eventId,
    startTime,
    email: "eva@example.com",
    reminderNumber: null,
  });
  await fixture.work();
  expect(await fixture.appointments()).toEqual(["confirmed 16:00", "confirmed 16:00"]);
  expect(await blocks(fixture)).toEqual([`${other} 16:00`]);
  await cancelVisit(world(), first.id);
  await fixture.work();
  expect(await blocks(fixture)).toEqual([`${other} 16:00`]);
  await cancelVisit(world(), second.id);
  await fixture.work();
  expect(await blocks(fixture)).toEqual([]);
});

test("a cancellation here frees the other hosts once Calendly knows of it", async () => {
  const { fixture, other } = await connectBoth();
  await bookVisit(world(), { startTime: at("16:00"), hostIds });
  await fixture.work();
  expect(await blocks(fixture)).toEqual([`${other} 16:00`]);
  const [row] = await servers.database.dataSource.query<{ id: number }[]>(
    "SELECT id FROM appointments WHERE account_id = ?",
    [fixture.account.accountId],
  );
  const answer = await fixture.call("POST", `/appointments/${row?.id}/cancel`, {});
  expect(answer.status).toBe(200);
  await fixture.work();
  expect(await blocks(fixture)).toEqual([]);
});

test("another host later changes the agenda and the busy times", async () => {
  const { fixture, other } = await connectBoth();
  const guest = await bookVisit(world(), { startTime: at("16:00"), hostIds });
  await fixture.work();
  reassignVisit(world(), guest.id, ["MEMBER", "OWNER"]);
  await fixture.readAll();
  expect(await blocks(fixture)).toEqual([`${fixture.resourceId} 16:00`]);
  reassignVisit(world(), guest.id, ["OWNER"]);
  await fixture.readAll();
  expect(await blocks(fixture)).toEqual([]);
  expect(await fixture.appointments()).toEqual(["confirmed 16:00"]);
  expect(other).not.toBe(fixture.resourceId);
});

test("a host who gets an agenda later, or loses it, follows with the next read", async () => {
  const fixture = await servers.connect();
  const other = await fixture.addResource();
  await bookVisit(world(), { startTime: at("16:00"), hostIds });
  await fixture.work();
  await fixture.events();
  expect(await blocks(fixture)).toEqual([]);
  await map(fixture, "MEMBER", other);
  await fixture.readAll();
  expect(await blocks(fixture)).toEqual([`${other} 16:00`]);
  await map(fixture, "MEMBER", null);
  expect(await blocks(fixture)).toEqual([]);
  await fixture.readAll();
  expect(await blocks(fixture)).toEqual([]);
  expect(await fixture.events()).toEqual([]);
});

test("a later token brings the busy times of a disconnected account back", async () => {
  const { fixture, other } = await connectBoth();
  await bookVisit(world(), { startTime: at("16:00"), hostIds });
  await fixture.work();
  await fixture.call("POST", `/calendars/${fixture.connectionId}/disconnect`);
  expect(await blocks(fixture)).toEqual([]);
  await fixture.call("POST", "/calendars/calendly", { token: "owner-token" });
  await fixture.readAll();
  expect(await blocks(fixture)).toEqual([`${other} 16:00`]);
  expect(await fixture.appointments()).toEqual(["confirmed 16:00"]);
});
