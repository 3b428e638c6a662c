import { expect, test } from "vitest";
import { listArrivedFields } from "../../../../core/channels/meta/webhook-fields.ts";

function fieldsOf(webhook: unknown): string[] {
  return listArrivedFields(webhook).map(({ externalId, field }) => `${externalId} ${field}`);
}

test("a change belongs to its number, or to the business account without one", () => {
  const changes = [
    { field: "messages", value: { metadata: { phone_number_id: "106" } } },
    { field: "messages", value: { metadata: { phone_number_id: "106" } } },
    { field: "account_update", value: {} },
    { field: "field_of_tomorrow", value: {} },
  ];
  const entry = [{ id: "900", changes }];
  expect(fieldsOf({ entry })).toEqual(["106 messages", "900 account_update"]);
});

test.each([
  [{ message: { mid: "m" } }, ["messages"]],
  [{ message: { mid: "m", is_echo: true } }, ["message_echoes"]],
  [{ postback: {} }, ["messaging_postbacks"]],
  [{ read: {} }, ["message_reads", "messaging_seen"]],
  [{ message_edit: {} }, ["message_edits", "message_edit"]],
  [{ pass_thread_control: {} }, ["messaging_handovers"]],
  [{ optin: {} }, []],
])("an event %j of a Page or an Instagram account is %j", (event, fields) => {
  const entry = [{ id: "178", messaging: [event] }];
  expect(fieldsOf({ entry })).toEqual(fields.map((field) => `178 ${field}`));
});

test("standby is a field of its own", () => {
  expect(fieldsOf({ entry: [{ id: "178", standby: [{ message: {} }] }] })).toEqual(["178 standby"]);
});

test.each([null, 7, "x", [], {}, { entry: 1 }, { entry: [null, 1, {}] }, { entry: [{ id: {} }] }])(
  "%j has no field",
  (webhook) => {
    expect(listArrivedFields(webhook)).toEqual([]);
  },
);
