import { expect, test } from "vitest";
import {
  findChosenSlot,
  readSlotOptionId,
  slotOptionId,
  slotOptions,
} from "../../../core/agent/slot-options.ts";
import type { SlotChoice } from "../../../core/agent/context.ts";
import { renderPrompt } from "../../../core/agent/prompt.ts";
import { makeContext } from "../../activities/models/fixture.ts";

const timeZone = "America/Mexico_City";
const resources = [
  { id: 7, name: "Dra. Soto" },
  { id: 8, name: "Dr. Ruiz" },
];

function slotAt(start: string, change: Partial<SlotChoice> = {}): SlotChoice {
  const startTime = new Date(start);
  return { startTime, serviceId: 3, resourceId: 7, appointmentId: null, ...change };
}

function titlesOf(slots: readonly SlotChoice[], language: "en" | "es" = "en") {
  return slotOptions(slots, { language, timeZone, resources })?.map(({ title }) => title) ?? null;
}

test.each([
  ["slot/2026-11-26T22:00:00.000Z/r7/s3", slotAt("2026-11-26T22:00:00Z")],
  ["slot/2026-11-26T22:00:00.000Z/r7", slotAt("2026-11-26T22:00:00Z", { serviceId: null })],
  [
    "slot/2026-11-26T22:00:00.000Z/r7/s3/a45",
    slotAt("2026-11-26T22:00:00Z", { appointmentId: 45 }),
  ],
])("the id %s carries its slot", (id, slot) => {
  expect(slotOptionId(slot)).toBe(id);
  expect(readSlotOptionId(id)).toEqual(slot);
});

test.each([
  "",
  "slot-10",
  "slot/2026-13-26T22:00:00.000Z/r7",
  "slot/2026-11-26T22:00:00.000Z",
  "slot/2026-11-26T22:00:00.000Z/r7/s3/a45/x",
  "slot/2026-11-26T22:00:00.000Z/r1234567890123456",
])("another option's id %s is no slot", (id) => {
  expect(readSlotOptionId(id)).toBeNull();
});

test("titles are short, in the language and the zone of the account", () => {
  const slots = [slotAt("2026-11-26T22:00:00Z"), slotAt("2026-11-27T16:30:00Z")];
  expect(titlesOf(slots, "es")).toEqual(["jue 26, 16:00", "vie 27, 10:30"]);
  expect(titlesOf(slots, "en")).toEqual(["Thu 26, 4:00 PM", "Fri 27, 10:30 AM"]);
});

test("the month, and then the agenda, tell equal titles apart", () => {
  const months = [slotAt("2027-02-26T16:00:00Z"), slotAt("2027-03-26T16:00:00Z")];
  expect(titlesOf(months)).toEqual(["Fri Feb 26, 10:00 AM", "Fri Mar 26, 10:00 AM"]);
  expect(titlesOf(months, "es")).toEqual(["vie 26 feb, 10:00", "vie 26 mar, 10:00"]);
  const start = "2026-11-26T16:00:00Z";
  const agendas = [slotAt(start), slotAt(start, { resourceId: 8 })];
  expect(titlesOf(agendas)).toEqual([
    "Thursday, November 26, 10:00 AM, Dra. Soto",
    "Thursday, November 26, 10:00 AM, Dr. Ruiz",
  ]);
  expect(titlesOf([slotAt(start), slotAt(start)])).toBeNull();
});

test("titles fit the buttons of WhatsApp, also with the month", () => {
  const starts = Array.from({ length: 400 }, (_, day) => Date.UTC(2026, 0, 1 + day, 18));
  const slots = starts.map((start) => slotAt(new Date(start).toISOString()));
  for (const language of ["en", "es"] as const) {
    const pairs = slots.map((slot) => [slot, { ...slot, startTime: plusFourWeeks(slot) }]);
    const lengths = pairs
      .flatMap((pair) => titlesOf(pair, language) ?? [])
      .map((one) => one.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(20);
  }
});

function plusFourWeeks({ startTime }: SlotChoice): Date {
  return new Date(startTime.getTime() + 28 * 86_400_000);
}

const chosen = slotAt("2026-11-26T22:00:00Z", { resourceId: 7 });
const at = new Date("2026-11-23T15:59:00Z");

test("the last choice of the burst counts, and none of an earlier burst", () => {
  const earlier = slotAt("2026-11-27T16:00:00Z");
  const messages = [
    { id: 3, speaker: "customer", text: "Fri 27, 10:00 AM", at, slot: earlier },
    { id: 5, speaker: "customer", text: "Thu 26, 4:00 PM", at, slot: chosen },
    { id: 6, speaker: "customer", text: "please", at },
  ] as const;
  expect(findChosenSlot({ messages, answeredUpTo: 4 })).toEqual(chosen);
  expect(findChosenSlot({ messages, answeredUpTo: 5 })).toBeNull();
});

test("a model reads the chosen slot with the arguments that book it", () => {
  const messages = [
    { id: 5, speaker: "customer", text: "jue 26, 16:00", at, slot: chosen },
  ] as const;
  const [first] = renderPrompt(makeContext({ messages })).messages;
  expect(first?.role === "user" ? first.text : "").toContain(
    "The customer chose this time: jueves 26 de noviembre, 16:00, Dra. Soto. It is service_id 3, resource_id 7, day 2026-11-26, time 16:00.",
  );
});
