import { expect, test } from "vitest";
import {
  botBody,
  conversationListQuery,
  conversationOpenBody,
  conversationPatchBody,
  conversationSource,
  conversationStatuses,
  transition,
} from "../../../core/model/conversation.ts";
import type { Principal } from "../../../core/model/principal.ts";
import { outcomeOf, stateCases, stateOf, stateTriggers } from "./conversation-states.ts";

test("the table holds every status, flag and trigger", () => {
  expect(stateCases.filter(({ expected }) => expected === "missing")).toEqual([]);
  expect(stateCases).toHaveLength(
    conversationStatuses.length * 2 * Object.keys(stateTriggers).length,
  );
});

test.each(stateCases)("from $from, $name leads to $expected", (one) => {
  const now = stateOf(one.from);
  const { next, marks } = outcomeOf(one);
  expect(transition(now, one.trigger)).toStrictEqual({
    next,
    statusChanged: marks.includes("s"),
    closed: marks.includes("c"),
    botChanged: marks.includes("b"),
    handoffStarted: marks.includes("h"),
    handoffEnded: marks.includes("e"),
    epochGrows: marks.includes("+"),
  });
  expect(now).toStrictEqual(stateOf(one.from));
});

test("handed_off is reached through the bot call alone, and never with the flag on", () => {
  const entering = stateCases.filter(
    (one) => one.expected !== "=" && outcomeOf(one).next.status === "handed_off",
  );
  expect(new Set(entering.map(({ name }) => name))).toEqual(new Set(["bot off"]));
  expect(entering.filter((one) => outcomeOf(one).next.botEnabled)).toEqual([]);
});

test("a customer's message never pauses the AI agent, and a status never touches the flag", () => {
  const changing = stateCases.filter(
    (one) => outcomeOf(one).next.botEnabled !== stateOf(one.from).botEnabled,
  );
  expect(new Set(changing.map(({ trigger }) => trigger.type))).toEqual(
    new Set(["bot", "customer_wrote"]),
  );
  const pausing = changing.filter((one) => !outcomeOf(one).next.botEnabled);
  expect(new Set(pausing.map(({ name }) => name))).toEqual(new Set(["bot off"]));
});

test.each<[Principal["type"], string]>([
  ["contact", "conversation"],
  ["user", "panel"],
  ["import", "panel"],
  ["api_key", "api"],
  ["inbound_endpoint", "api"],
  ["agent", "agent"],
  ["system", "system"],
])("a change by a principal of type %s has the source %s", (type, source) => {
  const principal = { type, accountId: 1 } as Principal;
  expect(conversationSource(principal)).toBe(source);
});

test("PATCH takes three statuses and points to the bot call for the fourth", () => {
  for (const status of ["active", "waiting", "resolved"]) {
    expect(conversationPatchBody.parse({ status })).toEqual({ status });
  }
  const messageOf = (body: unknown) =>
    conversationPatchBody.safeParse(body).error?.issues.map(({ message }) => message);
  expect(messageOf({ status: "handed_off" })).toEqual([
    "Hand over with POST /conversations/:id/bot and enabled: false.",
  ]);
  for (const status of ["closed", "ACTIVE", "", null, 1, ["active"]]) {
    expect(messageOf({ status })).toEqual(["Use one of active, waiting, resolved."]);
  }
});

test("a reason is trimmed, may have 500 characters, and an empty one is none", () => {
  const reasonOf = (reason: string) => botBody.safeParse({ enabled: false, reason }).data?.reason;
  expect(reasonOf("  wants a person ")).toBe("wants a person");
  expect(reasonOf(" ")).toBeUndefined();
  expect(reasonOf("a\ud800b")).toBe("a\ufffdb");
  expect(reasonOf(`${"x".repeat(500)} `)).toBe("x".repeat(500));
  expect(botBody.safeParse({ enabled: false, reason: "x".repeat(501) }).success).toBe(false);
  for (const enabled of ["true", 1, null, undefined]) {
    expect(botBody.safeParse({ enabled }).success).toBe(false);
  }
});

test("opening reads the phone as digits and keeps the rest as it is sent", () => {
  const body = { phone: "+52 1 55 1234-5678", name: " Ana ", initial_message: " Hola " };
  expect(conversationOpenBody.parse(body)).toEqual({
    phone: "5215512345678",
    name: "Ana",
    initial_message: " Hola ",
  });
  expect(
    conversationOpenBody.parse({ phone: "34600000001", template: { name: "hi", language: "es" } }),
  ).toEqual({ phone: "34600000001", template: { name: "hi", language: "es", params: [] } });
});

test("a list takes the contract's filters, 50 rows by default, and passes over what it does not know", () => {
  expect(conversationListQuery.parse({})).toEqual({ limit: 50, offset: 0 });
  expect(
    conversationListQuery.parse({ status: "waiting", channel: "web", contact_id: "7", x: "1" }),
  ).toEqual({ status: "waiting", channel: "web", contact_id: 7, limit: 50, offset: 0 });
  for (const query of [{ channel: "web_widget" }, { status: "open" }, { contact_id: "0" }]) {
    expect(conversationListQuery.safeParse(query).success).toBe(false);
  }
});
