import { expect, test } from "vitest";
import { accountSettingsPatch } from "../../../core/model/account-settings.ts";
import { reminderDueAt, renderReminder, type ReminderFacts } from "../../../core/model/reminder.ts";

const facts: ReminderFacts = {
  name: "Ana",
  startTime: new Date("2026-03-05T16:30:00.000Z"),
  timeZone: "America/Mexico_City",
  locale: "es",
};

test.each<[string, Partial<ReminderFacts>, string | null, string]>([
  [
    "our Spanish words, by the clock of the agenda",
    {},
    null,
    "Hola Ana, te recordamos tu cita del jueves, 5 de marzo de 2026 a las 10:30.",
  ],
  [
    "our English words",
    { locale: "en" },
    null,
    "Hello Ana, this is a reminder of your appointment on Thursday, March 5, 2026 at 10:30 AM.",
  ],
  [
    "another day where the agenda is",
    { timeZone: "Pacific/Auckland" },
    "{date}",
    "viernes, 6 de marzo de 2026",
  ],
  [
    "summer time",
    { startTime: new Date("2026-07-01T08:00:00.000Z"), timeZone: "Europe/Madrid" },
    "{time}",
    "10:00",
  ],
  ["own words, a placeholder twice", {}, "{name}, {name}: {time}!", "Ana, Ana: 10:30!"],
  ["a name that looks like a placeholder", { name: "{time}" }, "{name}", "{time}"],
])("a reminder says %s", (_, given, text, expected) => {
  expect(renderReminder(text, { ...facts, ...given })).toBe(expected);
});

test("it is due its hours before the start, and never where that has passed or reminders are off", () => {
  const start = new Date("2026-03-05T16:30:00.000Z");
  const due = new Date("2026-03-04T16:30:00.000Z");
  expect(reminderDueAt(start, 24, new Date("2026-03-01T00:00:00.000Z"))).toEqual(due);
  expect(reminderDueAt(start, 24, new Date(due.getTime() - 1))).toEqual(due);
  expect(reminderDueAt(start, 24, due)).toBeNull();
  expect(reminderDueAt(start, null, new Date(0))).toBeNull();
});

test("a text may name what a reminder knows, and nothing else", () => {
  const parse = (reminder_text: string | null) => accountSettingsPatch.safeParse({ reminder_text });
  expect(parse(" Hi {name}: {date}, {time} {} ").data).toEqual({
    reminder_text: "Hi {name}: {date}, {time} {}",
  });
  expect(parse("  ").data).toEqual({ reminder_text: null });
  expect(parse(null).data).toEqual({ reminder_text: null });
  for (const text of ["{phone}", "{Name}", "x".repeat(1_001)]) {
    expect(parse(text).success).toBe(false);
  }
});
