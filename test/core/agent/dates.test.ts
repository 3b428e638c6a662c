import { describe, expect, test } from "vitest";
import { readDates } from "../../../core/agent/basic/dates.ts";
import { readWords } from "../../../core/agent/basic/vocabulary.ts";
import type { Locale } from "../../../core/model/user.ts";
import { englishDates, spanishDates } from "./corpus/dates.ts";
import { clinicHours, clinicNow } from "./clinic.ts";
import { writeReading } from "./reading-notation.ts";

const read = (
  text: string,
  language: Locale,
  expected: "day" | "time" | null = null,
  now = clinicNow,
) =>
  readDates(readWords(text), {
    now,
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

  test.each([
    ["de hoy en quince", "12-08"],
    ["hoy en 15 min", "11-24"],
    ["de hoy en quince días", "12-08"],
    ["de hoy en 15 días a las 5", "12-08 17:00"],
    ["de hoy en ocho días por la tarde", "12-01 afternoon"],
    ["mañana en ocho", "12-02"],
    ["mañana en quince días", "12-09"],
    ["el viernes en ocho días", "12-04"],
    ["el viernes en quince", "12-11"],
    ["hoy en ocho horas", "11-24"],
    ["hoy en 15 minutos", "11-24"],
  ])("eight days are a week, and fifteen are two: %s", (text, reading) => {
    expect(writeReading(read(text, "es"))).toBe(reading);
  });

  test.each([
    ["no antes de las 4", "16:00-24:00"],
    ["no puedo antes de las 4", "16:00-24:00"],
    ["no, antes de las 4", "00:00-16:00"],
    ["antes de las 4", "00:00-16:00"],
    ["no puedo después de las 6", "00:00-18:00"],
    ["no puedo llegar antes de las 4", "16:00-24:00"],
    ["no, después de las 5", "17:00-24:00"],
    ["por qué no antes de las 10?", "00:00-10:00"],
    ["why not after 4?", "16:00-24:00"],
    ["not before 4", "16:00-24:00"],
    ["I can't make after 6", "00:00-18:00"],
  ])("a refused bound is the bound of the other side: %s", (text, reading) => {
    expect(writeReading(read(text, "es"))).toBe(reading);
  });

  test.each([
    ["por la mañana no puedo", "afternoon"],
    ["en la mañana no", "afternoon"],
    ["no puedo en las tardes", "morning"],
    ["no puedo ir por la mañana", "afternoon"],
    ["mornings don't work", "afternoon"],
    ["I can't do mornings", "afternoon"],
    ["en la mañana no puedo, en la noche sí", "evening"],
    ["no puedo salir hasta la tarde", "afternoon"],
    ["por la mañana no tienes?", "morning"],
    ["por la mañana, no importa la hora", "morning"],
    ["en la tarde no me importa la hora", "afternoon"],
    ["por la tarde no me pueden atender?", "afternoon"],
    ["en la tarde no puedo faltar al trabajo", "afternoon"],
    ["afternoon, don't care which doctor", "afternoon"],
    ["en la mañana no porque trabajo", "afternoon"],
  ])("a refused part of the day is not wished: %s", (text, reading) => {
    expect(writeReading(read(text, "es"))).toBe(reading);
  });

  test.each([
    ["que no sea lunes", "!11-30"],
    ["cualquier día que no sea el lunes", "11-24.. !11-30"],
    ["el jueves por la mañana no puedo", "!11-26"],
    ["no sea malo deme cita el viernes", "11-27"],
    ["que no sea muy tarde el viernes", "11-27"],
  ])("a refused day is excluded: %s", (text, reading) => {
    expect(writeReading(read(text, "es"))).toBe(reading);
  });

  const dayMs = 86_400_000;
  const saturday = new Date(clinicNow.getTime() + 4 * dayMs);
  const sunday = new Date(clinicNow.getTime() + 5 * dayMs);
  test.each([
    ["next weekend", "en", saturday, "12-05..12-06"],
    ["next weekend", "en", sunday, "12-05..12-06"],
    ["el próximo fin de semana", "es", saturday, "12-05..12-06"],
    ["el fin de semana que viene", "es", sunday, "12-05..12-06"],
    ["el próximo finde", "es", clinicNow, "?day 11-28|12-05"],
    ["this weekend", "en", saturday, "11-28..11-29"],
    ["el fin de semana", "es", sunday, "11-29"],
  ] as const)("%s, said on a weekend, is the one after that", (text, language, now, reading) => {
    expect(writeReading(read(text, language, null, now))).toBe(reading);
  });

  const monday = new Date(clinicNow.getTime() - dayMs);
  test.each([
    ["la próxima semana el jueves", "es", "12-03"],
    ["next week on Thursday", "en", "12-03"],
    ["Next week Thursday at 3pm", "en", "12-03 15:00"],
    ["next week, next Thursday", "en", "12-03"],
    ["la semana que viene, el martes", "es", "12-01"],
    ["el jueves, pero de la próxima semana", "es", "12-03"],
    ["la próxima semana, martes o jueves", "es", "12-01..12-03 !12-02"],
    ["jueves de la próxima semana", "es", "12-03"],
    ["martes o jueves de la próxima semana", "es", "12-01..12-03 !12-02"],
    ["lunes, martes o miércoles de la otra semana", "es", "11-30..12-02"],
    ["Tuesday or Thursday next week", "en", "12-01..12-03 !12-02"],
    ["this Friday or Monday next week", "en", "11-27..11-30 !11-28 !11-29"],
    ["Friday or Monday next week", "en", "11-27..11-30 !11-28 !11-29"],
    ["en diciembre, el jueves", "es", "12-03"],
    ["esta semana el jueves", "es", "11-26"],
  ] as const)("a weekday beside a week is a day of that week: %s", (text, language, reading) => {
    for (const now of [monday, clinicNow])
      expect(writeReading(read(text, language, null, now))).toBe(reading);
  });

  test.each([
    ["el jueves o la próxima semana", "es", "11-26"],
    ["Thursday or next week", "en", "11-26"],
    ["la próxima semana, el jueves 26", "es", "11-26"],
    ["desde el lunes me duele, ¿puede ser el jueves?", "es", "11-26"],
  ] as const)("a weekday that is no part of a range stays: %s", (text, language, reading) => {
    expect(writeReading(read(text, language))).toBe(reading);
  });

  test.each([
    ["cita con la doctora Soto el martes a las 10", "es", "12-01 10:00"],
    ["con la Dra Soto el martes", "es", "12-01"],
    ["con la Dra Soto martes a las 10", "es", "12-01 10:00"],
    ["with Dr Smith on Friday at 3pm", "en", "11-27 15:00"],
    ["Dr Smith December 3 at 10", "en", "12-03 10:00"],
    ["I'm available on Friday at 3pm", "en", "11-27 15:00"],
    ["I'm free Wednesday or Friday", "en", "11-25..11-27 !11-26"],
    ["I'm busy on Monday", "en", "!11-30"],
    ["I'm out on Monday so Thursday please", "en", "11-26 !11-30"],
    ["soy Ana el martes", "es", "12-01"],
    ["cambiar mi cita con el Dr Soto del martes para el viernes", "es", "11-27 @12-01"],
    ["move my appointment with Dr Smith on Friday to Monday", "en", "11-30 @11-27"],
  ] as const)("a day after a title or an intro is read: %s", (text, language, reading) => {
    expect(writeReading(read(text, language))).toBe(reading);
  });

  test.each([
    ["me llamo Abril Domingo", "es", ""],
    ["con el Dr. Domingo el lunes", "es", "11-30"],
    ["me llamo María del Mar", "es", ""],
    ["I'm Wednesday Addams", "en", ""],
    ["I'm April, 27 years old", "en", ""],
  ] as const)("a name is no day: %s", (text, language, reading) => {
    expect(writeReading(read(text, language))).toBe(reading);
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
