import { expect, test } from "vitest";
import {
  commitReschedule,
  requestReschedule,
} from "../../../core/services/appointments/appointment-reschedules.ts";
import { markNoShow } from "../../../core/services/appointments/appointment-status.ts";
import {
  bookVisit,
  cancelVisit,
  markVisit,
  moveVisit,
  reassignVisit,
} from "../../../dev/stand-in/calendly-customer.ts";
import { releaseHooks } from "../../../dev/stand-in/calendly-webhooks.ts";
import { eraseContact } from "../../../core/services/contact-lifecycle/contact-erasure.ts";
import { afterwards, at, letBegin } from "../../support/appointments.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startCalendlyServers, type CalendlyFixture } from "./calendly-fixture.ts";

const servers = useFixture(startCalendlyServers);
const world = () => servers.standIn.world;

interface Row {
  id: number;
  contact_id: number;
  status: string;
}

async function rowsOf({ account }: CalendlyFixture): Promise<Row[]> {
  const sql = "SELECT id, contact_id, status FROM appointments WHERE account_id = ? ORDER BY id";
  return await servers.database.dataSource.query<Row[]>(sql, [account.accountId]);
}

/** A connection with one booking. */
async function booked(given: { typeId?: string } = {}) {
  const fixture = await servers.connect();
  const guest = await bookVisit(world(), Object.assign({ startTime: at("16:00") }, given));
  await fixture.work();
  const [row] = await rowsOf(fixture);
  if (row === undefined) throw new Error("It is booked.");
  await fixture.events();
  return { fixture, guest, id: Number(row.id), contactId: Number(row.contact_id) };
}

test("a cancellation here cancels the event at Calendly, once", async () => {
  const { fixture, guest, id } = await booked();
  const answer = await fixture.call("POST", `/appointments/${id}/cancel`, { reason: "Closed" });
  expect(answer.status).toBe(200);
  await fixture.work();
  expect(world().guests.get(guest.id)).toMatchObject({
    status: "canceled",
    cancelReason: "Closed",
  });
  expect(await fixture.events()).toEqual(["appointment.cancelled 16:00 panel"]);
});

test("a cancellation that Calendly was not told of yet is told after its trouble", async () => {
  const { fixture, guest, id } = await booked();
  await fixture.call("POST", `/appointments/${id}/cancel`, {});
  world().fault = { kind: "status", status: 503, resetSeconds: 0, left: 1 };
  await expect(fixture.work()).rejects.toMatchObject({ name: "CalendlyAway" });
  await fixture.work();
  expect(world().guests.get(guest.id)?.status).toBe("canceled");
});

test("a move here is refused, with the page on which Calendly moves it", async () => {
  const { fixture, guest, id } = await booked();
  const pages = await fixture.call("GET", `/appointments/${id}/calendly`);
  const reschedule_url = `https://calendly.com/reschedulings/${guest.id}`;
  expect(pages.json.data).toMatchObject({ reschedule_url, active_invitees: 1 });
  const body = { start_time: at("18:00").toISOString(), mode: "same", source: "panel" };
  const moved = await fixture.call("POST", `/appointments/${id}/reschedule`, body);
  expect([moved.status, moved.json.error.code]).toEqual([409, "calendly_moves_itself"]);
  expect(moved.json.error.details).toEqual({ reschedule_url });
});

test("an appointment of our own has no pages of Calendly", async () => {
  const { fixture } = await booked();
  const { id } = await fixture.book({ startTime: at("12:00") });
  expect((await fixture.call("GET", `/appointments/${id}/calendly`)).json.data).toBe(null);
});

test("a group has an appointment for each invitee, and none of them cancels the others here", async () => {
  const { fixture, guest, id } = await booked({ typeId: "CLASS" });
  const second = { startTime: at("16:00"), eventId: guest.eventId, email: "eva@example.com" };
  const eva = await bookVisit(world(), Object.assign({ reminderNumber: null }, second));
  await fixture.work();
  expect(await fixture.appointments()).toEqual(["confirmed 16:00", "confirmed 16:00"]);
  const refused = await fixture.call("POST", `/appointments/${id}/cancel`, {});
  expect([refused.status, refused.json.error.code]).toEqual([409, "calendly_group_event"]);
  const cancel_url = `https://calendly.com/cancellations/${guest.id}`;
  expect(refused.json.error.details).toEqual({ cancel_url });
  await cancelVisit(world(), eva.id);
  await fixture.work();
  expect(await fixture.appointments()).toEqual(["confirmed 16:00", "cancelled 16:00"]);
  expect((await fixture.call("POST", `/appointments/${id}/cancel`, {})).status).toBe(200);
});

test("a no-show at Calendly is one here, and back, without an event", async () => {
  const { fixture, guest, id } = await booked();
  await letBegin(servers.database.dataSource, id);
  await markVisit(world(), guest.id, true);
  await fixture.work();
  expect((await rowsOf(fixture))[0]?.status).toBe("no_show");
  await markVisit(world(), guest.id, false);
  await fixture.work();
  expect((await rowsOf(fixture))[0]?.status).toBe("confirmed");
  expect(await fixture.events()).toEqual([]);
});

