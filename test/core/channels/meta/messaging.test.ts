import { expect, test } from "vitest";
import { splitWebhook } from "../../../../core/channels/meta/split-webhook.ts";

const at = 1_749_416_383_123;
const people = { sender: { id: "PSID" }, recipient: { id: "PAGE" }, timestamp: at };

function webhook(events: object[], object = "page", array = "messaging") {
  return { object, entry: [{ id: "PAGE", time: at, [array]: events }] };
}

const split = (event: object, object?: string) =>
  splitWebhook(webhook([{ ...people, ...event }], object));
const said = (message: object, object?: string) =>
  split({ message: { mid: "m_1", ...message } }, object)[0];
const image = { type: "image", payload: { url: "https://cdn.example/1.jpg" } };

test("a text has its sender, its time in milliseconds, and what it answers", () => {
  expect(said({ text: "hi", reply_to: { mid: "m_0" } })).toMatchObject({
    kind: "message",
    network: "messenger",
    externalId: "PAGE",
    customer: "PSID",
    providerKey: "m_1",
    at: "2025-06-08T20:59:43.123Z",
    from: { pageScopedId: "PSID", phone: null },
    message: { contentType: "text", content: "hi", replyToProviderId: "m_0" },
  });
  expect(said({ text: "hi" }, "instagram")).toMatchObject({ network: "instagram" });
});

const messages: [name: string, given: object, expected: object][] = [
  [
    "several pictures with a text are one message",
    {
      text: "Both sides",
      attachments: [image, { type: "video", payload: { url: "https://cdn.example/2.mp4" } }],
    },
    {
      contentType: "image",
      content: "Both sides",
      attachments: [{ kind: "image", url: "https://cdn.example/1.jpg" }, { kind: "video" }],
    },
  ],
  [
    "a sticker that comes as an image and as a sticker is one file",
    {
      attachments: [
        { type: "image", payload: { url: "https://cdn.example/s.png", sticker_id: 369 } },
        { type: "sticker", payload: {} },
      ],
    },
    {
      contentType: "sticker",
      attachments: [{ kind: "sticker", url: "https://cdn.example/s.png" }],
    },
  ],
  [
    "a file",
    { attachments: [{ type: "file", payload: { url: "https://cdn.example/a.pdf" } }] },
    { contentType: "document" },
  ],
  [
    "a recording",
    { attachments: [{ type: "audio", payload: { url: "https://cdn.example/a.mp4" } }] },
    { contentType: "audio" },
  ],
  [
    "a shared link is text with its title, and repeats nothing",
    {
      text: "https://a.example/",
      attachments: [{ type: "fallback", title: "A page", url: "https://a.example/" }],
    },
    { contentType: "text", content: "https://a.example/\nA page", attachments: [] },
  ],
  [
    "a shared reel",
    {
      attachments: [
        { type: "ig_reel", payload: { title: "Whitening", url: "https://ig.example/r" } },
      ],
    },
    { contentType: "text", content: "Whitening\nhttps://ig.example/r" },
  ],
  [
    "a link without a payload",
    { attachments: [{ type: "fallback", title: "Gone" }] },
    { contentType: "text", content: "Gone" },
  ],
  [
    "a quick reply",
    { text: "10:00", quick_reply: { payload: "slot-1" } },
    {
      contentType: "interactive",
      content: "10:00",
      interactive: { type: "quick_reply", id: "slot-1" },
    },
  ],
  [
    "a place",
    { attachments: [{ type: "location", payload: { coordinates: { lat: 19.4, long: -99.1 } } }] },
    { contentType: "location", content: "19.4, -99.1" },
  ],
  [
    "a reply to a story",
    { text: "How much?", reply_to: { story: { id: "s1", url: "https://ig.example/s1" } } },
    {
      contentType: "text",
      context: "story_reply",
      referral: { type: "story", id: "s1" },
      replyToProviderId: null,
    },
  ],
  [
    "a mention in a story",
    { attachments: [{ type: "story_mention", payload: { url: "https://ig.example/s2" } }] },
    {
      contentType: "image",
      context: "story_mention",
      attachments: [{ url: "https://ig.example/s2" }],
    },
  ],
  [
    "a message that the network does not show",
    { is_unsupported: true },
    { contentType: "unsupported", raw: { is_unsupported: true } },
  ],
  [
    "an attachment of the future",
    { attachments: [{ type: "hologram" }] },
    { contentType: "unsupported" },
  ],
  [
    "a type that every object has",
    { attachments: [{ type: "toString" }] },
    { contentType: "unsupported" },
  ],
];

test.each(messages)("%s", (_name, given, expected) => {
  expect(said(given)).toMatchObject({ kind: "message", message: expected });
});

test.each(["fallback", "share", "post", "ig_post", "reel", "ig_reel"])(
  "a shared %s is text of its title and its link",
  (type) => {
    const payload = { title: "Whitening", url: "https://ig.example/p" };
    const message = { contentType: "text", content: "Whitening\nhttps://ig.example/p" };
    expect(said({ attachments: [{ type, payload }] })).toMatchObject({ kind: "message", message });
  },
);

test("a press on a button is a message, with the link by which the person came", () => {
  const postback = {
    mid: "m_p",
    title: "Book",
    payload: "BOOK",
    referral: { source: "ADS", ref: "x" },
  };
  expect(split({ postback })).toMatchObject([
    {
      kind: "message",
      providerKey: "m_p",
      message: {
        contentType: "interactive",
        content: "Book",
        interactive: { id: "BOOK" },
        referral: { source: "ADS" },
      },
    },
  ]);
});

test("a press without an id has the same key in each repeat, and another one at another time", () => {
  const key = (timestamp: number) =>
    split({ postback: { title: "Book" }, timestamp })[0]?.providerKey;
  expect(key(at)).toBe(key(at));
  expect(key(at)).not.toBe(key(at + 1));
});

