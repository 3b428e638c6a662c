import { afterEach, beforeEach, expect, test } from "vitest";
import { listSlots } from "../../core/services/appointments/free-slots.ts";
import { deleteResource } from "../../core/services/appointments/resources.ts";
import { stageChange } from "../../core/services/calendar-intake/staged-changes.ts";
import { adoptEvent } from "../../core/services/calendars/adopted-events.ts";
import { putBusyBlocks } from "../../core/services/calendars/busy-blocks.ts";
import { beginLink, endLink } from "../../core/services/calendars/link-lifecycle.ts";
import { eraseContact } from "../../core/services/contact-lifecycle/contact-erasure.ts";
import { createTestDatabase } from "../support/database.ts";
import { useFixture } from "../support/use-fixture.ts";
import {
  adaCalendar,
  bookOnBothSides,
  createReadingFixture,
  from,
  soon,
  visit,
  type ReadingFixture,
} from "./calendar-reading-fixture.ts";

const database = useFixture(createTestDatabase);
let fixture: ReadingFixture;

beforeEach(async () => {
  fixture = await createReadingFixture(database);
});

afterEach(async () => {
  await fixture.stop();
});

test("the first reading makes appointments and busy times, and publishes each once", async () => {
  const { google } = fixture;
  google.insert(adaCalendar, visit("15:00", "16:00"));
  google.insert(adaCalendar, Object.assign({ summary: "Lunch" }, from("20:00", "21:00")));
  google.insert(adaCalendar, visit("15:00", "16:00", 120));
  expect(await fixture.readAll()).toMatchObject({ state: "idle" });
  expect(await fixture.shown()).toEqual(["15:00 confirmed Eva"]);
  expect(await fixture.busy()).toEqual(["20:00-21:00"]);
  expect(await fixture.events()).toEqual(["contact.created", "appointment.created"]);
  expect(await fixture.kinds()).toEqual([]);
  await fixture.readAll();
  expect(await fixture.events()).toEqual([]);
  const [event] = await fixture.sql<{ body: Buffer }>(
    "SELECT body FROM events WHERE account_id = ? AND type = 'contact.created'",
    [fixture.account.accountId],
  );
  expect(JSON.parse(String(event?.body)).data).toMatchObject({
    source: "panel",
    email: "eva@example.com",
  });
});

test("a move, a deletion, a return and other changes there are announced once or not at all", async () => {
  const { google } = fixture;
  await fixture.readAll();
  const { id } = google.insert(adaCalendar, visit("15:00", "16:00"));
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["contact.created", "appointment.created"]);
  google.change(adaCalendar, id, { summary: "Control", colorId: "3" });
  await fixture.readAll();
  expect(await fixture.events()).toEqual([]);
  google.change(adaCalendar, id, from("17:00", "18:00"));
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["appointment.rescheduled"]);
  expect(await fixture.shown()).toEqual(["17:00 confirmed Eva"]);
  google.remove(adaCalendar, id);
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["appointment.cancelled"]);
  google.change(adaCalendar, id, { status: "confirmed" });
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["appointment.created"]);
  expect(await fixture.shown()).toEqual(["17:00 confirmed Eva"]);
});

test("the calendar of an agenda that an admin deletes is read on", async () => {
  await fixture.run((tx) => deleteResource(tx, fixture.resourceId));
  fixture.google.insert(adaCalendar, visit("15:00", "16:00"));
  fixture.google.insert(adaCalendar, Object.assign({ summary: "Lunch" }, from("20:00", "21:00")));
  expect(await fixture.readAll()).toMatchObject({ state: "idle" });
  expect([await fixture.busy(), await fixture.shown()]).toEqual([["20:00-21:00"], []]);
});

test("a customer who declines cancels, and one who accepts after all is booked again", async () => {
  const { google } = fixture;
  const { id } = google.insert(adaCalendar, visit("15:00", "16:00"));
  await fixture.readAll();
  const answer = (responseStatus: "declined" | "accepted") =>
    google.change(adaCalendar, id, { attendees: [{ email: "eva@example.com", responseStatus }] });
  await fixture.events();
  answer("declined");
  await fixture.readAll();
  answer("accepted");
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["appointment.cancelled", "appointment.created"]);
});

