import { expect, test } from "vitest";
import {
  findChannelDanger,
  findGraphRefusal,
  readSendResult,
} from "../../../../core/channels/meta/send-result.ts";

function answer(statusCode: number, body?: unknown) {
  return readSendResult({ answered: true, statusCode, body });
}

function graphError(code: unknown, subcode?: number, statusCode = 400) {
  const error = { message: "(#1) Hola Ana", type: "OAuthException", code, error_subcode: subcode };
  return answer(statusCode, { error });
}

test("WhatsApp's acceptance has the id of its message", () => {
  const messages = [{ id: "wamid.1", message_status: "accepted" }];
  const body = { messaging_product: "whatsapp", contacts: [{ wa_id: "521" }], messages };
  expect(answer(200, body)).toEqual({ kind: "accepted", providerId: "wamid.1" });
});

test("Messenger's acceptance has the id of its message", () => {
  const body = { recipient_id: "7001", message_id: "m_1" };
  expect(answer(200, body)).toEqual({ kind: "accepted", providerId: "m_1" });
});

test.each([undefined, null, {}, { messages: [] }, { messages: [{ id: " " }] }, "ok"])(
  "an acceptance of body %j has no id, so its outcome is unknown",
  (body) => {
    expect(answer(200, body)).toEqual({ kind: "unknown" });
  },
);

test("no written byte: the message may be sent again", () => {
  expect(readSendResult({ answered: false, sent: false })).toEqual({
    kind: "transient",
    scope: "provider",
    providerCode: null,
  });
});

test("no answer after written bytes: the outcome is unknown", () => {
  expect(readSendResult({ answered: false, sent: true })).toEqual({ kind: "unknown" });
});

test.each([500, 502, 503, 504, 408])("HTTP %i without a Graph error: unknown", (statusCode) => {
  expect(answer(statusCode)).toEqual({ kind: "unknown" });
  expect(answer(statusCode, { error: { message: "no code" } })).toEqual({ kind: "unknown" });
});

test("HTTP 429 without a Graph error: the number waits", () => {
  const expected = { kind: "transient", scope: "number", providerCode: "http_429" };
  expect(answer(429)).toEqual(expected);
});

test.each([302, 400, 404])("HTTP %i without a Graph error: refused", (statusCode) => {
  expect(answer(statusCode, "<html>")).toMatchObject({
    kind: "permanent",
    error: { code: "refused", provider_code: `http_${statusCode}` },
  });
});

test.each([
  [131_056, "pair"],
  [130_429, "number"],
  [613, "number"],
  [131_000, "provider"],
  [2, "provider"],
])("code %i: tried again, %s waits", (code, scope) => {
  const expected = { kind: "transient", scope, providerCode: String(code) };
  expect(graphError(code)).toEqual(expected);
  expect(graphError(code, undefined, 500)).toEqual(expected);
});

test.each([
  [131_047, undefined, "messaging_window_closed"],
  [10, 2_018_278, "messaging_window_closed"],
  [131_026, undefined, "recipient_unavailable"],
  [100, 2_018_001, "recipient_unavailable"],
  [131_049, undefined, "recipient_limited"],
  [131_050, undefined, "opted_out"],
  [132_001, undefined, "template_rejected"],
  [100, undefined, "invalid_message"],
  [999_999, undefined, "refused"],
])("code %i, subcode %s: refused with %s", (code, subcode, expected) => {
  const providerCode = subcode === undefined ? String(code) : `${code}/${subcode}`;
  expect(graphError(code, subcode)).toMatchObject({
    kind: "permanent",
    error: { code: expected, provider_code: providerCode },
    danger: null,
  });
});

test("code 131048 refuses the message and endangers the number", () => {
  expect(graphError(131_048)).toMatchObject({
    kind: "permanent",
    error: { code: "recipient_limited" },
    danger: { state: "degraded", providerCode: "131048" },
  });
});

test.each([
  [190, undefined, "needs_reauth", "190"],
  [190, 463, "needs_reauth", "190/463"],
  [10, undefined, "degraded", "10"],
  [10, 1_893_063, "degraded", "10/1893063"],
  [230, undefined, "degraded", "230"],
  [368, undefined, "degraded", "368"],
])("code %i, subcode %s: the channel is %s", (code, subcode, state, providerCode) => {
  expect(graphError(code, subcode)).toEqual({ kind: "blocked", state, providerCode });
});

test("an undocumented code of a server error leaves the outcome unknown", () => {
  expect(graphError(999_999, undefined, 503)).toEqual({ kind: "unknown" });
});

test("Meta calls an undocumented error temporary: tried again, unless a server's outcome is open", () => {
  const error = { code: 999_999, is_transient: true };
  const expected = { kind: "transient", scope: "provider", providerCode: "999999" };
  expect(answer(400, { error })).toEqual(expected);
  expect(answer(503, { error })).toEqual({ kind: "unknown" });
  const lasting = { code: 999_999, is_transient: false };
  expect(answer(400, { error: lasting })).toMatchObject({ error: { code: "refused" } });
});

test("a code may come as a string", () => {
  expect(graphError("131056")).toMatchObject({ scope: "pair", providerCode: "131056" });
});

test("the words of Meta do not reach the result, because they may quote the message", () => {
  expect(JSON.stringify(graphError(100))).not.toContain("Ana");
});

test("a status has the same errors as an answer", () => {
  const window = { code: "messaging_window_closed", provider_code: "131047" };
  expect(findGraphRefusal(131_047, null)).toMatchObject(window);
  expect(findGraphRefusal(100, 2_018_001)).toMatchObject({ code: "recipient_unavailable" });
  expect(findGraphRefusal(131_000, null)).toBeNull();
  expect(findGraphRefusal(999_999, null)).toBeNull();
});

test("a missing payment in a status endangers the channel, a full inbox does not", () => {
  const danger = { state: "degraded", providerCode: "131042" };
  expect(findChannelDanger(131_042, null)).toEqual(danger);
  expect(findChannelDanger(190, 463)).toEqual({ state: "needs_reauth", providerCode: "190/463" });
  expect(findChannelDanger(131_026, null)).toBeNull();
});