test("a message that is taken back, and one that is edited twice", () => {
  expect(said({ is_deleted: true }, "instagram")).toMatchObject({
    kind: "revoke",
    targetId: "m_1",
  });
  const edit = (num_edit: number) =>
    split({ message_edit: { mid: "m_1", text: "At 11", num_edit } })[0];
  expect(edit(1)).toMatchObject({ kind: "edit", targetId: "m_1", text: "At 11" });
  expect(edit(1)?.providerKey).not.toBe(edit(2)?.providerKey);
});

test("a reaction is set and taken back", () => {
  const reaction = { mid: "m_1", action: "react", emoji: "❤", reaction: "love" };
  expect(split({ reaction })).toMatchObject([{ kind: "reaction", targetId: "m_1", emoji: "❤" }]);
  expect(split({ reaction: { ...reaction, action: "unreact" } })).toMatchObject([{ emoji: null }]);
});

test("an echo of the Page's inbox is a person's, one of another app a program's", () => {
  const echo = (app_id?: number) =>
    splitWebhook(
      webhook([
        {
          sender: { id: "PAGE" },
          recipient: { id: "PSID" },
          timestamp: at,
          message: { mid: "m_e", text: "Yes", is_echo: true, app_id },
        },
      ]),
    )[0];
  expect(echo(263_902_037_430_900)).toMatchObject({
    kind: "echo",
    customer: "PSID",
    to: { pageScopedId: "PSID" },
    byAutomation: false,
  });
  expect(echo()).toMatchObject({ byAutomation: false, callbackData: null });
  expect(echo(1_234)).toMatchObject({ byAutomation: true, appId: "1234" });
});

test("deliveries name messages and all until a time; a read of Instagram names one", () => {
  expect(split({ delivery: { mids: ["m_1", "m_2"], watermark: at } })).toMatchObject([
    { kind: "status", messageId: "m_1", status: "delivered", watermark: null },
    { messageId: "m_2" },
    { messageId: null, watermark: "2025-06-08T20:59:43.123Z" },
  ]);
  expect(split({ read: { watermark: String(at) } })).toMatchObject([
    { status: "read", messageId: null, watermark: "2025-06-08T20:59:43.123Z", customer: "PSID" },
  ]);
  expect(split({ read: { mid: "m_1" } }, "instagram")).toMatchObject([
    { status: "read", messageId: "m_1" },
  ]);
});

test("the company's own messages, edits and reactions are not the customer's", () => {
  const own = { sender: { id: "PAGE" }, recipient: { id: "PSID" }, timestamp: at };
  const read = (event: object) => splitWebhook(webhook([{ ...own, ...event }]));
  const message = { mid: "m_e", text: "Yes", is_echo: true, metadata: "42" };
  expect(read({ message })).toMatchObject([{ kind: "echo", callbackData: "42" }]);
  expect(read({ message: { mid: "m_e", text: "Yes" } })).toMatchObject([
    { kind: "echo", customer: "PSID" },
  ]);
  expect(read({ message: { ...message, is_deleted: true } })).toMatchObject([
    { kind: "revoke", customer: "PSID", targetId: "m_e" },
  ]);
  expect(read({ message_edit: { mid: "m_e", text: "No", num_edit: 1 } })).toMatchObject([
    { kind: "edit", customer: "PSID", text: "No" },
  ]);
  expect(read({ reaction: { mid: "m_1", action: "react", emoji: "❤" } })).toMatchObject([
    { kind: "account", field: "reaction_echo" },
  ]);
  expect(read({ recipient: { id: "PAGE" }, message })).toMatchObject([
    { kind: "account", field: "self", customer: null },
  ]);
});

test("an event within a change is read as one of a conversation", () => {
  const value = { ...people, message: { mid: "m_t", text: "test" } };
  const changes = [{ field: "messages", value }];
  expect(splitWebhook({ object: "instagram", entry: [{ id: "PAGE", changes }] })).toMatchObject([
    { kind: "message", network: "instagram", customer: "PSID", message: { content: "test" } },
  ]);
});

test("what arrives in standby is marked, and handovers say who has the conversation", () => {
  const event = { ...people, message: { mid: "m_s", text: "hi" } };
  expect(splitWebhook(webhook([event], "page", "standby"))).toMatchObject([
    { kind: "message", standby: true },
  ]);
  expect(split({ pass_thread_control: { new_owner_app_id: "1" } })).toMatchObject([
    { kind: "handover", toUs: true },
  ]);
  expect(split({ take_thread_control: { previous_owner_app_id: "1" } })).toMatchObject([
    { kind: "handover", toUs: false, newOwner: null },
  ]);
  const taken = { take_thread_control: { previous_owner_app_id: "1", new_owner_app_id: 2 } };
  expect(split(taken)).toMatchObject([{ kind: "handover", newOwner: "2" }]);
});

test("a link without a message is a referral of the customer, with one key in each repeat", () => {
  const referral = { ref: "spring", source: "SHORTLINK", type: "OPEN_THREAD" };
  const [one] = split({ referral });
  expect(one).toMatchObject({ kind: "referral", from: { pageScopedId: "PSID" }, referral });
  expect(split({ referral })[0]?.providerKey).toBe(one?.providerKey);
});

test("other events and changes of the account are kept without a customer", () => {
  expect(split({ optin: { ref: "x" } })).toMatchObject([{ kind: "account", customer: null }]);
  const changes = [{ field: "feed", value: { item: "like" } }];
  expect(splitWebhook({ object: "instagram", entry: [{ id: "IG", changes }] })).toMatchObject([
    { kind: "account", field: "feed", externalId: "IG" },
  ]);
});
