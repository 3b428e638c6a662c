import { expect, test } from "vitest";
import { readNumberFacts } from "../../../../core/channels/meta/setup-answers.ts";
import { listArrivedFields, neededFields } from "../../../../core/channels/meta/webhook-fields.ts";

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

test.each([
  ["CLOUD_API", true, true],
  ["CLOUD_API", false, false],
  ["CLOUD_API", null, false],
  ["NOT_APPLICABLE", true, false],
])("a number of %s, in the app: %s, needs echoes: %s", (platform_type, isShared, needs) => {
  const facts = { ...readNumberFacts({ platform_type }), is_on_biz_app: isShared };
  expect(neededFields("whatsapp_cloud", facts).includes("smb_message_echoes")).toBe(needs);
});
