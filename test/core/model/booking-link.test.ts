import fc from "fast-check";
import { expect, test } from "vitest";
import {
  bookingHorizonMs,
  formatSlot,
  parseSlot,
  readCustomer,
} from "../../../core/model/booking-link.ts";
import { bookingWeek, localDate } from "../../../core/model/booking-week.ts";
import { html, toText } from "../../../api/booking/html.ts";

test("a customer has a name and a phone or an email", () => {
  expect(readCustomer({ name: " Ana ", phone: "+52 55 1234 5678", email: "" })).toEqual({
    customer: { name: "Ana", phone: "525512345678", email: undefined },
    faults: {},
  });
  expect(readCustomer({ name: "Ana", phone: " ", email: "ANA@example.com " })).toEqual({
    customer: { name: "Ana", phone: undefined, email: "ana@example.com" },
    faults: {},
  });
});

test("every fault of a form is told at once", () => {
  expect(readCustomer({ name: "", phone: "", email: "" })).toEqual({
    customer: null,
    faults: { name: "name_required", phone: "phone_or_email_required" },
  });
  expect(readCustomer({ name: "x".repeat(201), phone: "1", email: "x" })).toEqual({
    customer: null,
    faults: { name: "name_too_long", phone: "invalid_phone", email: "invalid_email" },
  });
});

test("a slot reads as it was written, to the second", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1 }), fc.integer({ min: 0, max: 9_999_999_999 }), (id, s) => {
      const slot = { resourceId: id, start: new Date(s * 1000) };
      expect(parseSlot(formatSlot(slot))).toEqual(slot);
    }),
  );
});

test.each(["", "7", "7-", "-5", "0-5", "07-5", "7-5-5", "7-1e3", "7-5 ", "7-999999999999"])(
  "%o is no slot",
  (text) => {
    expect(parseSlot(text)).toBeNull();
  },
);

test.each(["America/Tijuana", "Europe/Madrid", "Pacific/Kiritimati", "UTC"])(
  "weeks in %s follow each other without a gap, from today to the horizon",
  (zone) => {
    // Clocks change within these 60 days in Tijuana and Madrid.
    const now = new Date("2026-10-10T05:30:00.000Z");
    let week = bookingWeek(zone, null, now);
    expect(week.range.start <= now).toBe(true);
    expect(localDate(zone, week.range.start)).toBe(localDate(zone, now));
    expect(week.earlier).toBeNull();
    for (let pages = 1; week.later !== null; pages += 1) {
      const next = bookingWeek(zone, week.later, now);
      expect(next.range.start).toEqual(week.range.end);
      expect(next.earlier).toBe(localDate(zone, week.range.start));
      expect(pages).toBeLessThan(10);
      week = next;
    }
    expect(week.range.end).toEqual(new Date(now.getTime() + bookingHorizonMs));
  },
);

test("a date before today or after the horizon, or none at all, leads to today", () => {
  const now = new Date("2026-10-10T12:00:00.000Z");
  const today = bookingWeek("UTC", null, now);
  for (const from of ["2026-10-09", "2026-12-10", "0000-00-00", "x", "2026-10-10T23:00"]) {
    expect(bookingWeek("UTC", from, now)).toEqual(today);
  }
  const [first] = [bookingWeek("UTC", "2026-10-12", now)];
  expect(first.range.start).toEqual(new Date("2026-10-12T00:00:00.000Z"));
  expect(first.earlier).toBe("2026-10-10");
});

test("values in markup are escaped, markup is not, and nothing stands for nothing", () => {
  const inner = html`<b title="${`"'`}">${"<&>"}</b>`;
  expect(toText(html`${inner}${[inner, "x"]}${null}${undefined}${false}${0}`)).toBe(
    `<b title="&quot;&#39;">&lt;&amp;&gt;</b><b title="&quot;&#39;">&lt;&amp;&gt;</b>x0`,
  );
});

test("no text gets out of an attribute or an element", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const written = toText(html`<a title="${text}">${text}</a>`);
      const shown = written.slice('<a title="'.length, -"</a>".length);
      expect(shown.replace('">', "")).not.toMatch(/[<>"']/);
    }),
  );
});