test("a refusal of somebody else than the customer cancels nothing", async () => {
  const { google } = fixture;
  const lab = { email: "lab@example.com", responseStatus: "declined" as const };
  const { eventId } = await bookOnBothSides(fixture);
  const eva = { email: "eva@example.com", responseStatus: "accepted" as const };
  const { id } = google.insert(adaCalendar, visit("17:00", "18:00"));
  const phone = Object.assign({ summary: "Luis +52 55 1234 5678" }, from("19:00", "20:00"));
  const called = google.insert(adaCalendar, phone);
  await fixture.readAll();
  await fixture.events();
  google.change(adaCalendar, eventId, { attendees: [lab] });
  google.change(adaCalendar, id, { attendees: [lab, eva] });
  google.change(adaCalendar, called.id, { attendees: [lab] });
  await fixture.readAll();
  expect(await fixture.events()).toEqual([]);
  // Her refusal does cancel, and the other guest still takes the time.
  const gone = { email: "eva@example.com", responseStatus: "declined" as const };
  google.change(adaCalendar, id, { attendees: [gone, { email: "bob@example.com" }] });
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["appointment.cancelled"]);
  expect(await fixture.busy()).toEqual(["17:00-18:00"]);
});

test("the one guest of an event declines also where the contact is known by the phone in its text", async () => {
  const { google } = fixture;
  const luis = (responseStatus: "accepted" | "declined") => ({
    attendees: [{ email: "luis@example.com", responseStatus }],
  });
  const summary = "Luis +52 55 1234 5678";
  google.insert(adaCalendar, Object.assign({ summary }, from("09:00", "10:00")));
  await fixture.readAll();
  const { id } = google.insert(
    adaCalendar,
    Object.assign({ summary }, from("19:00", "20:00"), luis("accepted")),
  );
  await fixture.readAll();
  await fixture.events();
  google.change(adaCalendar, id, luis("declined"));
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["appointment.cancelled"]);
});

test("the refusal of the customer whom we booked cancels", async () => {
  const { google } = fixture;
  const { appointmentId, eventId } = await bookOnBothSides(fixture);
  const { contactId } = await fixture.read(appointmentId);
  await fixture.sql("UPDATE contacts SET email = 'carla@example.com' WHERE id = ?", [contactId]);
  const carla = { email: "carla@example.com", responseStatus: "declined" as const };
  google.change(adaCalendar, eventId, { attendees: [{ email: "lab@example.com" }, carla] });
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["appointment.cancelled"]);
});

test("slots close with the busy time, and open again without it", async () => {
  const { google, resourceId } = fixture;
  const slotsAt = async (time: string) => {
    const range = { from: new Date(soon(time)), to: new Date(Date.parse(soon(time)) + 60_000) };
    return await fixture.run((tx) => listSlots(tx, { resourceId, ...range }));
  };
  expect(await slotsAt("15:00")).toHaveLength(1);
  const { id } = google.insert(
    adaCalendar,
    Object.assign({ summary: "x" }, from("15:00", "16:00")),
  );
  await fixture.readAll();
  expect(await slotsAt("15:00")).toEqual([]);
  google.remove(adaCalendar, id);
  await fixture.readAll();
  expect(await slotsAt("15:00")).toHaveLength(1);
});

test("an appointment of the calendar overlaps ours, and one notification says so", async () => {
  await fixture.readAll();
  await fixture.book({ startTime: new Date(soon("15:00")), durationMinutes: 30 });
  fixture.google.insert(adaCalendar, visit("15:15", "16:00"));
  await fixture.readAll();
  expect(await fixture.shown()).toEqual(["15:00 confirmed Ana Torres", "15:15 confirmed Eva"]);
  expect(await fixture.kinds()).toEqual(["appointment_booked", "appointment_overlaps"]);
});

test("our own writes come back without an effect, and a copy of our event is somebody else's", async () => {
  const { google } = fixture;
  await fixture.readAll();
  const { id } = await fixture.book({ startTime: new Date(soon("15:00")) });
  await fixture.sync(id);
  await fixture.events();
  await fixture.readAll();
  expect(await fixture.events()).toEqual([]);
  const { googleEventId } = await fixture.read(id);
  if (googleEventId === null) throw new Error("It has no event.");
  google.change(adaCalendar, googleEventId, from("18:00", "18:30"));
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["appointment.rescheduled"]);
  google.copy(adaCalendar, googleEventId);
  await fixture.readAll();
  expect(await fixture.events()).toEqual([]);
  expect(await fixture.busy()).toEqual(["18:00-18:30"]);
});

test("an expired token leads to a full reading, which cancels nothing on absence alone", async () => {
  const { google } = fixture;
  const kept = google.insert(adaCalendar, visit("15:00", "16:00"));
  const gone = google.insert(adaCalendar, visit("17:00", "18:00"));
  const far = google.insert(adaCalendar, visit("19:00", "20:00"));
  const busy = google.insert(adaCalendar, Object.assign({ summary: "x" }, from("21:00", "22:00")));
  await fixture.readAll();
  await fixture.events();
  google.remove(adaCalendar, gone.id);
  google.remove(adaCalendar, busy.id);
  // Beyond the horizon a full list does not name it.
  google.change(adaCalendar, far.id, from("19:00", "20:00", 200));
  google.endSyncTokens(adaCalendar);
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["appointment.cancelled", "appointment.rescheduled"]);
  expect(await fixture.shown()).toEqual([
    "15:00 confirmed Eva",
    "17:00 cancelled Eva",
    "19:00 confirmed Eva",
  ]);
  expect(await fixture.busy()).toEqual([]);
  expect(await fixture.link()).toMatchObject({ generation: 2, phase: "delta" });
  expect(google.find(adaCalendar, kept.id)?.status).toBe("confirmed");
});

