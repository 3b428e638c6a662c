import fc from "fast-check";
import { expect, test } from "vitest";
import { readTime } from "../../../../core/channels/meta/read-json.ts";
import { splitWebhook } from "../../../../core/channels/meta/split-webhook.ts";

const text = { type: "text", text: { body: "hi" }, timestamp: "1749416383" };

/** A webhook of both kinds of network whose pieces are given. */
function webhooks(pieces: unknown[]) {
  const value = { metadata: { phone_number_id: "1" }, messages: pieces, statuses: pieces };
  const changes = [{ field: "messages", value }];
  return [
    { object: "whatsapp_business_account", entry: [{ id: "W", changes }] },
    { object: "page", entry: [{ id: "P", messaging: pieces, standby: pieces }] },
  ];
}

test("a piece that cannot be read costs none of its neighbours", () => {
  const [body] = webhooks([]);
  const messages = [
    { ...text, id: "a", from: "521551234567" },
    null,
    7,
    { id: {} },
    { ...text, id: "b", from: "521551234567" },
  ];
  const value = { metadata: { phone_number_id: "1" }, messages };
  const items = splitWebhook({
    ...body,
    entry: [{ id: "W", changes: [{ field: "messages", value }] }],
  });
  expect(items.map(({ kind }) => kind)).toEqual([
    "message",
    "unreadable",
    "unreadable",
    "unreadable",
    "message",
  ]);
});

test("any JSON at all is split without an error, and each item has a key", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.jsonValue(), (pieces, other) => {
      for (const body of [...webhooks(pieces), { object: "page", entry: other }, other]) {
        for (const { providerKey } of splitWebhook(body)) expect(providerKey).not.toBe("");
      }
    }),
  );
});

test("known pieces whose values have any type are split without an error", () => {
  const value = fc.jsonValue();
  const names = [
    "id",
    "from",
    "type",
    "timestamp",
    "text",
    "image",
    "status",
    "errors",
    "sender",
    "recipient",
    "message",
    "read",
    "reaction",
    "interactive",
    "postback",
  ];
  const piece = fc.record(Object.fromEntries(names.map((name) => [name, value])), {
    requiredKeys: [],
  });
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      for (const body of webhooks(pieces)) expect(() => splitWebhook(body)).not.toThrow();
    }),
  );
});

test("an id that no column takes is an item that cannot be read", () => {
  const ids = ["521\u00e9", "5".repeat(192), "5 5", "5215512345678"];
  const messages = ids.map((from, index) => ({ ...text, id: `wamid.${index}`, from }));
  const value = { metadata: { phone_number_id: "1" }, messages };
  const changes = [{ field: "messages", value }];
  const items = splitWebhook({
    object: "whatsapp_business_account",
    entry: [{ id: "W", changes }],
  });
  expect(items.map(({ kind }) => kind)).toEqual([
    "unreadable",
    "unreadable",
    "unreadable",
    "message",
  ]);
});

/** Levels of objects and arrays. */
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test("what is nested too deeply for the database is cut, wherever it stands", () => {
  const deep: unknown = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`);
  const form = { name: "flow", response_json: `${"[".repeat(500)}${"]".repeat(500)}` };
  const pieces = [
    { ...text, id: "a", from: "521551234567", type: "hologram", hologram: deep },
    {
      id: "b",
      from: "521551234567",
      type: "interactive",
      interactive: { type: "nfm_reply", nfm_reply: form },
    },
    deep,
  ];
  for (const body of [...webhooks(pieces), { object: "page", entry: deep }, deep]) {
    const items = splitWebhook(body);
    expect(items).not.toEqual([]);
    for (const item of items) expect(depthOf(item)).toBeLessThan(100);
  }
});

test("half a surrogate pair is replaced in texts and in names of fields", () => {
  const [body] = webhooks([{ ...text, id: "a", from: "1", type: "x", "\ud800": "\ud83d" }]);
  expect(JSON.stringify(splitWebhook(body))).not.toMatch(/\\ud8/u);
});

test("pieces that are no objects, and entries without events, are items", () => {
  const entry = [7, { id: "W", changes: [7, { field: "messages", value: { statuses: [] } }] }, {}];
  const items = splitWebhook({ object: "whatsapp_business_account", entry });
  expect(items).toMatchObject([
    { kind: "unreadable", reason: "empty_entry", raw: 7 },
    { kind: "unreadable", reason: "no_value", raw: 7 },
    { kind: "account", field: "messages" },
    { kind: "unreadable", reason: "empty_entry", raw: {} },
  ]);
  expect(splitWebhook({ object: "page", entry: [] })).toMatchObject([{ reason: "no_entry" }]);
});

test.each([null, "x", [], {}, { object: "user" }])("%j is one item that cannot be read", (body) => {
  expect(splitWebhook(body)).toMatchObject([
    { kind: "unreadable", reason: "unknown_object", raw: body },
  ]);
});

test("a content that is too long is cut, never within a character", () => {
  const body = `${"a".repeat(15_999)}😀b`;
  const message = { id: "a", from: "521551234567", type: "text", text: { body } };
  const value = { metadata: { phone_number_id: "1" }, messages: [message] };
  const changes = [{ field: "messages", value }];
  const [item] = splitWebhook({
    object: "whatsapp_business_account",
    entry: [{ id: "W", changes }],
  });
  const content = item?.kind === "message" ? item.message.content : null;
  expect(content).toHaveLength(16_000);
  expect(content?.at(-1)).toBe("\uFFFD");
});

test.each([
  [1_749_416_383, "2025-06-08T20:59:43.000Z"],
  ["1749416383", "2025-06-08T20:59:43.000Z"],
  [1_749_416_383_123, "2025-06-08T20:59:43.123Z"],
  ["2025-06-08T20:59:43+0000", "2025-06-08T20:59:43.000Z"],
  ["soon", null],
  [1e300, null],
  [0, null],
  [null, null],
])("time %j is %j", (wire, at) => {
  expect(readTime(wire)).toBe(at);
});
