import { expect, test } from "vitest";
import { z } from "zod";
import { defineAction, namesOf } from "../../../core/model/inbound-action.ts";
import { inboundActions, inboundCall, isEventId } from "../../../core/model/inbound.ts";
import { voiceActions, voiceCall } from "../../../core/model/voice.ts";

const phone = "5215512345678";

test("the actions are those of the contract", () => {
  expect(namesOf(inboundActions)).toEqual([
    "contact.upsert",
    "contact.tag.add",
    "contact.tag.remove",
  ]);
});

const now = Date.parse("2026-03-02T14:05:11.214Z");
const samples = [
  ...inboundActions.map(({ event, sample }) => ({ event, schema: inboundCall, data: sample(now) })),
  ...voiceActions.map(({ event, sample }) => ({ event, schema: voiceCall, data: sample(now) })),
];

test.each(samples)("the sample of $event is a call that its endpoint takes", (one) => {
  const call = one.schema.parse({ event: one.event, data: one.data });
  expect(call.event).toBe(one.event);
});

test("an action with a sample that does not fit its schema does not compile", () => {
  // @ts-expect-error: the sample has no tag.
  const made = defineAction("made.up", z.object({ tag: z.string() }), () => ({ phone: "1" }));
  expect(made.call.safeParse({ event: "made.up", data: made.sample(now) }).success).toBe(false);
});

test("data is read by the parsers of contacts, and unknown members are dropped", () => {
  const call = {
    event: "contact.upsert",
    at: "now",
    data: {
      phone: "+52 1 55 1234-5678",
      email: " ANA@Example.com",
      name: " Ana ",
      id: 5,
      tags: [],
    },
  };
  expect(inboundCall.parse(call)).toStrictEqual({
    event: "contact.upsert",
    data: { phone, email: "ana@example.com", name: "Ana" },
  });
  for (const event of ["contact.tag.add", "contact.tag.remove"])
    expect(
      inboundCall.parse({ event, data: { phone: `00${phone}`, tag: " VIP ", x: 1 } }),
    ).toStrictEqual({
      event,
      data: { phone, tag: "VIP" },
    });
});

test("an upsert needs a phone or an email that is not empty; a tag action phone and tag", () => {
  const fits = (event: string, data: unknown) => inboundCall.safeParse({ event, data }).success;
  expect(fits("contact.upsert", { email: "a@b.co" })).toBe(true);
  expect(fits("contact.upsert", { phone, email: "", name: "" })).toBe(true);
  for (const data of [{}, { name: "Ana" }, { phone: " ", email: "" }, { phone: null }, null, []])
    expect(fits("contact.upsert", data)).toBe(false);
  for (const data of [{ phone }, { tag: "vip" }, { phone: "", tag: "vip" }, { phone, tag: " " }])
    expect(fits("contact.tag.add", data)).toBe(false);
});

test.each([
  ["a", true],
  ["evt_2026-03-02T14:05:11.214Z/1", true],
  ["x".repeat(255), true],
  ["x".repeat(256), false],
  ["", false],
  ["a b", false],
  ["a\n", false],
  ["é", false],
])("%j as an event id: %s", (id, fits) => {
  expect(isEventId(id)).toBe(fits);
});
