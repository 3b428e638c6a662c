import { expect, test } from "vitest";
import type { Principal } from "../../../core/model/principal.ts";
import type { SendMessageInput } from "../../../core/model/workflow/sending.ts";
import { listExpiredHeld } from "../../../core/services/channels/held-messages.ts";
import { createAgentMessage } from "../../../core/services/conversations/agent-messages.ts";
import { setBot } from "../../../core/services/conversations/conversations.ts";
import { listLateRuns } from "../../../core/services/operations/lost-runs.ts";
import { expireOnce, releaseOnce } from "../../../worker/engine/release-held.ts";
import { asSystem } from "../../support/accounts.ts";
import { tracesOf } from "../../support/conversations.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startSendingFixture, type TestTalk } from "./sending-fixture.ts";

const fixture = useFixture(startSendingFixture);

async function stateOf({ channelAccountId }: TestTalk) {
  const sql = "SELECT state, held_since FROM channel_accounts WHERE id = ?";
  const [row] = await fixture.query<{ state: string; held_since: Date | null }>(sql, [
    channelAccountId,
  ]);
  return row;
}

/** The token of the channel is valid again. */
async function reconnect({ channelAccountId, standIn }: TestTalk): Promise<void> {
  standIn.script("normal");
  await fixture.query(
    "UPDATE channel_accounts SET state = 'connected', state_reason = NULL WHERE id = ?",
    [channelAccountId],
  );
}

/** Moves the hold of every message of the channel into the past. */
async function ageHolds({ channelAccountId }: TestTalk, hours = 0.01): Promise<void> {
  await fixture.query(
    `UPDATE messages SET held_at = held_at - INTERVAL ? SECOND WHERE channel_account_id = ?`,
    [hours * 3_600, channelAccountId],
  );
}

/** Releases all, and makes the runs that were requested. @returns ids in the order of the starts */
async function releaseAll({ account, step }: TestTalk, dataSource = fixture.database.dataSource) {
  const { commands } = await tracesOf(dataSource, account.accountId, async () => {
    while ((await releaseOnce({ dataSource })) > 0);
  });
  expect(
    commands.every(({ again, workflow }) => again === true && workflow === "sendMessage"),
  ).toBe(true);
  const inputs = commands.map(({ input }) => input as SendMessageInput);
  let waiting = inputs;
  while (waiting.length > 0) {
    const outcomes = await Promise.all(waiting.map(step));
    waiting = waiting.filter((_, n) => outcomes[n]?.state === "waiting");
  }
  return inputs.map(({ messageId }) => messageId);
}

test("a token that is no longer valid holds every message, and each leaves once, in order", async () => {
  const talk = await fixture.talk("whatsapp");
  const inputs: SendMessageInput[] = [];
  for (let n = 1; n <= 40; n += 1) inputs.push(await talk.queue(`Número ${n}`));
  talk.standIn.script("token");
  for (const input of inputs) expect(await talk.step(input)).toEqual({ state: "held" });
  expect(await stateOf(talk)).toMatchObject({
    state: "needs_reauth",
    held_since: expect.any(Date),
  });
  // The first refusal is enough: the others do not reach the network.
  expect(talk.standIn.calls()).toHaveLength(1);
  for (const input of inputs) {
    expect(await talk.read(input)).toMatchObject({ status: "queued", error: null });
  }
  await ageHolds(talk);
  const { dataSource } = fixture.database;
  expect(await releaseOnce({ dataSource })).toBe(0);

  await reconnect(talk);
  const released = await releaseAll(talk);
  expect(released).toEqual(inputs.map(({ messageId }) => messageId));
  expect(await stateOf(talk)).toMatchObject({ state: "connected", held_since: null });
  const texts = talk.standIn.lines().flatMap(({ isOurs, text }) => (isOurs ? [text] : []));
  expect(texts).toEqual(inputs.map((_, n) => `Número ${n + 1}`));
  for (const input of inputs) expect(await talk.step(input)).toEqual({ state: "over" });
  expect(talk.standIn.calls()).toHaveLength(41);
});

test("a release restarts 20 messages at once", async () => {
  const talk = await fixture.talk("messenger");
  talk.standIn.script("token");
  for (let n = 0; n < 25; n += 1) await talk.step(await talk.queue("Hola"));
  await ageHolds(talk);
  await reconnect(talk);
  const { dataSource } = fixture.database;
  expect(await releaseOnce({ dataSource })).toBe(20);
  expect(await releaseOnce({ dataSource })).toBe(5);
  expect(await releaseOnce({ dataSource })).toBe(0);
});

