import { expect, test } from "vitest";
import { useFixture } from "../../support/use-fixture.ts";
import {
  secondsAgo,
  startChannelFixture,
  textFrom,
  whatsapp,
  type TestNumber,
} from "./channel-fixture.ts";
import { addPage, fromCustomer, type TestPage } from "./page-fixture.ts";

const fixture = useFixture(startChannelFixture);
const customer = "5215512345678";
const psid = "6001";

async function say(number: TestNumber, ...values: object[]): Promise<void> {
  await number.send(whatsapp(number.numberId, "messages", ...values));
  await fixture.drain();
}

/** A message of any type, written now. */
function messageFrom(id: string, more: object): object {
  return textFrom(customer, id, { more: { text: undefined, ...more } });
}

async function conversationOf(channelAccountId: number): Promise<number> {
  const [row] = await fixture.query<{ id: number }>(
    "SELECT id FROM conversations WHERE channel_account_id = ? ORDER BY id DESC LIMIT 1",
    [channelAccountId],
  );
  return row?.id ?? 0;
}

/** Messages as API v1 and the Dashboard show them, the oldest first. */
async function viewsOf({
  account,
  channelAccountId,
}: Pick<TestNumber, "account" | "channelAccountId">) {
  const path = `/conversations/${await conversationOf(channelAccountId)}/messages`;
  const rest = await fixture.api.call("GET", `/api/v1${path}`, { apiKey: account.apiKey });
  const panel = await fixture.panel(account, "GET", path);
  expect(panel.json.data).toEqual(rest.json.data);
  return rest.json.data.toReversed();
}

const ofPage = ({ number, channelAccountId }: TestPage) => {
  return { account: number.account, channelAccountId };
};

const image = (url: string) => ({ type: "image", payload: { url } });

test("several attachments are one message, in their order, and no address is shown or published", async () => {
  const page = await addPage(fixture);
  const signed = "https://scontent.xx.fbcdn.net/a.jpg?oh=secret-signature";
  const attachments = [
    image(signed),
    { type: "file", payload: { url: "https://cdn.fbsbx.com/plan.pdf?oh=secret-signature" } },
    image("https://scontent.xx.fbcdn.net/c.jpg?oh=secret-signature"),
  ];
  const message = { mid: "m_files", text: "Three", attachments };
  await page.happen(fromCustomer(page, psid, { message }));
  const [view] = await viewsOf(ofPage(page));
  expect(view).toMatchObject({ type: "image", content: "Three", has_media: true, media: null });
  expect(view.attachments).toMatchObject([
    { kind: "image", state: "pending", url: null, thumbnail_url: null, voice: false },
    { kind: "document", state: "pending", url: null },
    { kind: "image", state: "pending", url: null },
  ]);
  expect(JSON.stringify(view)).not.toContain("secret-signature");
  const stored = await fixture.query<{ source_url: string; left: number }>(
    `SELECT source_url, TIMESTAMPDIFF(MINUTE, created_at, expires_at) AS \`left\`
       FROM message_media WHERE account_id = ? ORDER BY position`,
    [page.number.account.accountId],
  );
  expect(stored.map(({ source_url }) => source_url)).toEqual(
    attachments.map(({ payload }) => payload.url),
  );
  expect(stored[0]?.left).toBe(60);
  const events = await fixture.query<{ body: Buffer }>(
    "SELECT body FROM events WHERE account_id = ? AND type = 'message.received'",
    [page.number.account.accountId],
  );
  expect(JSON.parse(String(events[0]?.body)).data).toMatchObject({ has_media: true });
  expect(String(events[0]?.body)).not.toContain("secret-signature");
});

test("a file of WhatsApp keeps its id, type, hash and name; a lost one is failed", async () => {
  const number = await fixture.addNumber();
  const document = {
    id: "7700",
    mime_type: "application/pdf",
    sha256: "q1MKE+RZFJgrefm34+uplM/R8/si9xzqGvvwK0YMbR0=",
    filename: "../../etc/plan.pdf",
    caption: "The plan",
  };
  const voice = { id: "7701", mime_type: "audio/ogg; codecs=opus", voice: true };
  await say(
    number,
    messageFrom("wamid.f0", { type: "document", document }),
    messageFrom("wamid.f1", { type: "audio", audio: voice }),
    messageFrom("wamid.f2", { type: "image", errors: [{ code: 131_052 }] }),
    messageFrom("wamid.f3", { type: "video", video: { mime_type: "video/mp4" } }),
  );
  const [plan, spoken, lost, bare] = await viewsOf(number);
  expect(plan.attachments).toMatchObject([
    { kind: "document", mime_type: "application/pdf", filename: "plan.pdf", state: "pending" },
  ]);
  expect(spoken.attachments).toMatchObject([{ kind: "audio", voice: true, state: "pending" }]);
  expect(lost).toMatchObject({ type: "image", has_media: true });
  expect(lost.attachments).toMatchObject([{ state: "failed" }]);
  expect(bare.attachments).toMatchObject([{ state: "failed" }]);
  const rows = await fixture.query(
    `SELECT provider_media_id AS id, declared_sha256 AS sha, reason,
            TIMESTAMPDIFF(DAY, created_at, expires_at) AS days
       FROM message_media WHERE account_id = ? ORDER BY message_id`,
    [number.account.accountId],
  );
  expect(rows).toEqual([
    { id: "7700", sha: document.sha256, reason: null, days: 7 },
    { id: "7701", sha: null, reason: null, days: 7 },
    { id: null, sha: null, reason: "provider_error", days: null },
    { id: null, sha: null, reason: "no_source", days: null },
  ]);
});

