import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { calendlyId, inviteeRef } from "../../../core/calendars/calendly-ids.ts";
import { readWebhook } from "../../../core/calendars/calendly-payload.ts";
import { checkCalendlySignature } from "../../../core/calendars/calendly-signature.ts";

const origin = "https://api.calendly.com";
const event = {
  uri: `${origin}/scheduled_events/E`,
  name: "Consulta",
  start_time: "2026-07-16T12:00:00.123456Z",
  end_time: "2026-07-16T12:30:00.000000Z",
  event_type: `${origin}/event_types/T`,
  location: { type: "physical", location: "Av. Reforma 1" },
  event_memberships: [{ user: `${origin}/users/U`, user_email: "u@b.c", user_name: "Lucía" }],
  invitees_counter: { total: 1, active: 1, limit: 1 },
  updated_at: "2026-07-13T09:45:00.000000Z",
};
const payload = {
  uri: `${origin}/scheduled_events/E/invitees/I`,
  email: " Ana@Example.com ",
  name: "Ana",
  status: "active",
  rescheduled: false,
  old_invitee: null,
  new_invitee: null,
  text_reminder_number: null,
  questions_and_answers: [],
  cancel_url: "https://calendly.com/cancellations/I",
  reschedule_url: "javascript:alert(1)",
  scheduled_event: event,
};

function readWith(changes: object) {
  const body = { event: "invitee.created", payload: Object.assign({}, payload, changes) };
  return readWebhook(JSON.stringify(body))?.invitee ?? null;
}

test("an invitee is read with its event, and microseconds are cut", () => {
  expect(readWith({})).toMatchObject({
    inviteeId: "I",
    eventId: "E",
    isActive: true,
    name: "Ana",
    email: "ana@example.com",
    phone: null,
    cancelUrl: "https://calendly.com/cancellations/I",
    rescheduleUrl: null,
    event: {
      title: "Consulta",
      startTime: new Date("2026-07-16T12:00:00.123Z"),
      typeId: "T",
      isGroup: false,
      hosts: [{ userId: "U", name: "Lucía", email: "u@b.c" }],
    },
  });
});

test("the phone is the number for reminders, else an answer, else the number of the call", () => {
  const answers = [{ answer: "yes" }, { answer: "+52 55 1234 5678" }];
  const call = { type: "outbound_call", location: "+34 600 111 222" };
  const called = Object.assign({}, event, { location: call });
  const reminded = { text_reminder_number: "+1 (555) 010-9999", questions_and_answers: answers };
  expect(readWith(reminded)?.phone).toBe("15550109999");
  expect(readWith({ questions_and_answers: answers })?.phone).toBe("525512345678");
  expect(readWith({ scheduled_event: called })?.phone).toBe("34600111222");
});

test("the halves of a move name each other by ids", () => {
  const old = `${origin}/scheduled_events/E0/invitees/I0`;
  expect(readWith({ old_invitee: old })?.old).toEqual({ eventId: "E0", inviteeId: "I0" });
  const cancelled = { status: "canceled", rescheduled: true, new_invitee: old };
  expect(readWith(cancelled)).toMatchObject({
    isActive: false,
    isRescheduled: true,
    next: { eventId: "E0", inviteeId: "I0" },
  });
});

test("a payload that names an invitee and no more is known by its ids", () => {
  const body = { event: "invitee_no_show.created", payload: { invitee: payload.uri } };
  const read = readWebhook(JSON.stringify(body));
  expect(read).toEqual({
    kind: "invitee_no_show.created",
    ref: { eventId: "E", inviteeId: "I" },
    invitee: null,
  });
});

test("other shapes are no webhooks and no invitees", () => {
  expect(readWebhook("not json")).toBe(null);
  expect(readWebhook("[]")).toBe(null);
  expect(readWith({ uri: `${origin}/scheduled_events/OTHER/invitees/I` })).toBe(null);
  expect(readWith({ scheduled_event: Object.assign({}, event, { end_time: "soon" }) })).toBe(null);
});

test("ids come from the end of an address, and hold no path", () => {
  expect(calendlyId("users", `${origin}/users/ABC-1`)).toBe("ABC-1");
  expect(calendlyId("users", `${origin}/users/../event_types/A`)).toBe(null);
  expect(calendlyId("users", `${origin}/users/A?x=1`)).toBe(null);
  expect(inviteeRef(`${origin}/scheduled_events/E/invitees/..%2f`)).toBe(null);
});

const key = "signing-key";
const body = Buffer.from('{"event":"invitee.created"}');

function headerAt(seconds: number, signedWith = key): string {
  const digest = createHmac("sha256", signedWith).update(`${seconds}.`).update(body).digest("hex");
  return `t=${seconds},v1=${digest}`;
}

test.each([
  ["valid", headerAt(1_000), 1_300],
  ["valid", headerAt(1_000), 700],
  ["stale", headerAt(1_000), 1_301],
  ["stale", headerAt(1_000), 699],
  ["invalid", headerAt(1_000, "other"), 1_000],
  ["invalid", headerAt(1_000).replace("t=1000", "t=1001"), 1_001],
  ["invalid", "t=1000", 1_000],
  ["invalid", "v1=zz,t=1000", 1_000],
  ["missing", "", 1_000],
] as const)("a signature is %s: %s at %i", (expected, header, nowSeconds) => {
  expect(checkCalendlySignature({ header, key, body, nowSeconds })).toBe(expected);
});

test("an altered body fits no signature", () => {
  const altered = Buffer.from('{"event":"invitee.canceled"}');
  const given = { header: headerAt(1_000), key, body: altered, nowSeconds: 1_000 };
  expect(checkCalendlySignature(given)).toBe("invalid");
});
