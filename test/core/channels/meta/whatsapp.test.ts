import { expect, test } from "vitest";
import { splitWebhook } from "../../../../core/channels/meta/split-webhook.ts";
import { webhook } from "./whatsapp-webhook.ts";

const ana = { profile: { name: "Ana", username: "@ana" }, wa_id: "5215512345678", user_id: "MX.1" };

function inbound(message: object, contacts: object[] = [ana]) {
  const head = { from: "5215512345678", id: "wamid.1", timestamp: "1749416383" };
  return splitWebhook(webhook({ contacts, messages: [{ ...head, ...message }] }))[0];
}

const file = { id: "77", mime_type: "image/jpeg", sha256: "abc=" };
const attachment = {
  providerMediaId: "77",
  url: null,
  mime: "image/jpeg",
  sha256: "abc=",
  filename: null,
  voice: false,
  errorCode: null,
};

test("a text has its sender, its time, its id and what it answers", () => {
  const item = inbound({
    type: "text",
    text: { body: "¡Hola!" },
    context: { id: "wamid.0" },
    referral: { source_type: "ad", headline: "Whitening", ctwa_clid: "x" },
  });
  expect(item).toMatchObject({
    kind: "message",
    network: "whatsapp",
    externalId: "1065",
    customer: "5215512345678",
    providerKey: "wamid.1",
    at: "2025-06-08T20:59:43.000Z",
    standby: false,
    from: { phone: "+5215512345678", userId: "MX.1", name: "Ana", username: "ana" },
    message: {
      contentType: "text",
      content: "¡Hola!",
      replyToProviderId: "wamid.0",
      referral: { headline: "Whitening" },
      raw: null,
    },
  });
});

const messages: [name: string, given: object, expected: object][] = [
  [
    "an image with its caption",
    { type: "image", image: { ...file, caption: "X-ray" } },
    { contentType: "image", content: "X-ray", attachments: [{ ...attachment, kind: "image" }] },
  ],
  [
    "a voice message",
    { type: "audio", audio: { ...file, voice: true } },
    {
      contentType: "audio",
      content: null,
      attachments: [{ ...attachment, kind: "audio", voice: true }],
    },
  ],
  [
    "a document with its name",
    { type: "document", document: { ...file, filename: "plan.pdf" } },
    {
      contentType: "document",
      attachments: [{ ...attachment, kind: "document", filename: "plan.pdf" }],
    },
  ],
  ["a video", { type: "video", video: file }, { contentType: "video" }],
  ["a sticker", { type: "sticker", sticker: file }, { contentType: "sticker" }],
  [
    "a file that WhatsApp could not fetch",
    { type: "image", image: {}, errors: [{ code: 131052 }] },
    {
      contentType: "image",
      attachments: [
        {
          ...attachment,
          kind: "image",
          providerMediaId: null,
          mime: null,
          sha256: null,
          errorCode: "131052",
        },
      ],
    },
  ],
  [
    "a file in whose place there is an error alone",
    { type: "video", errors: [{ code: 131052 }] },
    { contentType: "video", attachments: [{ kind: "video", errorCode: "131052" }] },
  ],
  [
    "a choice of the future",
    { type: "interactive", interactive: { type: "call_reply", call_reply: { response: "yes" } } },
    { contentType: "unsupported", interactive: null },
  ],
  [
    "a template's button",
    { type: "button", button: { text: "Yes", payload: "yes-1" } },
    { contentType: "interactive", content: "Yes", interactive: { type: "button", id: "yes-1" } },
  ],
  [
    "a reply button",
    {
      type: "interactive",
      interactive: { type: "button_reply", button_reply: { id: "b1", title: "Tuesday" } },
    },
    {
      contentType: "interactive",
      content: "Tuesday",
      interactive: { type: "button_reply", id: "b1" },
    },
  ],
  [
    "a row of a list",
    {
      type: "interactive",
      interactive: {
        type: "list_reply",
        list_reply: { id: "r1", title: "10:00", description: "Dr. Ruiz" },
      },
    },
    {
      contentType: "interactive",
      content: "10:00",
      interactive: { id: "r1", description: "Dr. Ruiz" },
    },
  ],
  [
    "a form",
    {
      type: "interactive",
      interactive: {
        type: "nfm_reply",
        nfm_reply: { name: "flow", body: "Sent", response_json: '{"age":"30"}' },
      },
    },
    {
      contentType: "interactive",
      content: "Sent",
      interactive: { name: "flow", response: { age: "30" } },
    },
  ],
  [
    "a form with broken fields",
    {
      type: "interactive",
      interactive: { type: "nfm_reply", nfm_reply: { name: "flow", response_json: "{" } },
    },
    { content: "flow", interactive: { response: "{" } },
  ],
  [
    "an order",
    {
      type: "order",
      order: {
        catalog_id: "c",
        text: "Please",
        product_items: [{ product_retailer_id: "brush", quantity: 2 }],
      },
    },
    {
      contentType: "interactive",
      content: "Please\n2 × brush",
      interactive: { type: "order", catalog_id: "c" },
    },
  ],
  [
    "a place with a name",
    {
      type: "location",
      location: { latitude: 19.4, longitude: -99.1, name: "Clinic", address: "Reforma 222" },
    },
    { contentType: "location", content: "Clinic, Reforma 222" },
  ],
  [
    "a place without a name",
    { type: "location", location: { latitude: 19.4, longitude: -99.1 } },
    { contentType: "location", content: "19.4, -99.1" },
  ],
  [
    "contacts",
    {
      type: "contacts",
      contacts: [{ name: { formatted_name: "Eva" } }, { name: { first_name: "Leo" } }],
    },
    { contentType: "contact", content: "Eva, Leo" },
  ],
  [
    "an unsupported message",
    { type: "unsupported", errors: [{ code: 131051 }] },
    { contentType: "unsupported" },
  ],
  [
    "a type of the future",
    { type: "hologram", hologram: { id: "1" } },
    { contentType: "unsupported" },
  ],
  ["a type that every object has", { type: "constructor" }, { contentType: "unsupported" }],
  ["a text without a body", { type: "text" }, { contentType: "unsupported" }],
];