test("a new time of a series moves its instances, and a split changes ids silently", async () => {
  const { google } = fixture;
  await fixture.readAll();
  const weekly = Object.assign(visit("15:00", "16:00"), {
    recurrence: ["RRULE:FREQ=WEEKLY;COUNT=3"],
  });
  const series = google.insert(adaCalendar, weekly);
  await fixture.readAll();
  expect(await fixture.events()).toEqual([
    "contact.created",
    ...Array.from({ length: 3 }, () => "appointment.created"),
  ]);
  google.change(adaCalendar, series.id, from("17:00", "18:00"));
  await fixture.readAll();
  expect(await fixture.events()).toEqual(
    Array.from({ length: 3 }, () => "appointment.rescheduled"),
  );
  const [, second] = google.list(adaCalendar);
  google.split(adaCalendar, second?.id ?? "", { summary: "Control" });
  await fixture.readAll();
  expect(await fixture.events()).toEqual([]);
  expect(await fixture.shown()).toEqual(Array.from({ length: 3 }, () => "17:00 confirmed Eva"));
  const [, third] = google.list(adaCalendar);
  google.remove(adaCalendar, third?.id ?? "");
  await fixture.readAll();
  expect(await fixture.events()).toEqual(["appointment.cancelled"]);
});

test("an endless series makes appointments up to the horizon, and more of them day by day", async () => {
  const { google } = fixture;
  const daily = Object.assign(visit("15:00", "16:00"), { recurrence: ["RRULE:FREQ=DAILY"] });
  google.insert(adaCalendar, daily);
  await fixture.readAll();
  const count = async () => (await fixture.shown()).length;
  const first = await count();
  expect(first).toBeGreaterThan(85);
  expect(first).toBeLessThan(92);
  await fixture.sql("UPDATE calendar_links SET horizon = horizon - INTERVAL 2 DAY WHERE id = ?", [
    fixture.linkId,
  ]);
  await fixture.sql(
    "DELETE FROM calendar_events WHERE link_id = ? AND seen_start > NOW() + INTERVAL 88 DAY",
    [fixture.linkId],
  );
  await fixture.readAll();
  expect(await count()).toBeGreaterThanOrEqual(first);
  expect((await fixture.link()).phase).toBe("delta");
});

test("a calendar in trouble waits, and one that is no longer shared ends", async () => {
  const { google } = fixture;
  google.fail({ kind: "rateLimit" });
  expect(await fixture.readAll()).toMatchObject({ state: "waiting", code: "http_403" });
  google.fail({ kind: "forbidden" });
  expect(await fixture.readAll()).toEqual({ state: "ended" });
  expect((await fixture.link()).state).toBe("disconnected");
  expect(await fixture.readAll()).toEqual({ state: "ended" });
});

test("an erased customer is not made again by the event, whose time stays taken", async () => {
  const { google } = fixture;
  const { id } = google.insert(adaCalendar, visit("15:00", "16:00"));
  await fixture.readAll();
  await fixture.sql("DELETE FROM appointments WHERE account_id = ?", [fixture.account.accountId]);
  await fixture.events();
  google.change(adaCalendar, id, { summary: "Control" });
  await fixture.readAll();
  expect(await fixture.events()).toEqual([]);
  expect(await fixture.shown()).toEqual([]);
  expect(await fixture.busy()).toEqual(["15:00-16:00"]);
});

test("an erasure takes what a reading under way has kept of the customer's events", async () => {
  fixture.google.insert(adaCalendar, visit("15:00", "16:00"));
  await fixture.readAll();
  const link = await fixture.link();
  const keep = async (eventId: string, email: string | null, phone: string | null) => {
    const [startTime, endTime] = [new Date(soon("15:00")), new Date(soon("16:00"))];
    const times = { updatedAt: null, startTime, endTime, hasGuests: true, keepsAppointment: true };
    const ids = { eventId, etag: null, iCalUid: null, seriesId: "series", declinedBy: [] };
    const facts = Object.assign({}, ids, times);
    const customer = { name: "Eva", email, phone };
    const event = { kind: "appointment", facts, title: "Check-up", customer } as const;
    await fixture.run((tx) => stageChange(tx, link, { kind: "appeared", event }));
  };
  await keep("a", "eva@example.com", null);
  await keep("b", null, "5215511112222");
  await keep("c", "other@example.com", "5215533334444");
  const [eva] = await fixture.sql<{ contact_id: number }>(
    "SELECT contact_id FROM appointments WHERE account_id = ?",
    [fixture.account.accountId],
  );
  const contactId = Number(eva?.contact_id);
  await fixture.sql("UPDATE contacts SET phone = '5215511112222' WHERE id = ?", [contactId]);
  await fixture.run((tx) => eraseContact(tx, contactId));
  const left = await fixture.sql("SELECT event_id FROM calendar_changes WHERE link_id = ?", [
    link.id,
  ]);
  expect(left).toEqual([{ event_id: "c" }]);
});

