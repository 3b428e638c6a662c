import { expect, test } from "vitest";
import { googleEvent } from "../../../core/calendars/google-event.ts";
import { mapGoogleEvent, type CalendarView } from "../../../core/calendars/google-mapping.ts";

const view: CalendarView = {
  timeZone: "America/Mexico_City",
  ownEmails: new Set(["owner@clinic.example", "desk@clinic.example"]),
  otherEvents: "busy",
  busyOnly: false,
};
const owner = { email: "owner@clinic.example", self: true, organizer: true };
const ana = { email: "Ana@Example.com", displayName: "Ana", responseStatus: "accepted" };

function map(fields: object, given: CalendarView = view) {
  const base = {
    id: "e1",
    status: "confirmed",
    etag: '"1"',
    start: { dateTime: "2026-12-01T10:00:00-06:00" },
    end: { dateTime: "2026-12-01T11:00:00-06:00" },
  };
  return mapGoogleEvent(googleEvent.parse(Object.assign(base, fields)), given);
}

const kindOf = (fields: object, given?: CalendarView) => map(fields, given).kind;

test("the customer is the first invited person from outside", () => {
  const room = { email: "room@resource.calendar.google.com", resource: true };
  const desk = { email: "desk@clinic.example" };
  const mapped = map({ summary: "Check-up", attendees: [owner, room, desk, ana] });
  expect(mapped).toMatchObject({
    kind: "appointment",
    title: "Check-up",
    customer: { name: "Ana", email: "ana@example.com", phone: null },
    facts: { startTime: new Date("2026-12-01T16:00:00Z"), hasGuests: true, seriesId: null },
  });
});

test("an organizer from outside is the customer", () => {
  const organizer = { email: "luis@example.com", displayName: "Luis" };
  const guests = [{ email: "owner@clinic.example", self: true }, ana];
  expect(map({ organizer, attendees: guests })).toMatchObject({
    customer: { name: "Luis", email: "luis@example.com" },
  });
  const calendar = { email: "c_1@group.calendar.google.com", self: true };
  expect(kindOf({ organizer: calendar })).toBe("busy");
});

test("a phone in the text is that of a guest who is alone, and of none among several people", () => {
  const summary = "Check-up +52 55 1234 5678";
  const phone = "525512345678";
  const organizer = { email: "luis@example.com", displayName: "Luis" };
  const self = { email: "owner@clinic.example", self: true };
  const bob = { email: "bob@example.com" };
  expect(map({ summary, attendees: [owner, ana] })).toMatchObject({ customer: { phone } });
  expect(map({ summary, organizer, attendees: [self] })).toMatchObject({ customer: { phone } });
  const host = { email: "luis@example.com", organizer: true };
  const listed = { summary, organizer, attendees: [self, host] };
  expect(map(listed)).toMatchObject({ customer: { phone } });
  const none = { customer: { phone: null } };
  expect(map({ summary, attendees: [owner, ana, bob] })).toMatchObject(none);
  expect(map({ summary, organizer, attendees: [self, ana] })).toMatchObject(none);
});

test("a phone or an address in title or description names the customer", () => {
  expect(map({ summary: "Ana Ruiz +52 55 1234 5678" })).toMatchObject({
    customer: { name: "Ana Ruiz", phone: "525512345678", email: null },
  });
  expect(
    map({ summary: "Luis", description: "Tel.<br>5215587654321<br>luis@example.com" }),
  ).toMatchObject({
    customer: { name: "Luis", phone: "5215587654321", email: "luis@example.com" },
  });
  expect(kindOf({ summary: "Invoice 20261126 of 2026-11-26 10:00" })).toBe("busy");
  expect(kindOf({ description: "Zoom dial-in +1 646 558 8656,,123456#" })).toBe("busy");
  expect(kindOf({ description: "Ask desk@clinic.example" })).toBe("busy");
});

test("events without a customer are busy or ignored, by the setting", () => {
  expect(kindOf({ summary: "Lunch" })).toBe("busy");
  const ignoring: CalendarView = {
    timeZone: view.timeZone,
    ownEmails: view.ownEmails,
    otherEvents: "ignore",
    busyOnly: false,
  };
  expect(kindOf({ summary: "Lunch" }, ignoring)).toBe("ignored");
  for (const eventType of ["outOfOffice", "focusTime", "fromGmail"]) {
    expect(kindOf({ eventType, attendees: [ana] }, ignoring)).toBe("busy");
  }
  for (const eventType of ["workingLocation", "birthday"]) {
    expect(kindOf({ eventType })).toBe("ignored");
  }
});

test("free, declined, private, all-day and long events are no appointments", () => {
  const attendees = [owner, ana];
  expect(kindOf({ attendees, transparency: "transparent" })).toBe("ignored");
  const declined = { email: "owner@clinic.example", self: true, responseStatus: "declined" };
  expect(kindOf({ attendees: [declined, ana] })).toBe("ignored");
  expect(map({ attendees, visibility: "private" })).toMatchObject({
    kind: "busy",
    facts: { keepsAppointment: true },
  });
  expect(map({ attendees, end: { dateTime: "2026-12-02T10:00:01-06:00" } })).toMatchObject({
    kind: "busy",
    facts: { keepsAppointment: false },
  });
  expect(kindOf({ attendees, end: { dateTime: "2026-12-02T10:00:00-06:00" } })).toBe("appointment");
});

test("a customer who declines frees the time", () => {
  const gone = { email: "ana@example.com", responseStatus: "declined" };
  expect(map({ attendees: [owner, gone] })).toMatchObject({
    kind: "ignored",
    facts: { keepsAppointment: false },
  });
});

test("the refusal of one guest leaves the event to the others", () => {
  const bob = { email: "bob@example.com", responseStatus: "declined" };
  expect(map({ attendees: [owner, bob, ana] })).toMatchObject({
    kind: "appointment",
    customer: { name: "Ana", email: "ana@example.com" },
    facts: { keepsAppointment: true, declinedBy: ["bob@example.com"] },
  });
  const luis = { email: "luis@example.com", responseStatus: "declined" };
  expect(map({ attendees: [owner, bob, luis] })).toMatchObject({
    kind: "ignored",
    facts: { keepsAppointment: false, declinedBy: ["bob@example.com", "luis@example.com"] },
  });
});

test("all-day dates are meant in the zone of the list", () => {
  const day = { start: { date: "2026-12-01" }, end: { date: "2026-12-02" } };
  expect(map(day)).toMatchObject({
    kind: "busy",
    facts: {
      startTime: new Date("2026-12-01T06:00:00Z"),
      endTime: new Date("2026-12-02T06:00:00Z"),
    },
  });
});

test("a removal carries only its id, and an event without a time is left out", () => {
  const removed = googleEvent.parse({ id: "s1_20261201T160000Z", status: "cancelled" });
  expect(mapGoogleEvent(removed, view)).toEqual({
    kind: "removed",
    eventId: "s1_20261201T160000Z",
    seriesId: "s1",
  });
  expect(kindOf({ start: { dateTime: "soon" } })).toBe("unreadable");
  expect(kindOf({ start: 7 })).toBe("unreadable");
});

test("a calendar for busy times alone gives no appointments", () => {
  const busyOnly: CalendarView = {
    timeZone: view.timeZone,
    ownEmails: view.ownEmails,
    otherEvents: "busy",
    busyOnly: true,
  };
  expect(kindOf({ attendees: [owner, ana] }, busyOnly)).toBe("busy");
});
