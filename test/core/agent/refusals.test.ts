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

describe("refused days", () => {
  test.each([
    ["que no sea lunes", "es", "!11-30"],
    ["que no sea el lunes", "es", "!11-30"],
    ["cualquier día que no sea jueves", "es", "11-24.. !11-26"],
    ["anything but Thursday", "en", "11-24.. !11-26"],
    ["any day but Thursday", "en", "11-24.. !11-26"],
    ["ni el jueves ni el viernes", "es", "!11-26 !11-27"],
    ["ni hoy ni mañana", "es", "!11-24 !11-25"],
    ["neither Thursday nor Friday", "en", "!11-26 !11-27"],
    ["no quiero el jueves, quiero el viernes", "es", "11-27 !11-26"],
    ["no quiero jueves", "es", "!11-26"],
    ["I don't want Thursday, I want Friday", "en", "11-27 !11-26"],
    ["Friday instead of Thursday", "en", "11-27 !11-26"],
    ["instead of Thursday, Friday", "en", "11-27 !11-26"],
    ["Friday rather than Thursday", "en", "11-27 !11-26"],
    ["en vez del jueves, el viernes", "es", "11-27 !11-26"],
    ["el viernes en vez del jueves", "es", "11-27 !11-26"],
    ["el viernes en lugar de hoy", "es", "11-27 !11-24"],
    ["no puedo el jueves ni el viernes", "es", "!11-26 !11-27"],
  ] as const)("are excluded: %s", (text, language, reading) => {
    expect(read(text, language)).toBe(reading);
  });

  test.each([
    ["Thursday instead", "en", "11-26"],
    ["el jueves, mejor el viernes", "es", "11-27"],
    ["no quiero cancelar la cita del jueves", "es", "@11-26"],
    ["no quiero esperar hasta el jueves", "es", "11-26"],
    ["Monday, but Thursday is better", "en", "11-26..11-30 !11-27 !11-28 !11-29"],
    ["rather Thursday", "en", "11-26"],
    ["¿y si no es lunes?", "es", "11-30"],
    ["anything on Thursday", "en", "11-26"],
  ] as const)("a day that is not refused stays: %s", (text, language, reading) => {
    expect(read(text, language)).toBe(reading);
  });

  test.each([
    "que no sea jueves",
    "cualquier día que no sea jueves",
    "anything but Thursday",
    "ni el jueves ni el viernes",
    "no quiero el jueves, quiero el viernes",
    "Friday instead of Thursday",
    "Friday rather than Thursday",
    "en vez del jueves, el viernes",
  ])("are not offered: %s", async (text) => {
    const { reply } = await lastOf(["quiero una limpieza esta semana", text]);
    expect(hoursOf(reply).length).toBeGreaterThan(0);
    expect(reply).not.toMatch(/jueves|Thursday/u);
  });

  test("stay excluded from the range that the customer names later", async () => {
    const texts = ["limpieza el jueves a las 4", "que no sea jueves", "esta semana"];
    const { reply } = await lastOf(texts);
    expect(hoursOf(reply).length).toBeGreaterThan(0);
    expect(reply).not.toContain("jueves");
  });

  test("are offered where the customer names them later", async () => {
    const texts = ["quiero una limpieza", "que no sea jueves", "bueno, el jueves a las 4"];
    expect((await lastOf(texts)).reply).toContain("jueves 26 de noviembre, 16:00");
  });
});