test("a held message has no lost run, a message that was released and not begun has one", async () => {
  const talk = await fixture.talk("whatsapp");
  const { dataSource } = fixture.database;
  talk.standIn.script("token");
  const { messageId } = await talk.queue("Hola");
  await talk.step({ accountId: talk.account.accountId, messageId });
  const isLate = async () => {
    const old = "UPDATE messages SET updated_at = updated_at - INTERVAL 1 HOUR WHERE id = ?";
    await fixture.query(old, [messageId]);
    const page = { after: messageId - 1, limit: 1 };
    const runs = await asSystem(dataSource, 0, (tx) => listLateRuns(tx, "message", page));
    return runs.some(({ id }) => Number(id) === messageId);
  };
  expect(await isLate()).toBe(false);
  await ageHolds(talk);
  await reconnect(talk);
  await releaseOnce({ dataSource });
  expect(await isLate()).toBe(true);
});

test("after 24 hours a held message fails, and says so", async () => {
  const talk = await fixture.talk("whatsapp");
  talk.standIn.script("token");
  const input = await talk.queue("Hola");
  await talk.step(input);
  const { dataSource } = fixture.database;
  await ageHolds(talk, 23);
  await expireOnce({ dataSource });
  expect(await talk.read(input)).toMatchObject({ status: "queued" });
  await ageHolds(talk, 1.1);
  await expireOnce({ dataSource });
  expect(await talk.read(input)).toMatchObject({
    status: "failed",
    error: { code: "channel_disconnected" },
    held_at: null,
  });
});

test("the window is judged again when a held message restarts", async () => {
  const talk = await fixture.talk("whatsapp");
  talk.standIn.script("token");
  const input = await talk.queue("Hola");
  await talk.step(input);
  await ageHolds(talk);
  await talk.age(25);
  await reconnect(talk);
  await releaseAll(talk);
  expect(await talk.read(input)).toMatchObject({
    status: "failed",
    error: { code: "messaging_window_closed" },
  });
  expect(talk.standIn.calls()).toHaveLength(1);
});

const inAccount = async <T>({ account }: TestTalk, work: Parameters<typeof asSystem<T>>[2]) =>
  await asSystem(fixture.database.dataSource, account.accountId, work);

/** A reply of the AI agent that its channel holds. */
async function holdReply(talk: TestTalk): Promise<SendMessageInput> {
  const epoch = 0;
  const watermark = Number.MAX_SAFE_INTEGER;
  const { conversationId } = talk;
  const reply = await inAccount(talk, (tx) =>
    createAgentMessage(tx, { conversationId, epoch, watermark, content: "¿El jueves?" }),
  );
  const input = { accountId: talk.account.accountId, messageId: reply?.id ?? 0 };
  talk.standIn.script("token");
  expect(await talk.step(input)).toEqual({ state: "held" });
  return input;
}

const pause = async (talk: TestTalk) =>
  await inAccount(talk, (tx) => setBot(tx, talk.conversationId, { enabled: false }));

test("a held reply of the AI agent does not leave after a pause", async () => {
  const talk = await fixture.talk("whatsapp");
  const input = await holdReply(talk);
  await pause(talk);
  await ageHolds(talk);
  await reconnect(talk);
  await releaseAll(talk);
  expect(await talk.read(input)).toMatchObject({ status: "cancelled" });
  expect(talk.standIn.calls()).toHaveLength(1);
  // The next round finds no held message of the channel.
  await releaseOnce({ dataSource: fixture.database.dataSource });
  expect(await stateOf(talk)).toMatchObject({ held_since: null });
});

test("a pause ends the hold and the wait of a reply that it cancels", async () => {
  const talk = await fixture.talk("whatsapp");
  const held = await holdReply(talk);
  await fixture.query("UPDATE messages SET next_try_at = NOW(3) WHERE id = ?", [held.messageId]);
  await pause(talk);
  expect(await talk.read(held)).toMatchObject({
    status: "cancelled",
    held_at: null,
    next_try_at: null,
  });
});