test("a choice shows its ids, and a message that nobody knows keeps its piece", async () => {
  const number = await fixture.addNumber();
  const reply = { id: "slot-7", title: "10:00" };
  await say(
    number,
    messageFrom("wamid.i0", {
      type: "interactive",
      interactive: { type: "button_reply", button_reply: reply },
    }),
    messageFrom("wamid.i1", { type: "hologram", hologram: { depth: 3 } }),
  );
  const [chosen, unknown] = await viewsOf(number);
  expect(chosen.interactive).toMatchObject({ type: "button_reply", id: "slot-7", title: "10:00" });
  expect(unknown).toMatchObject({ type: "unsupported", content: null, interactive: null });
  const [row] = await fixture.query<{ raw: object }>("SELECT raw FROM messages WHERE id = ?", [
    unknown.id,
  ]);
  expect(row?.raw).toMatchObject({ type: "hologram", hologram: { depth: 3 } });
});

test("the ad of a message is shown on the message and on the conversation, the last one wins", async () => {
  const number = await fixture.addNumber();
  const referral = { source_type: "ad", source_id: "120", headline: "Whitening", ctwa_clid: "c1" };
  await say(number, textFrom(customer, "wamid.a0", { more: { referral } }));
  await say(number, textFrom(customer, "wamid.a1"));
  const read = async () => {
    const path = `/conversations/${await conversationOf(number.channelAccountId)}`;
    const rest = await fixture.api.call("GET", `/api/v1${path}`, {
      apiKey: number.account.apiKey,
    });
    const panel = await fixture.panel(number.account, "GET", path);
    expect(panel.json.data.referral).toEqual(rest.json.data.referral);
    return rest.json.data.referral;
  };
  const shown = { kind: "ad", source_id: "120", headline: "Whitening", click_id: "c1" };
  const [first, second] = await viewsOf(number);
  expect([first.referral, second.referral]).toEqual([expect.objectContaining(shown), null]);
  expect(await read()).toMatchObject(shown);
  // An ad of before that arrives late does not replace it.
  const late = { source_type: "ad", source_id: "1", headline: "Old" };
  const more = { referral: late };
  await say(number, textFrom(customer, "wamid.a2", { more, ago: 3_600 }));
  expect(await read()).toMatchObject(shown);
});

test("a referral without a message is kept where the customer has a conversation, and wakes nobody", async () => {
  const page = await addPage(fixture);
  const link = { referral: { ref: "spring", source: "SHORTLINK", type: "OPEN_THREAD" } };
  await page.happen(fromCustomer(page, "6099", link));
  await page.happen(fromCustomer(page, psid, { message: { mid: "m_1", text: "Hola" } }));
  const { accountId } = page.number.account;
  await fixture.query("UPDATE conversations SET status = 'resolved' WHERE account_id = ?", [
    accountId,
  ]);
  const events = await fixture.eventsOf(accountId);
  await page.happen(fromCustomer(page, psid, link));
  const rows = await fixture.query(
    `SELECT status, referral->>'$.ref' AS ref, unread_count AS unread FROM conversations
      WHERE account_id = ?`,
    [accountId],
  );
  expect(rows).toEqual([{ status: "resolved", ref: "spring", unread: 1 }]);
  expect(await fixture.eventsOf(accountId)).toEqual(events);
});

test("a story that is answered or that mentions us is shown with its message, not as an ad", async () => {
  const page = await addPage(fixture, { driver: "instagram_page", channel: "instagram" });
  const answer = {
    mid: "m_s1",
    text: "How much?",
    reply_to: { story: { id: "s1", url: "https://x.example/s1" } },
  };
  const mention = {
    mid: "m_s2",
    attachments: [{ type: "story_mention", payload: { url: "https://x.example/s2" } }],
  };
  await page.happen(
    fromCustomer(page, psid, { message: answer }),
    fromCustomer(page, psid, { message: mention }),
  );
  const [first, second] = await viewsOf(ofPage(page));
  expect(first.referral).toMatchObject({ kind: "story", source_id: "s1", url: null });
  expect(second).toMatchObject({ type: "image", referral: { kind: "story_mention" } });
  const [row] = await fixture.query("SELECT referral FROM conversations WHERE account_id = ?", [
    page.number.account.accountId,
  ]);
  expect(row).toEqual({ referral: null });
});

