import { expect, test } from "vitest";
import {
  bookVisit,
  cancelVisit,
  markVisit,
  moveVisit,
  type CalendlyVisit,
} from "../../../dev/stand-in/calendly-customer.ts";
import { releaseHooks } from "../../../dev/stand-in/calendly-webhooks.ts";
import { at, createTestResource } from "../../support/appointments.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startCalendlyServers } from "./calendly-fixture.ts";

const servers = useFixture(startCalendlyServers);
const world = () => servers.standIn.world;
const book = async (given: Partial<CalendlyVisit> = {}) =>
  await bookVisit(world(), Object.assign({ startTime: at("16:00") }, given));

async function post(slug: string, body: string) {
  return await servers.api.call("POST", `/api/webhooks/calendly/${slug}`, { body });
}

test("a booking becomes a confirmed appointment of the mapped agenda, announced once", async () => {
  const fixture = await servers.connect();
  await book();
  expect(world().posts.at(-1)?.status).toBe(200);
  await fixture.work();
  expect(await fixture.appointments()).toEqual(["confirmed 16:00"]);
  expect(await fixture.events()).toEqual(["appointment.created 16:00 calendly"]);
  const [row] = await servers.database.dataSource.query<Record<string, unknown>[]>(
    `SELECT a.source, a.resource_id, a.title, a.customer_name, a.customer_phone, c.email, c.source AS contact_source
       FROM appointments a JOIN contacts c ON c.id = a.contact_id WHERE a.account_id = ?`,
    [fixture.account.accountId],
  );
  expect(row).toMatchObject({
    source: "calendly",
    resource_id: fixture.resourceId,
    title: "Consulta",
    customer_name: "Ana Torres",
    customer_phone: "5215512345678",
    email: "ana@example.com",
    contact_source: "panel",
  });
});

test("one webhook ten times makes one appointment and one event", async () => {
  const fixture = await servers.connect();
  world().isHeld = true;
  await book();
  expect(await releaseHooks(world(), { copies: 10 })).toBe(10);
  expect(
    world()
      .posts.slice(-10)
      .map(({ status }) => status),
  ).toEqual(Array(10).fill(200));
  expect(await fixture.work()).toHaveLength(1);
  expect(await fixture.events()).toEqual(["appointment.created 16:00 calendly"]);
});

test("the same news in other bytes changes nothing", async () => {
  const fixture = await servers.connect();
  const guest = await book();
  await fixture.work();
  await markVisit(world(), guest.id, false);
  await fixture.work();
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["appointment.created 16:00 calendly"]);
});

test("forged, altered and unsigned webhooks are refused and stored nowhere", async () => {
  const fixture = await servers.connect();
  for (const how of [{ forged: true }, { altered: true }]) {
    world().isHeld = true;
    await book();
    await releaseHooks(world(), how);
    expect(world().posts.at(-1)?.status).toBe(401);
  }
  const unsigned = await post(fixture.slug, "{}");
  expect(unsigned.status).toBe(401);
  expect(unsigned.json.error.code).toBe("missing_signature");
  expect(await fixture.work()).toEqual([]);
  expect(await fixture.appointments()).toEqual([]);
});

test("a stale webhook is refused, and the bookings are read instead", async () => {
  const fixture = await servers.connect();
  await servers.database.dataSource.query("DELETE FROM outbox");
  world().isHeld = true;
  await book();
  await releaseHooks(world(), { agoSeconds: 600 });
  expect(world().posts.at(-1)?.status).toBe(401);
  const rows = await servers.database.dataSource.query<{ id: string }[]>(
    "SELECT command ->> '$.workflowId' AS id FROM outbox",
  );
  expect(rows).toEqual([{ id: `reconcile-calendly-${fixture.connectionId}` }]);
  await fixture.readAll();
  expect(await fixture.appointments()).toContain("confirmed 16:00");
});

test("an unknown slug, and a slug of another form, are 404", async () => {
  expect((await post("0".repeat(26), "{}")).status).toBe(404);
  expect((await post("short", "{}")).status).toBe(404);
});

test("a cancellation cancels the appointment, with its reason", async () => {
  const fixture = await servers.connect();
  const guest = await book();
  await fixture.work();
  await cancelVisit(world(), guest.id, "Ill");
  await fixture.work();
  expect(await fixture.events()).toEqual([
    "appointment.created 16:00 calendly",
    "appointment.cancelled 16:00 calendly",
  ]);
  const [row] = await servers.database.dataSource.query<{ reason: string }[]>(
    "SELECT cancel_reason AS reason FROM appointments WHERE account_id = ?",
    [fixture.account.accountId],
  );
  expect(row?.reason).toBe("Ill");
});

test("a cancellation that overtakes its booking makes no appointment", async () => {
  const fixture = await servers.connect();
  world().isHeld = true;
  const guest = await book();
  await cancelVisit(world(), guest.id);
  await releaseHooks(world(), { reversed: true });
  await fixture.work();
  expect(await fixture.appointments()).toEqual([]);
  expect(await fixture.events()).toEqual([]);
});

