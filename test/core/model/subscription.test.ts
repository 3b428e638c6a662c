import fc from "fast-check";
import { expect, test } from "vitest";
import type { z } from "zod";
import { eventChannels, type EventChannel } from "../../../core/model/channels.ts";
import { eventPatterns, eventTypes, type EventType } from "../../../core/model/event-types.ts";
import {
  matchesSubscription,
  subscriptionCreateBody,
  subscriptionPatchBody,
  subscriptionStates,
} from "../../../core/model/subscription.ts";

interface Case {
  events: string[];
  channels: EventChannel[] | null;
  type: EventType;
  channel: EventChannel | null;
}

/** The contract's rules, written without the catalogue. */
function reference({ events, channels, type, channel }: Case): boolean {
  const family = type.slice(0, type.indexOf("."));
  const families = ["message", "conversation", "contact", "appointment"];
  const wanted = new Set(families.includes(family) ? ["*", type, `${family}.*`] : ["*", type]);
  if (!events.some((event) => wanted.has(event))) return false;
  const filtered =
    ["message.received", "message.sent", "contact.created", "contact.updated"].includes(type) ||
    ["conversation.created", "conversation.stage_changed"].includes(type);
  if (channels === null || !filtered || channel === null) return true;
  return new Set(channels).has(channel);
}

test("any selection matches what the contract's rules say, in 10,000 cases", () => {
  const cases = fc.record({
    events: fc.subarray([...eventPatterns], { minLength: 1, maxLength: 4 }),
    channels: fc.option(fc.subarray([...eventChannels], { minLength: 1 }), { nil: null }),
    type: fc.constantFrom(...eventTypes),
    channel: fc.option(fc.constantFrom(...eventChannels), { nil: null }),
  });
  fc.assert(
    fc.property(cases, (given) => {
      expect(matchesSubscription(given, given)).toBe(reference(given));
    }),
    { numRuns: 10_000 },
  );
});

test.each([
  ["message.*", ["message.received", "message.sent"]],
  [
    "conversation.*",
    [
      "conversation.created",
      "conversation.updated",
      "conversation.closed",
      "conversation.bot.enabled",
      "conversation.bot.disabled",
      "conversation.stage_changed",
    ],
  ],
  ["contact.*", ["contact.created", "contact.updated"]],
  ["appointment.*", ["appointment.created", "appointment.rescheduled", "appointment.cancelled"]],
  ["*", [...eventTypes]],
  ["test.ping", ["test.ping"]],
])("the pattern %s selects its own types and no other", (pattern, types) => {
  const selected = eventTypes.filter((type) =>
    matchesSubscription({ events: [pattern], channels: null }, { type, channel: null }),
  );
  expect(selected).toEqual(types);
});

test.each([
  "message",
  "message.",
  "messages.*",
  "mess.*",
  "conversation.bot.*",
  "test.*",
  ".*",
  "",
  "**",
  "message.received.*",
])("%o is no pattern: it is refused, and would select nothing", (pattern) => {
  const parsed = subscriptionCreateBody.safeParse({ url: "https://a.example", events: [pattern] });
  expect(issuesOf(parsed)).toEqual(["events.0 unknown_event_pattern"]);
  const selected = eventTypes.filter((type) =>
    matchesSubscription({ events: [pattern], channels: null }, { type, channel: null }),
  );
  expect(selected).toEqual([]);
});

test("events without channel pass every filter, and so do contact events whose channel is null", () => {
  const selection = { events: ["*"], channels: ["instagram" as const] };
  const passing = eventTypes.filter((type) =>
    matchesSubscription(selection, { type, channel: "whatsapp" }),
  );
  expect(passing).toEqual([
    "conversation.updated",
    "conversation.closed",
    "conversation.bot.enabled",
    "conversation.bot.disabled",
    "appointment.created",
    "appointment.rescheduled",
    "appointment.cancelled",
    "test.ping",
  ]);
  for (const type of ["contact.created", "contact.updated"] as const) {
    expect(matchesSubscription(selection, { type, channel: null })).toBe(true);
    expect(matchesSubscription(selection, { type, channel: "instagram" })).toBe(true);
  }
});

test("a subscription is active, paused, disabled or deleted", () => {
  expect(subscriptionStates).toEqual(["active", "paused", "disabled", "deleted"]);
});

test("what is named twice is stored once, and a name is trimmed", () => {
  const body = {
    name: "  CRM ",
    url: "https://a.example/hook",
    events: ["message.*", "contact.created", "message.*"],
    channels: ["web_widget", "whatsapp", "web_widget"],
  };
  const parsed = {
    name: "CRM",
    url: "https://a.example/hook",
    events: ["message.*", "contact.created"],
    channels: ["web_widget", "whatsapp"],
  };
  expect(subscriptionCreateBody.parse(body)).toEqual(parsed);
  expect(subscriptionPatchBody.parse(body)).toEqual(parsed);
});

test("channels may be left out or null, and a patch may change nothing", () => {
  const body = { url: "https://a.example", events: ["*"] };
  expect(subscriptionCreateBody.parse(body)).toEqual(body);
  expect(subscriptionCreateBody.parse({ ...body, channels: null })).toEqual({
    ...body,
    channels: null,
  });
  expect(subscriptionPatchBody.parse({})).toEqual({});
  expect(subscriptionPatchBody.parse({ channels: null })).toEqual({ channels: null });
});

test.each([
  [{ url: undefined }, ["url invalid_type"]],
  [{ url: "" }, ["url too_small"]],
  [{ url: "https://a.example/".padEnd(2_049, "x") }, ["url too_big"]],
  [{ name: " " }, ["name too_small"]],
  [{ name: "x".repeat(201) }, ["name too_big"]],
  [{ events: undefined }, ["events invalid_type"]],
  [{ events: [] }, ["events empty_events"]],
  [{ events: null }, ["events invalid_type"]],
  [{ events: ["*", "nope"] }, ["events.1 unknown_event_pattern"]],
  [{ channels: [] }, ["channels empty_channels"]],
  [{ channels: ["web"] }, ["channels.0 unknown_channel"]],
  [{ channels: ["sms"] }, ["channels.0 unknown_channel"]],
  [{ secret: "x" }, [" unrecognized_keys"]],
  [
    { events: ["a", "b"], channels: [] },
    ["events.0 unknown_event_pattern", "events.1 unknown_event_pattern", "channels empty_channels"],
  ],
])("%o is refused, every issue with its place and code", (change, issues) => {
  const parsed = subscriptionCreateBody.safeParse({
    url: "https://a.example",
    events: ["*"],
    ...change,
  });
  expect(issuesOf(parsed)).toEqual(issues);
});

test("web in a channel filter is refused with the hint to write web_widget", () => {
  const parsed = subscriptionPatchBody.safeParse({ channels: ["web"] });
  expect(parsed.error?.issues[0]?.message).toContain("web_widget");
});

test("a name of 200 and a URL of 2,048 characters are accepted", () => {
  const body = { name: "x".repeat(200), url: "https://a.example/".padEnd(2_048, "x") };
  expect(subscriptionPatchBody.parse(body)).toEqual(body);
});

function issuesOf(parsed: z.ZodSafeParseResult<unknown>): string[] {
  return (parsed.error?.issues ?? []).map((issue) => {
    const code: unknown = issue.code === "custom" ? issue.params?.["code"] : issue.code;
    return `${issue.path.join(".")} ${typeof code === "string" ? code : "none"}`;
  });
}