test.each(messages)("%s", (_name, given, expected) => {
  expect(inbound(given)).toMatchObject({ kind: "message", message: expected });
});

test("what is not supported keeps its piece, so that it can be looked at", () => {
  const item = inbound({ type: "hologram", hologram: { id: "1" } });
  expect(item).toMatchObject({ message: { raw: { type: "hologram", hologram: { id: "1" } } } });
});

test("a reaction is set, and taken back by one without an emoji", () => {
  const reaction = { message_id: "wamid.0", emoji: "👍" };
  expect(inbound({ type: "reaction", reaction })).toMatchObject({
    kind: "reaction",
    targetId: "wamid.0",
    emoji: "👍",
  });
  const taken = inbound({ type: "reaction", reaction: { message_id: "wamid.0", emoji: "" } });
  expect(taken).toMatchObject({ kind: "reaction", emoji: null });
});

test("an edit and a revoke name the message that they change", () => {
  const edit = {
    original_message_id: "wamid.0",
    message: { type: "text", text: { body: "At 11" } },
  };
  expect(inbound({ type: "edit", edit })).toMatchObject({
    kind: "edit",
    targetId: "wamid.0",
    text: "At 11",
  });
  const revoke = inbound({ type: "revoke", revoke: { original_message_id: "wamid.0" } });
  expect(revoke).toMatchObject({ kind: "revoke", targetId: "wamid.0", providerKey: "wamid.1" });
});

test("a new number and a new id of a person are no messages", () => {
  const system = {
    type: "user_changed_number",
    wa_id: "5215599999999",
    user_id: "MX.2",
    previous_user_id: "MX.1",
  };
  expect(inbound({ type: "system", system })).toMatchObject({
    kind: "number_change",
    from: { waId: "5215512345678" },
    newWaId: "5215599999999",
    newUserId: "MX.2",
    previousUserId: "MX.1",
  });
  expect(inbound({ type: "system", system: { body: "Security code changed" } })).toMatchObject({
    kind: "account",
    field: "system",
  });
});

test("a new id of a person without a phone is found by the id of before", () => {
  const system = { type: "user_changed_user_id", user_id: "MX.2", previous_user_id: "MX.1" };
  for (const from_user_id of ["MX.2", undefined]) {
    const given = { from: undefined, from_user_id, type: "system", system };
    expect(inbound(given, [])).toMatchObject({
      kind: "number_change",
      customer: "MX.1",
      from: { waId: null, userId: "MX.1" },
      newWaId: null,
      newUserId: "MX.2",
    });
  }
});

test("a person without a phone is known by the id of the portfolio", () => {
  const contact = { profile: { name: "Eva" }, user_id: "MX.9", parent_user_id: "MX.ENT.9" };
  const item = inbound(
    { from: undefined, from_user_id: "MX.9", type: "text", text: { body: "hi" } },
    [ana, contact],
  );
  expect(item).toMatchObject({
    customer: "MX.9",
    from: { phone: null, waId: null, userId: "MX.9", parentUserId: "MX.ENT.9", name: "Eva" },
  });
});

test("who was asked for the number and shares it has that phone; a friend's number is the friend's", () => {
  const shared = {
    name: { formatted_name: "Eva" },
    phones: [{ phone: "+52 1 55 1111 2222", wa_id: "5215511112222" }],
  };
  const from = { from: undefined, from_user_id: "MX.9", type: "contacts" };
  const asked = inbound({ ...from, contacts: [{ ...shared, origin: "contact_request" }] }, []);
  expect(asked).toMatchObject({
    customer: "MX.9",
    from: { phone: "+5215511112222", userId: "MX.9" },
  });
  expect(inbound({ ...from, contacts: [shared] }, [])).toMatchObject({ from: { phone: null } });
});

test("profiles belong to messages by their id, not by their place", () => {
  const leo = { profile: { name: "Leo" }, wa_id: "5215500000000" };
  const text = { type: "text", text: { body: "hi" }, timestamp: "1749416383" };
  const items = splitWebhook(
    webhook({
      contacts: [leo, ana],
      messages: [
        { ...text, id: "wamid.a", from: "5215512345678" },
        { ...text, id: "wamid.l", from: "5215500000000" },
      ],
    }),
  );
  expect(items).toMatchObject([{ from: { name: "Ana" } }, { from: { name: "Leo" } }]);
});

test("a group's message and status are set apart", () => {
  expect(inbound({ group_id: "g1", type: "text", text: { body: "hi" } })).toMatchObject({
    kind: "group",
  });
  const status = { id: "wamid.o", status: "read", recipient_type: "group", recipient_id: "g1" };
  expect(splitWebhook(webhook({ statuses: [status] }))).toMatchObject([{ kind: "group" }]);
});
