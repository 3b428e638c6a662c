import { expect, test } from "vitest";
import { appointmentUid, renderCalendarFile } from "../../../core/calendars/calendar-file.ts";

const entry = {
  uid: appointmentUid(7, "https://parley.example:8443/base"),
  recurrenceId: null,
  sequence: 3,
  isCancelled: false,
  start: new Date("2026-11-26T18:00:00.000Z"),
  end: new Date("2026-11-26T18:30:00.000Z"),
  updatedAt: new Date("2026-11-24T09:52:01.234Z"),
  summary: "Limpieza, Sonrisa",
  location: "Av. Reforma 222; piso 4",
};

test("a calendar file holds the appointment in UTC, with lines of CRLF", () => {
  expect(renderCalendarFile({ name: null, entries: [entry] }).split("\r\n")).toEqual([
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Parley//Booking//EN",
    "METHOD:PUBLISH",
    "BEGIN:VEVENT",
    "UID:appointment-7@parley.example",
    "SEQUENCE:3",
    "DTSTAMP:20261124T095201Z",
    "DTSTART:20261126T180000Z",
    "DTEND:20261126T183000Z",
    String.raw`SUMMARY:Limpieza\, Sonrisa`,
    String.raw`LOCATION:Av. Reforma 222\; piso 4`,
    "STATUS:CONFIRMED",
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ]);
});

test("no text adds a property of its own, and long lines are folded between characters", () => {
  const summary = `a\r\nATTENDEE:mailto:x@example.com\n\u0000${"é".repeat(100)}`;
  const entries = [{ ...entry, summary, location: null, isCancelled: true }];
  const file = renderCalendarFile({ name: "Ana\r\nMETHOD:REQUEST", entries });
  const lines = file.split("\r\n");
  expect(lines.filter((line) => /^(?:ATTENDEE|LOCATION|METHOD:REQUEST)/.test(line))).toEqual([]);
  expect(lines).toContain("STATUS:CANCELLED");
  expect(lines).toContain("X-WR-CALNAME:Ana METHOD:REQUEST");
  for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  const unfolded = file.replaceAll("\r\n ", "");
  expect(unfolded).toContain(
    String.raw`SUMMARY:a\nATTENDEE:mailto:x@example.com\n` + "é".repeat(100),
  );
});

test("instances of a series share a UID, and each has its first time", () => {
  const recurrenceId = new Date("2026-11-25T18:00:00.000Z");
  const moved = { ...entry, recurrenceId };
  const file = renderCalendarFile({ name: "Ana", entries: [moved] });
  expect(file).toContain("UID:appointment-7@parley.example\r\n");
  expect(file).toContain("RECURRENCE-ID:20261125T180000Z\r\n");
});

test("the same content is the same file, whenever it is rendered", () => {
  const file = { name: "Ana", entries: [entry] };
  expect(renderCalendarFile(file)).toBe(renderCalendarFile(file));
});
