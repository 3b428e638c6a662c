import { expect, test } from "vitest";
import {
  buildSendRequest,
  type MetaSender,
  type OutgoingMessage,
} from "../../../../core/channels/meta/send-request.ts";
import { readSend } from "../../../../dev/stand-in/meta-send-body.ts";

const whatsApp: MetaSender = { driver: "whatsapp_cloud", externalId: "1065", parentId: "1022" };
const messenger: MetaSender = { driver: "messenger", externalId: "178", parentId: null };
const byPage: MetaSender = { driver: "instagram_page", externalId: "1784", parentId: "178" };
const byLogin: MetaSender = { driver: "instagram_login", externalId: "1784", parentId: null };
const text: OutgoingMessage = {
  id: 42,
  content: { text: "Hola 👋" },
  replyToProviderId: null,
  tagged: false,
};
const parameters = ["Ana", "10:00"].map((one) => ({ type: "text", text: one }));
const template = {
  name: "reminder",
  language: { code: "es_MX" },
  components: [{ type: "body" as const, parameters }],
};

test("a text to a phone of WhatsApp", () => {
  expect(buildSendRequest(whatsApp, "5215512345678", text)).toEqual({
    host: "graph",
    path: "/1065/messages",
    body: {
      messaging_product: "whatsapp",
      recipient_type: "individual",
      to: "5215512345678",
      type: "text",
      text: { preview_url: false, body: "Hola 👋" },
      biz_opaque_callback_data: "42",
    },
  });
});

test.each(["MX.1349", "MX.ENT.118"])("the id %s of a user never goes as a phone", (userId) => {
  const body = buildSendRequest(whatsApp, userId, text)?.body;
  expect(body).toMatchObject({ recipient: userId });
  expect(body).not.toHaveProperty("to");
});

test("a template of WhatsApp goes as it was built", () => {
  const message = { ...text, content: { template } };
  const body = buildSendRequest(whatsApp, "5215512345678", message)?.body;
  expect(body).not.toHaveProperty("text");
  expect(body).toMatchObject({ type: "template", template });
});

test("a text of Messenger carries our id as metadata", () => {
  expect(buildSendRequest(messenger, "7001", text)).toEqual({
    host: "graph",
    path: "/178/messages",
    body: {
      recipient: { id: "7001" },
      messaging_type: "RESPONSE",
      message: { text: "Hola 👋", metadata: "42" },
    },
  });
});

test.each([
  ["the Page", byPage, "graph", "/178/messages"],
  ["the account itself", byLogin, "instagram", "/1784/messages"],
])("a text of Instagram goes by %s", (_by, sender, host, path) => {
  const body = { recipient: { id: "9001" }, message: { text: "Hola 👋", metadata: "42" } };
  expect(buildSendRequest(sender, "9001", text)).toEqual({ host, path, body });
});

test("an answer names the message that it answers", () => {
  const answer = { ...text, replyToProviderId: "wamid.prev" };
  expect(buildSendRequest(whatsApp, "521", answer)?.body["context"]).toEqual({
    message_id: "wamid.prev",
  });
  for (const sender of [messenger, byPage, byLogin]) {
    expect(buildSendRequest(sender, "7001", answer)?.body["reply_to"]).toEqual({
      mid: "wamid.prev",
    });
  }
});

test.each([messenger, byPage, byLogin])("$driver tags a late answer of a person", (sender) => {
  expect(buildSendRequest(sender, "7001", { ...text, tagged: true })?.body).toMatchObject({
    messaging_type: "MESSAGE_TAG",
    tag: "HUMAN_AGENT",
  });
});

test.each([messenger, byPage, byLogin])("$driver has no templates", (sender) => {
  expect(buildSendRequest(sender, "7001", { ...text, content: { template } })).toBeNull();
});

test.each([
  ["whatsapp", whatsApp],
  ["messenger", messenger],
  ["instagram", byPage],
  ["instagram", byLogin],
] as const)("a strict reader of %s takes our request: %j", (network, sender) => {
  const answer = { ...text, replyToProviderId: "mid.1", tagged: true };
  expect(readSend(network, buildSendRequest(sender, "7001", answer)?.body)).toMatchObject({
    kind: "message",
    to: "7001",
    text: "Hola 👋",
  });
});
