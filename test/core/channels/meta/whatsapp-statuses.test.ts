import { expect, test } from "vitest";
import { splitWebhook } from "../../../../core/channels/meta/split-webhook.ts";
import { webhook } from "./whatsapp-webhook.ts";

test.each([
  ["sent", "sent"],
  ["delivered", "delivered"],
  ["read", "read"],
  ["played", "read"],
])("status %s is ours as %s", (theirs, status) => {
  const piece = {
    id: "wamid.o",
    status: theirs,
    timestamp: "1749416383",
    recipient_id: "5215512345678",
    biz_opaque_callback_data: "42",
  };
  expect(splitWebhook(webhook({ statuses: [piece] }))).toMatchObject([
    {
      kind: "status",
      messageId: "wamid.o",
      status,
      callbackData: "42",
      customer: "5215512345678",
      error: null,
      providerKey: `wamid.o ${theirs}`,
    },
  ]);
});

test.each(["constructor", "__proto__", "lost"])("status %s is none of ours", (status) => {
  const piece = { id: "wamid.o", status, recipient_id: "5215512345678" };
  expect(splitWebhook(webhook({ statuses: [piece] }))).toMatchObject([
    { kind: "unreadable", reason: "no_status" },
  ]);
});

test("a failed status has the code and the words of its error", () => {
  const errors = [{ code: 131047, title: "Re-engagement message" }];
  const piece = { id: "wamid.o", status: "failed", recipient_user_id: "MX.9", errors };
  expect(splitWebhook(webhook({ statuses: [piece] }))).toMatchObject([
    {
      status: "failed",
      customer: "MX.9",
      error: { code: 131047, subcode: null, title: "Re-engagement message" },
    },
  ]);
  expect(splitWebhook(webhook({ statuses: [{ id: "x", status: "failed" }] }))).toMatchObject([
    { error: { code: 0 } },
  ]);
});

test("a message from the phone's app is an echo to the customer", () => {
  const echo = {
    from: "15550783881",
    to: "5215512345678",
    id: "wamid.e",
    timestamp: "1749416383",
    type: "text",
    text: { body: "At 10?" },
  };
  expect(splitWebhook(webhook({ message_echoes: [echo] }, "smb_message_echoes"))).toMatchObject([
    {
      kind: "echo",
      customer: "5215512345678",
      to: { phone: "+5215512345678" },
      byAutomation: false,
      message: { content: "At 10?" },
    },
  ]);
});

test("an edit and a removal in the phone's app change the earlier message", () => {
  const read = (echo: object) => {
    const head = { to: "5215512345678", id: "wamid.e", timestamp: "1749416383" };
    const value = { message_echoes: [{ ...head, ...echo }] };
    return splitWebhook(webhook(value, "smb_message_echoes"));
  };
  const message = { type: "text", text: { body: "At 11" } };
  const edit = { original_message_id: "wamid.0", message };
  const customer = "5215512345678";
  expect(read({ type: "edit", edit })).toMatchObject([
    { kind: "edit", customer, targetId: "wamid.0", text: "At 11" },
  ]);
  expect(read({ type: "revoke", revoke: { original_message_id: "wamid.0" } })).toMatchObject([
    { kind: "revoke", customer, targetId: "wamid.0" },
  ]);
  expect(read({ type: "reaction", reaction: { message_id: "wamid.0" } })).toMatchObject([
    { kind: "account", field: "reaction_echo" },
  ]);
});

test("a message in standby is marked, and a handover says who has the conversation", () => {
  const message = {
    from: "5215512345678",
    id: "wamid.s",
    timestamp: "1",
    type: "text",
    text: { body: "hi" },
  };
  expect(splitWebhook(webhook({ messages: [message] }, "standby"))).toMatchObject([
    { kind: "message", standby: true },
  ]);
  const passed = {
    sender: { wa_id: "5215512345678" },
    timestamp: 1749416383,
    pass_thread_control: {},
  };
  expect(splitWebhook(webhook(passed, "messaging_handovers"))).toMatchObject([
    { kind: "handover", toUs: true, customer: "5215512345678" },
  ]);
});

test("fields of the account are items without a customer", () => {
  const value = { event: "APPROVED", message_template_name: "reminder" };
  expect(splitWebhook(webhook(value, "message_template_status_update"))).toMatchObject([
    { kind: "account", field: "message_template_status_update", customer: null, value },
  ]);
});