test("a reaction is shown until it is taken back, and one that comes late has no effect", async () => {
  const page = await addPage(fixture);
  const at = Date.now() - 60_000;
  await page.happen(fromCustomer(page, psid, { message: { mid: "m_r", text: "Hola" } }, at));
  const react = async (emoji: string | null, time: number) => {
    const action = emoji === null ? "unreact" : "react";
    const reaction = { mid: "m_r", action, ...(emoji === null ? {} : { emoji }) };
    await page.happen(fromCustomer(page, psid, { reaction }, time));
    return (await viewsOf(ofPage(page)))[0].reactions;
  };
  expect(await react("👍", at + 1_000)).toEqual([
    { emoji: "👍", sender_type: "contact", created_at: new Date(at + 1_000).toISOString() },
  ]);
  expect(await react(null, at + 3_000)).toEqual([]);
  expect(await react("👍", at + 2_000)).toEqual([]);
  expect(await react("❤️", at + 4_000)).toMatchObject([{ emoji: "❤️" }]);
});

test("a reaction or an edit reopens nothing, and wakes nobody", async () => {
  const number = await fixture.addNumber();
  await say(number, textFrom(customer, "wamid.q0", { body: "At ten" }));
  const { accountId } = number.account;
  const seen = async () =>
    await fixture.query(
      `SELECT status, unread_count, customer_waits_since, last_customer_message_at, bot_epoch
         FROM conversations WHERE account_id = ?`,
      [accountId],
    );
  await fixture.query(
    "UPDATE conversations SET status = 'resolved', unread_count = 0 WHERE account_id = ?",
    [accountId],
  );
  const before = await seen();
  const events = await fixture.eventsOf(accountId);
  const commands = await fixture.count("outbox");
  const reaction = { message_id: "wamid.q0", emoji: "👍" };
  const edit = {
    original_message_id: "wamid.q0",
    message: { type: "text", text: { body: "At eleven" } },
  };
  await say(number, messageFrom("wamid.q1", { type: "reaction", reaction }));
  await say(number, messageFrom("wamid.q2", { type: "edit", edit }));
  const [view] = await viewsOf(number);
  expect(view).toMatchObject({ content: "At eleven", reactions: [{ emoji: "👍" }] });
  expect(view.edited_at).not.toBeNull();
  expect(await seen()).toEqual(before);
  expect(await fixture.eventsOf(accountId)).toEqual(events);
  expect(await fixture.count("outbox")).toEqual(commands);
});

test("a message that is taken back keeps no content, file, choice, referral or piece", async () => {
  const number = await fixture.addNumber();
  const referral = { source_type: "ad", headline: "Whitening" };
  const image = { id: "7702", mime_type: "image/png", caption: "Look" };
  await say(number, messageFrom("wamid.d0", { type: "image", image, referral }));
  await say(
    number,
    messageFrom("wamid.d1", { type: "revoke", revoke: { original_message_id: "wamid.d0" } }),
  );
  const [view] = await viewsOf(number);
  expect(view).toMatchObject({
    content: null,
    has_media: false,
    attachments: [],
    interactive: null,
    referral: null,
  });
  expect(view.deleted_at).not.toBeNull();
  const [file] = await fixture.query(
    "SELECT state, provider_media_id, source_url FROM message_media WHERE message_id = ?",
    [view.id],
  );
  expect(file).toEqual({ state: "erased", provider_media_id: null, source_url: null });
});

test.each(["edit", "revoke"])(
  "a %s whose message comes within the hour waits for it, and is dropped after an hour",
  async (type) => {
    const number = await fixture.addNumber();
    const change = (id: string) => ({
      [type]: {
        original_message_id: id,
        ...(type === "edit" ? { message: { type: "text", text: { body: "Changed" } } } : {}),
      },
    });
    const later = secondsAgo(-5);
    await say(number, messageFrom("wamid.l1", { type, ...change("wamid.l0"), timestamp: later }));
    await say(number, messageFrom("wamid.l2", { type, ...change("wamid.never") }));
    const { accountId } = number.account;
    const due = async (minutes: number) => {
      await fixture.query(
        `UPDATE channel_items SET due_at = created_at, created_at = created_at - INTERVAL ? MINUTE
          WHERE state = 'waiting' AND account_id = ?`,
        [minutes, accountId],
      );
      await fixture.drain();
    };
    await due(59);
    await say(number, textFrom(customer, "wamid.l0", { body: "First" }));
    await due(0);
    const [view] = await viewsOf(number);
    expect(view.content).toBe(type === "edit" ? "Changed" : null);
    await due(2);
    const items = await fixture.query(
      "SELECT reason, state FROM channel_items WHERE account_id = ? AND kind = ? ORDER BY id",
      [accountId, type],
    );
    expect(items).toEqual([
      { reason: null, state: "done" },
      { reason: "unmatched", state: "done" },
    ]);
  },
);
