import { expect, test } from "vitest";
import { eventCatalogue } from "../../../core/model/events.ts";
import {
  eventDisplay,
  eventFamilies,
  eventTypes,
  type EventDisplay,
  type EventType,
} from "../../../core/model/event-types.ts";
import { locales } from "../../../core/model/user.ts";

test("each type has a label of its own in each language", () => {
  for (const locale of locales) {
    const labels = eventTypes.map((type): string => eventDisplay[type].label[locale]);
    expect(labels.filter((label) => label.trim() === "")).toEqual([]);
    expect(new Set(labels).size).toBe(eventTypes.length);
  }
});

test("each family but that of tests can be selected", () => {
  expect(eventFamilies).toEqual(["message", "conversation", "contact", "appointment"]);
});

test("a type does not compile without its label in both languages, known details, and its entry", () => {
  const made = {
    label: { en: "Made up", es: "Inventado" },
    icon: "user-plus",
    details: "fields",
  } as const satisfies EventDisplay;
  // @ts-expect-error: the Spanish label is missing.
  const untranslated: EventDisplay = { ...made, label: { en: "Made up" } };
  // @ts-expect-error: the Dashboard knows no such details.
  const unknown: EventDisplay = { ...made, details: "made_up" };
  // @ts-expect-error: core/model/events/ has no entry for this type.
  const catalogue: Record<EventType | "contact.made_up", unknown> = eventCatalogue;
  expect([untranslated, unknown, catalogue]).toHaveLength(3);
});