test("a no-show here is one at Calendly, and back", async () => {
  const { fixture, guest, id } = await booked();
  await letBegin(servers.database.dataSource, id);
  expect((await fixture.call("POST", `/appointments/${id}/no-show`)).status).toBe(200);
  await fixture.work();
  expect(world().guests.get(guest.id)?.noShowId).not.toBe(null);
  await fixture.call("POST", `/appointments/${id}/reactivate`);
  await fixture.work();
  expect(world().guests.get(guest.id)?.noShowId).toBe(null);
  expect((await rowsOf(fixture))[0]?.status).toBe("confirmed");
});

test.each(["no-show", "complete"])(
  "a visit that is marked here by %s moves at Calendly, and is confirmed again",
  async (mark) => {
    const { fixture, guest, id } = await booked();
    await letBegin(servers.database.dataSource, id);
    expect((await fixture.call("POST", `/appointments/${id}/${mark}`)).status).toBe(200);
    await fixture.work();
    await moveVisit(world(), guest.id, { startTime: at("18:00") });
    await fixture.work();
    await fixture.work("pairs");
    expect(await fixture.appointments()).toEqual(["confirmed 18:00"]);
    expect(await fixture.events()).toEqual(["appointment.rescheduled 18:00 calendly"]);
  },
);

test("another host at Calendly takes over a no-show with its mark", async () => {
  const { fixture, guest, id } = await booked();
  const resource_id = await fixture.addResource();
  const users = [{ uri: "https://api.calendly.com/users/MEMBER", resource_id }];
  await fixture.call("PATCH", `/calendars/calendly/${fixture.connectionId}`, { users });
  const missed = afterwards(markNoShow);
  await fixture.run((tx) => missed(tx, { appointmentId: id, source: "panel" }));
  await fixture.work();
  reassignVisit(world(), guest.id, ["MEMBER"]);
  await fixture.readAll();
  expect(await fixture.read(id)).toMatchObject({ status: "no_show", resourceId: resource_id });
});

test("the late half of a move makes another appointment where the first was replaced here", async () => {
  const { fixture, guest, id } = await booked();
  world().isHeld = true;
  const next = await moveVisit(world(), guest.id, { startTime: at("18:00") });
  const [cancelled, created] = world().waiting.splice(0);
  if (cancelled === undefined || created === undefined) throw new Error("A move has two halves.");
  world().waiting.push(cancelled);
  await releaseHooks(world());
  world().guests.delete(next.id);
  await fixture.work();
  await fixture.work("pairs");
  await fixture.call("POST", `/appointments/${id}/reactivate`);
  await fixture.run(async (tx) => {
    const to = { appointmentId: id, startTime: at("20:00"), source: "agente" };
    const move = await requestReschedule(tx, Object.assign({ mode: "replace" as const }, to));
    await commitReschedule(tx, Number(move?.id));
  });
  await fixture.events();
  world().guests.set(next.id, next);
  world().waiting.push(created);
  await releaseHooks(world());
  await fixture.work();
  expect(await fixture.appointments()).toEqual([
    "rescheduled 16:00",
    "confirmed 20:00",
    "confirmed 18:00",
  ]);
  expect(await fixture.events()).toEqual(["appointment.created 18:00 calendly"]);
});

test("a change while Calendly is told of the one before is told too", async () => {
  const { fixture, guest, id } = await booked();
  await letBegin(servers.database.dataSource, id);
  await fixture.call("POST", `/appointments/${id}/no-show`);
  const [row] = await servers.database.dataSource.query<{ id: number }[]>(
    "SELECT id FROM calendly_invitees WHERE connection_id = ?",
    [fixture.connectionId],
  );
  const input = { accountId: fixture.account.accountId, inviteeId: Number(row?.id) };
  const steps = servers.stepsAfter(/invitee_no_shows/u, async () => {
    await fixture.call("POST", `/appointments/${id}/reactivate`);
    // The run of the second change ends first, and finds no mark to take back.
    await servers.steps.tellCalendly(input);
  });
  expect(await steps.tellCalendly(input)).toEqual({ state: "told" });
  expect(world().guests.get(guest.id)?.noShowId).toBe(null);
  const [left] = await servers.database.dataSource.query<Record<string, unknown>[]>(
    "SELECT tell_at, no_show_id FROM calendly_invitees WHERE connection_id = ?",
    [fixture.connectionId],
  );
  expect(left).toEqual({ tell_at: null, no_show_id: null });
});

test("an erased contact is not made again by later news of Calendly", async () => {
  const { fixture, guest, contactId } = await booked();
  await fixture.run((tx) => eraseContact(tx, contactId));
  await markVisit(world(), guest.id, true);
  await cancelVisit(world(), guest.id);
  await fixture.work();
  await fixture.readAll();
  expect(await rowsOf(fixture)).toEqual([]);
  const [left] = await servers.database.dataSource.query<{ pages: string | null }[]>(
    "SELECT cancel_url AS pages FROM calendly_invitees WHERE connection_id = ?",
    [fixture.connectionId],
  );
  expect(left?.pages).toBe(null);
  const bodies = await servers.database.dataSource.query<unknown[]>(
    "SELECT 1 FROM calendly_requests WHERE connection_id = ? AND body IS NOT NULL",
    [fixture.connectionId],
  );
  expect(bodies).toEqual([]);
});