test("an event that another calendar wrote belongs to its appointment, and makes no second one", async () => {
  const { google, resourceId } = fixture;
  await fixture.readAll();
  const { id } = await fixture.book({ startTime: new Date(soon("15:00")), durationMinutes: 60 });
  const copy = google.insert(adaCalendar, visit("15:00", "16:00"));
  await fixture.run((tx) => adoptEvent(tx, { appointmentId: id, resourceId, eventId: copy.id }));
  await fixture.events();
  await fixture.readAll();
  expect(await fixture.events()).toEqual([]);
  expect(await fixture.shown()).toHaveLength(1);
});

test("a busy time of another provider closes its slots too", async () => {
  const { resourceId, connectionId } = fixture;
  const [startTime, endTime] = [new Date(soon("15:00")), new Date(soon("16:00"))];
  const place = { resourceId, connectionId, linkId: null, eventId: "other" };
  await fixture.run((tx) => putBusyBlocks(tx, [{ startTime, endTime, ...place }]));
  const refused = fixture.book({ startTime, durationMinutes: 30 });
  await expect(refused).rejects.toMatchObject({ code: "slot_taken", details: { reason: "busy" } });
});

test("an event that goes to another agenda of the account takes its busy time along", async () => {
  const { google, connectionId, resourceId } = fixture;
  const lunch = Object.assign({ summary: "Lunch" }, from("20:00", "21:00"));
  const { id: eventId } = google.insert(adaCalendar, lunch);
  await fixture.readAll();
  // The other calendar is read first, and has the event under the same id.
  const times = { startTime: new Date(soon("20:00")), endTime: new Date(soon("21:00")) };
  const other = { resourceId: resourceId + 1, connectionId, linkId: null, eventId };
  await fixture.run((tx) => putBusyBlocks(tx, [{ ...times, ...other }]));
  google.remove(adaCalendar, eventId);
  await fixture.readAll();
  const left = await fixture.sql("SELECT resource_id AS id FROM busy_blocks WHERE event_id = ?", [
    eventId,
  ]);
  expect(left).toEqual([{ id: other.resourceId }]);
});

test("Calendly's copy of a booking belongs to the appointment of that booking", async () => {
  const { google, resourceId } = fixture;
  await fixture.readAll();
  const times = { startTime: new Date(soon("15:00")), endTime: new Date(soon("16:00")) };
  const customer = { contact: { email: "eva@example.com", name: "Eva" } };
  const { id } = await fixture.book({ resourceId, customer, source: "calendly", ...times });
  const copy = google.insert(adaCalendar, visit("15:00", "16:00"));
  await fixture.events();
  await fixture.readAll();
  expect(await fixture.events()).toEqual([]);
  expect(await fixture.shown()).toEqual(["15:00 confirmed Eva"]);
  expect(await fixture.read(id)).toMatchObject({ source: "calendly", googleEventId: copy.id });
});

test("a link begins with a reading, and its end frees the busy times", async () => {
  const { google } = fixture;
  google.insert(adaCalendar, Object.assign({ summary: "x" }, from("15:00", "16:00")));
  const link = await fixture.link();
  await fixture.run((tx) => beginLink(tx, link));
  expect(await fixture.accountRequests()).toContain(`sync-calendar-${fixture.linkId}`);
  await fixture.readAll();
  expect(await fixture.busy()).toEqual(["15:00-16:00"]);
  await fixture.run((tx) => endLink(tx, link));
  expect(await fixture.busy()).toEqual([]);
  expect(await fixture.link()).toMatchObject({ phase: "full", syncToken: null });
});

test("a first reading that begins once more tells nobody of single bookings", async () => {
  const { google, linkId } = fixture;
  google.insert(adaCalendar, visit("15:00", "16:00"));
  const weekly = { recurrence: ["RRULE:FREQ=WEEKLY;COUNT=3"] };
  google.insert(adaCalendar, Object.assign(visit("17:00", "18:00"), weekly));
  // The first try has ended before its last page.
  await fixture.sql("UPDATE calendar_links SET generation = 1 WHERE id = ?", [linkId]);
  await fixture.readAll();
  expect(await fixture.shown()).toHaveLength(4);
  expect(await fixture.kinds()).toEqual([]);
});
