import { describe, expect, test } from "vitest";
import { readDates } from "../../../core/agent/basic/dates.ts";
import { readWords } from "../../../core/agent/basic/vocabulary.ts";
import type { Locale } from "../../../core/model/user.ts";
import { englishDates, spanishDates } from "./corpus/dates.ts";
import { clinicHours, clinicNow } from "./clinic.ts";
import { writeReading } from "./reading-notation.ts";

const read = (text: string, language: Locale, expected: "day" | "time" | null = null) =>
  readDates(readWords(text), {
    now: clinicNow,
    timeZone: "America/Mexico_City",
    language,
    hours: [clinicHours],
    expected,
  });

describe("days and times", () => {
  test.each(spanishDates)("es: %s", (phrase, reading) => {
    expect(writeReading(read(phrase, "es"))).toBe(reading);
  });

  test.each(englishDates)("en: %s", (phrase, reading) => {
    expect(writeReading(read(phrase, "en"))).toBe(reading);
  });

  test("the table holds at least 150 phrases", () => {
    expect(spanishDates.length + englishDates.length).toBeGreaterThanOrEqual(150);
  });

  test("a bare number is the value that was asked for", () => {
    expect(writeReading(read("27", "es", "day"))).toBe("11-27");
    expect(writeReading(read("5", "es", "time"))).toBe("17:00");
    expect(writeReading(read("5", "es"))).toBe("");
  });

  // `bench -- agent-basic` measures the time. Backtracking would pass the time limit of a test.
  test.each([
    ["9".repeat(2_000), ""],
    ["1/2".repeat(700), ""],
    ["mañana ".repeat(300), "11-25"],
    ["no el lunes ".repeat(200), "!11-30"],
    ["entre las 10 y ".repeat(150), "10:00"],
    ["de la ".repeat(400), ""],
    ["a.m.".repeat(500), ""],
    ["a@a.".repeat(500), ""],
    ["á".repeat(2_000), ""],
  ])("2,000 hostile characters are read: %.12s", (text, reading) => {
    expect(writeReading(read(text, "es"))).toBe(reading);
  });
});
