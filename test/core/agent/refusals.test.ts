import { describe, expect, test } from "vitest";
import { readDates } from "../../../core/agent/basic/dates.ts";
import { readWords } from "../../../core/agent/basic/vocabulary.ts";
import type { Locale } from "../../../core/model/user.ts";
import { clinicHours, clinicNow, openClinic } from "./clinic.ts";
import { writeReading } from "./reading-notation.ts";
import { runTranscript } from "./transcripts.ts";

const read = (text: string, language: Locale) =>
  writeReading(
    readDates(readWords(text), {
      now: clinicNow,
      timeZone: "America/Mexico_City",
      language,
      hours: [clinicHours],
    }),
  );

/** The last reply, and the calls that led to it. */
async function lastOf(texts: readonly string[], scene: "known" | "booked" = "known") {
  const turns = texts.map((customer) => ({ customer }));
  const played = (await runTranscript({ turns }, openClinic(scene))).at(-1);
  return { calls: played?.calls ?? [], reply: played?.reply ?? "" };
}

/** Clock times that a reply offers. */
const hoursOf = (reply: string) =>
  [...reply.matchAll(/(\d{1,2}):\d{2}(?: ([AP])M)?/gu)].map(([, hour, half]) =>
    half === "P" && hour !== "12" ? Number(hour) + 12 : Number(hour),
  );

describe("refused parts of the day and bounds of time", () => {
  test.each([
    ["por la mañana no puedo", "es", "afternoon"],
    ["en la mañana no", "es", "afternoon"],
    ["no por la mañana", "es", "afternoon"],
    ["no puedo por la mañana", "es", "afternoon"],
    ["que no sea en la mañana", "es", "afternoon"],
    ["trabajo en la mañana", "es", "afternoon"],
    ["por la tarde no puedo", "es", "morning"],
    ["por la noche no puedo", "es", "afternoon"],
    ["el jueves, pero no por la mañana", "es", "11-26 afternoon"],
    ["por la mañana no puedo, a las 4", "es", "16:00"],
    ["no puedo en la mañana, en la tarde sí", "es", "afternoon"],
    ["not in the morning", "en", "afternoon"],
    ["mornings don't work for me", "en", "afternoon"],
    ["I can't do mornings", "en", "afternoon"],
    ["in the afternoon I can't", "en", "morning"],
    ["Thursday, not in the morning", "en", "11-26 afternoon"],
  ] as const)("of a refused part the other is read: %s", (text, language, reading) => {
    expect(read(text, language)).toBe(reading);
  });

  test.each([
    ["no, por la mañana", "es", "morning"],
    ["¿no hay en la mañana?", "es", "morning"],
    ["¿por qué no por la mañana?", "es", "morning"],
    ["¿no puede ser por la mañana?", "es", "morning"],
    ["por la mañana no hay problema", "es", "morning"],
    ["al menos por la mañana", "es", "morning"],
    ["no puedo el jueves, por la mañana el viernes", "es", "11-27 morning !11-26"],
    ["no trabajo en la mañana", "es", "morning"],
    ["trabajo por la tarde, puedo en la mañana", "es", "morning"],
    ["mornings work for me", "en", "morning"],
    ["why not in the morning?", "en", "morning"],
    ["in the morning, I can't on Friday", "en", "morning !11-27"],
  ] as const)("a part that is not refused stays: %s", (text, language, reading) => {
    expect(read(text, language)).toBe(reading);
  });

  test.each([
    ["no antes de las 4", "es", "16:00-24:00"],
    ["no puedo antes de las 4", "es", "16:00-24:00"],
    ["antes de las 4 no puedo", "es", "16:00-24:00"],
    ["no puedo llegar antes de las 4", "es", "16:00-24:00"],
    ["no después de las 5", "es", "00:00-17:00"],
    ["después de las 5 no puedo", "es", "00:00-17:00"],
    ["Trabajo hasta las 5", "es", "17:00-24:00"],
    ["trabajo hasta las 5 de la tarde", "es", "17:00-24:00"],
    ["estoy ocupada hasta las 5", "es", "17:00-24:00"],
    ["not before 4", "en", "16:00-24:00"],
    ["I can't come before 4", "en", "16:00-24:00"],
    ["not after 5", "en", "00:00-17:00"],
    ["not until 5", "en", "17:00-24:00"],
    ["I work until 5", "en", "17:00-24:00"],
    ["I work till 5", "en", "17:00-24:00"],
    ["I'm busy until 5", "en", "17:00-24:00"],
  ] as const)("a refused bound of time turns: %s", (text, language, reading) => {
    expect(read(text, language)).toBe(reading);
  });

  test.each([
    ["no, antes de las 4", "es", "00:00-16:00"],
    ["¿no tienes antes de las 4?", "es", "00:00-16:00"],
    ["¿no puede ser antes de las 4?", "es", "00:00-16:00"],
    ["no trabajo hasta las 5", "es", "00:00-17:00"],
    ["puedo hasta las 5", "es", "00:00-17:00"],
    ["el jueves no puedo, antes de las 4 el viernes", "es", "11-27 00:00-16:00 !11-26"],
    ["no, after 5", "en", "17:00-24:00"],
    ["do you work until 5?", "en", "00:00-17:00"],
    ["does it work until 5", "en", "00:00-17:00"],
  ] as const)("a bound of time that is not refused stays: %s", (text, language, reading) => {
    expect(read(text, language)).toBe(reading);
  });

  test.each([
    ["no antes del jueves", "es", "11-26.."],
    ["que no sea antes del jueves", "es", "11-26.."],
    ["no puedo antes del jueves", "es", "11-26.."],
    ["no después del jueves", "es", "11-24..11-26"],
    ["not before Thursday", "en", "11-26.."],
    ["I can't before Thursday", "en", "11-26.."],
    ["not after Thursday", "en", "11-24..11-26"],
    ["no, antes del jueves", "es", "11-24..11-25"],
    ["¿no tienes antes del jueves?", "es", "11-24..11-25"],
  ] as const)("a refused bound of days turns: %s", (text, language, reading) => {
    expect(read(text, language)).toBe(reading);
  });

  test.each([
    ["por la mañana no puedo", 12, 19],
    ["en la mañana no", 12, 19],
    ["not in the morning", 12, 19],
    ["mornings don't work for me", 12, 19],
    ["no antes de las 4", 16, 19],
    ["not before 4", 16, 19],
    ["no después de las 5", 9, 16],
    ["not after 5", 9, 16],
    ["Trabajo hasta las 5", 17, 19],
    ["I work until 5", 17, 19],
  ])("no refused time is offered: %s", async (text, first, last) => {
    const { reply } = await lastOf(["quiero una limpieza el jueves o el viernes", text]);
    const hours = hoursOf(reply);
    expect(hours.length).toBeGreaterThan(0);
    for (const hour of hours) {
      expect(hour).toBeGreaterThanOrEqual(first);
      expect(hour).toBeLessThanOrEqual(last);
    }
  });

  test.each([
    ["no antes del jueves", "2026-11-26", undefined],
    ["not before Thursday", "2026-11-26", undefined],
    ["no después del jueves", "2026-11-24", "2026-11-26"],
  ])("days from a refused bound on are searched: %s", async (text, from, to) => {
    const { calls } = await lastOf(["quiero una limpieza", text]);
    expect(calls.map(({ tool }) => tool)).toEqual(["find_slots"]);
    const input = calls[0]?.input as { from_day?: string; to_day?: string };
    expect([input.from_day, input.to_day]).toEqual([from, to]);
  });
});
