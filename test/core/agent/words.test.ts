import { expect, test } from "vitest";
import { listWords } from "../../../core/agent/basic/text.ts";
import { shortWordsOfTime, wordsOfEffect, wordsOfTime } from "../../../core/agent/words.ts";

const startTime = new Date("2026-11-24T16:00:00Z");
const timeZone = "America/Mexico_City";

test("a time reads as people say it, in the account's zone and the customer's language", () => {
  const inWords = (language: "en" | "es", resourceName: string, start = startTime) =>
    wordsOfTime({ startTime: start, resourceName, language, timeZone });
  expect(inWords("es", "Dra. Soto")).toBe("martes 24 de noviembre, 10:00, Dra. Soto");
  expect(inWords("en", "Dr. Soto")).toBe("Tuesday, November 24, 10:00 AM, Dr. Soto");
  expect(inWords("es", "", new Date("2026-11-25T05:30:00Z"))).toBe("martes 24 de noviembre, 23:30");
  expect(inWords("en", "", new Date("2026-11-24T06:00:00Z"))).toBe(
    "Tuesday, November 24, 12:00 AM",
  );
});

test("each effect has its own words", () => {
  const time = { startTime, resourceName: "Dra. Soto", language: "es", timeZone } as const;
  expect(wordsOfEffect("reschedule_appointment", time)).toBe(
    "Cita movida: martes 24 de noviembre, 10:00, Dra. Soto",
  );
  expect(wordsOfEffect("cancel_appointment", { ...time, language: "en" })).toBe(
    "Appointment cancelled: Tuesday, November 24, 10:00 AM, Dra. Soto",
  );
});

test.each([
  ["o'brien&co@example.com", ["o'brien&co@example.com"]],
  ["'ana@example.com'", ["ana@example.com"]],
  ["ana!luz@example.com", []],
])("the emails of %s are whole addresses: %o", (text, emails) => {
  const found = listWords(text).filter(({ kind }) => kind === "email");
  expect(found.map((word) => word.text)).toEqual(emails);
});

test("a time is in its own zone, also where more zones come than formats are kept", () => {
  const zones = Intl.supportedValuesOf("timeZone").slice(0, 80);
  const wordsIn = (zone: string) => shortWordsOfTime({ startTime, language: "es", timeZone: zone });
  const first = zones.map(wordsIn);
  expect(wordsIn("America/Mexico_City")).toBe("mar 24, 10:00");
  expect(wordsIn("Asia/Tokyo")).toBe("mié 25, 01:00");
  expect(zones.map(wordsIn)).toEqual(first);
});