test("a cancelled reply that kept its hold takes no place among those that fail", async () => {
  const talk = await fixture.talk("whatsapp");
  const cancelled = await holdReply(talk);
  await pause(talk);
  const text = await talk.queue("Hola");
  expect(await talk.step(text)).toEqual({ state: "held" });
  await fixture.query("UPDATE messages SET held_at = NOW(3) WHERE id = ?", [cancelled.messageId]);
  await ageHolds(talk, 25);
  const ids = await inAccount(talk, (tx) => listExpiredHeld(tx, talk.channelAccountId));
  expect(ids).toEqual([text.messageId]);
});

test("a message that the network refuses for the channel six times fails", async () => {
  const talk = await fixture.talk("whatsapp");
  talk.standIn.script("token");
  const input = await talk.queue("Hola");
  const states: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    states.push((await talk.step(input)).state);
    await fixture.query("UPDATE channel_accounts SET state = 'connected' WHERE id = ?", [
      talk.channelAccountId,
    ]);
  }
  expect(states).toEqual(["held", "held", "held", "held", "held", "failed"]);
  expect(await talk.read(input)).toMatchObject({
    error: { code: "channel_unavailable", provider_code: "190" },
  });
});

test("a disconnected channel holds messages, and a customer's message still arrives", async () => {
  const talk = await fixture.talk("instagram");
  await fixture.query("UPDATE channel_accounts SET state = 'needs_reauth' WHERE id = ?", [
    talk.channelAccountId,
  ]);
  const input = await talk.queue("Hola");
  expect(await talk.step(input)).toEqual({ state: "held" });
  expect(talk.standIn.calls()).toEqual([]);
  await talk.standIn.receive("instagram", { kind: "text", text: "¿Hay alguien?" });
  await talk.settle();
  const sql = "SELECT content FROM messages WHERE conversation_id = ? AND direction = 'inbound'";
  const rows = await fixture.query<{ content: string }>(sql, [talk.conversationId]);
  expect(rows.map(({ content }) => content)).toContain("¿Hay alguien?");
});

/** A person of the account. */
function personOf({ account: { accountId, userId } }: TestTalk): Principal {
  return { type: "user", accountId, userId, role: "admin" };
}

test.each(["messenger", "instagram"] as const)(
  "%s: after 24 hours a person answers with a tag where Meta has approved it, and nobody else does",
  async (network) => {
    const talk = await fixture.talk(network);
    await talk.age(30);
    const closed = { code: "messaging_window_closed" };
    await expect(talk.queue("Hola", personOf(talk))).rejects.toMatchObject(closed);
    await fixture.query("UPDATE channel_accounts SET human_agent = 1 WHERE id = ?", [
      talk.channelAccountId,
    ]);
    await expect(talk.queue("Hola")).rejects.toMatchObject(closed);
    const input = await talk.queue("Hola", personOf(talk));
    expect(await talk.step(input)).toMatchObject({ state: "sent" });
    const tag = { messaging_type: "MESSAGE_TAG", tag: "HUMAN_AGENT" };
    expect(talk.bodies()).toMatchObject([tag]);
    const { accountId, apiKey } = talk.account;
    const path = `/api/v1/conversations/${talk.conversationId}`;
    const view = (await fixture.api.call("GET", path, { apiKey })).json.data;
    expect([accountId > 0, view.messaging_window.open]).toEqual([true, false]);
    expect(view.messaging_window.human_expires_at).toMatch(/^\d{4}-/u);
    await talk.age(7 * 24 + 1);
    await expect(talk.queue("Hola", personOf(talk))).rejects.toMatchObject(closed);
  },
);

test.each([
  ["messenger", "ñ".repeat(2_000), "ñ".repeat(2_001)],
  ["instagram", "ñ".repeat(499), "ñ".repeat(500)],
] as const)("%s: a text above the limit is 422, and never cut", async (network, fits, exceeds) => {
  const talk = await fixture.talk(network);
  const { apiKey } = talk.account;
  const path = `/api/v1/conversations/${talk.conversationId}/messages`;
  const answer = await fixture.api.call("POST", path, { apiKey, body: { content: exceeds } });
  expect([answer.status, answer.json.error.code]).toEqual([422, "message_too_long"]);
  expect(await talk.run(await talk.queue(fits))).toMatchObject({ state: "sent" });
  expect(talk.standIn.calls()).toMatchObject([{ send: { text: fits } }]);
});