test.each(["created", "canceled"] as const)(
  "a move keeps the appointment and is announced once, with %s first",
  async (first) => {
    const fixture = await servers.connect();
    const guest = await book();
    await fixture.work();
    await moveVisit(world(), guest.id, { startTime: at("18:00") }, first);
    await fixture.work();
    await fixture.work("pairs");
    expect(await fixture.appointments()).toEqual(["confirmed 18:00"]);
    expect(await fixture.events()).toEqual([
      "appointment.created 16:00 calendly",
      "appointment.rescheduled 18:00 calendly",
    ]);
  },
);

const orders = [
  [0, 1, 2, 3],
  [3, 2, 1, 0],
  [1, 3, 0, 2],
  [2, 0, 3, 1],
  [3, 0, 2, 1],
];

test.each(orders)(
  "a chain of moves keeps one appointment in the order %i %i %i %i",
  async (...order) => {
    const fixture = await servers.connect();
    const a = await book();
    await fixture.work();
    world().isHeld = true;
    const b = await moveVisit(world(), a.id, { startTime: at("18:00") });
    await moveVisit(world(), b.id, { startTime: at("20:00") });
    const held = world().waiting.splice(0);
    world().waiting.push(...order.flatMap((place) => held[place] ?? []));
    world().isHeld = false;
    for (const one of world().waiting.splice(0)) {
      world().waiting.push(one);
      await releaseHooks(world());
      await fixture.work();
    }
    await fixture.work("pairs");
    expect(await fixture.appointments()).toEqual(["confirmed 20:00"]);
    const events = await fixture.events();
    expect(events.filter((one) => one.startsWith("appointment.created"))).toHaveLength(1);
    expect(events.filter((one) => one.startsWith("appointment.cancelled"))).toEqual([]);
    expect(events.at(-1)).toBe("appointment.rescheduled 20:00 calendly");
  },
);

test("the event of a move names the copy of the new time", async () => {
  const fixture = await servers.connect();
  const guest = await book({ googleId: "copyoldtime" });
  await fixture.work();
  await moveVisit(world(), guest.id, { startTime: at("18:00"), googleId: "copynewtime" });
  await fixture.work();
  const [row] = await servers.database.dataSource.query<Record<string, unknown>[]>(
    `SELECT a.google_event_id AS kept,
            JSON_VALUE(CONVERT(e.body USING utf8mb4), '$.data.google_event_id') AS told
       FROM events e JOIN appointments a ON a.account_id = e.account_id
      WHERE e.account_id = ? AND e.type = 'appointment.rescheduled'`,
    [fixture.account.accountId],
  );
  expect(row).toEqual({ kept: "copynewtime", told: "copynewtime" });
});

test("a customer with another number and the same email is the same contact", async () => {
  const fixture = await servers.connect();
  await book({ reminderNumber: null, email: "same@example.com" });
  await book({ reminderNumber: null, email: "SAME@example.com", startTime: at("19:00") });
  await fixture.work();
  const [row] = await servers.database.dataSource.query<{ contacts: number }[]>(
    "SELECT COUNT(*) AS contacts FROM contacts WHERE account_id = ?",
    [fixture.account.accountId],
  );
  expect(Number(row?.contacts)).toBe(1);
});

test("overlaps and closed hours do not refuse a booking", async () => {
  const fixture = await servers.connect();
  await fixture.book({ startTime: at("16:00") });
  await book({ email: "other@example.com", reminderNumber: null });
  await fixture.work();
  expect(await fixture.appointments()).toEqual(["confirmed 16:00", "confirmed 16:00"]);
});

test("the agenda is that of the first mapped host, and another host moves the appointment", async () => {
  const fixture = await servers.connect();
  const { accountId } = fixture.account;
  const other = await createTestResource(servers.database.dataSource, accountId);
  const users = [{ uri: "https://api.calendly.com/users/MEMBER", resource_id: other }];
  const path = `/calendars/calendly/${fixture.connectionId}`;
  expect((await fixture.call("PATCH", path, { users })).status).toBe(200);
  const guest = await book({ hostIds: ["OWNER", "MEMBER"] });
  await fixture.work();
  const resourceOf = async () => {
    const [row] = await servers.database.dataSource.query<{ id: number }[]>(
      "SELECT resource_id AS id FROM appointments WHERE account_id = ?",
      [accountId],
    );
    return Number(row?.id);
  };
  expect(await resourceOf()).toBe(fixture.resourceId);
  const booking = world().bookings.get(guest.eventId);
  if (booking === undefined) throw new Error("It is booked.");
  booking.hostIds = ["MEMBER"];
  booking.updatedAt = new Date();
  await fixture.readAll();
  expect(await resourceOf()).toBe(other);
  expect(await fixture.events()).toEqual([
    "appointment.created 16:00 calendly",
    "appointment.rescheduled 16:00 calendly",
  ]);
});
