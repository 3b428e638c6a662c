import { expect, test } from "vitest";
import type { MetaScriptName } from "../../../dev/stand-in/meta-scripts.ts";
import { metaNetworks, type MetaNetwork } from "../../../dev/stand-in/meta-accounts.ts";
import type { Principal } from "../../../core/model/principal.ts";
import type { SendOutcome } from "../../../core/model/workflow/sending.ts";
import { beginSend } from "../../../core/services/conversations/message-sending.ts";
import { asSystem } from "../../support/accounts.ts";
import { noPace } from "../../support/conversations.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startSendingFixture, type TestTalk } from "./sending-fixture.ts";

const fixture = useFixture(startSendingFixture);

function personOf({ account: { userId, accountId } }: TestTalk): Principal {
  return { type: "user", userId, accountId, role: "admin" } as Principal;
}

async function countSent({ account }: TestTalk): Promise<number> {
  const types = await fixture.eventsOf(account.accountId);
  return types.filter((type) => type === "message.sent").length;
}

function waitOf(outcome: SendOutcome): number | null {
  return outcome.state === "waiting" ? outcome.waitMs : null;
}

test.each(metaNetworks)("%s takes a text once, and its reports follow", async (network) => {
  const talk = await fixture.talk(network);
  const input = await talk.queue("¡Hola, Ana! 👋");
  expect(await talk.step(input)).toEqual({ state: "sent", reports: [] });
  await talk.settle();
  const row = await talk.read(input);
  expect(row).toMatchObject({ status: "read", error: null, tries: 1, in_flight_since: null });
  expect(row.provider_ids).toBe(talk.standIn.calls()[0]?.messageId);
  expect(talk.standIn.calls()).toMatchObject([
    { answered: 200, send: { text: "¡Hola, Ana! 👋", callbackData: String(input.messageId) } },
  ]);
  expect(await countSent(talk)).toBe(1);
  expect(await talk.step(input)).toEqual({ state: "over" });
  expect(talk.standIn.calls()).toHaveLength(1);
});

test("a customer without a phone gets the message by the id of the user, never in `to`", async () => {
  const customer = { userId: "MX.1349000000001", name: "Ana" };
  const talk = await fixture.talk("whatsapp", { customer });
  await talk.run(await talk.queue("Hola"));
  const [body] = talk.bodies();
  expect(body).toMatchObject({ recipient: "MX.1349000000001" });
  expect(body).not.toHaveProperty("to");
});

test.each(metaNetworks)("%s gets the id of the message that ours answers", async (network) => {
  const talk = await fixture.talk(network);
  const [asked] = await fixture.query<{ id: number; provider_id: string }>(
    `SELECT m.id, p.provider_id FROM messages m JOIN message_provider_ids p ON p.message_id = m.id
      WHERE m.conversation_id = ?`,
    [talk.conversationId],
  );
  await talk.run(await talk.queue({ content: "Sí", reply_to_message_id: Number(asked?.id) }));
  const id = asked?.provider_id;
  const expected =
    network === "whatsapp" ? { context: { message_id: id } } : { reply_to: { mid: id } };
  expect(talk.bodies()[0]).toMatchObject(expected);
});

test.each<[string, MetaNetwork, MetaScriptName, string, string]>([
  ["an unreachable customer", "whatsapp", "unreachable", "recipient_unavailable", "131026"],
  ["an unreachable customer", "messenger", "unreachable", "recipient_unavailable", "551"],
  ["another app", "messenger", "other_app", "recipient_unavailable", "10/2018300"],
  ["another app", "instagram", "other_app", "recipient_unavailable", "10/2018300"],
  ["another owner", "instagram", "other_owner", "recipient_unavailable", "100/2534037"],
  ["a closed window", "messenger", "window_late", "messaging_window_closed", "10/2018278"],
])("%s of %s fails the message at once: %s", async (_, network, script, code, provider_code) => {
  const talk = await fixture.talk(network);
  talk.standIn.script(script);
  const input = await talk.queue("Hola");
  expect(await talk.step(input)).toEqual({ state: "failed" });
  expect(await talk.read(input)).toMatchObject({
    status: "failed",
    error: { code, provider_code },
    tries: 1,
  });
  expect(await stateOf(talk)).toEqual({ state: "connected", state_reason: null });
});

const pagedInstagram = {
  driver: "instagram_page",
  network: "instagram",
  id: "17841405822309998",
  parentId: "178229012934078",
  name: "@paged",
  token: "page-token-78",
} as const;

test.each([
  ["messenger", "other_app", {}],
  ["instagram", "other_app", { account: pagedInstagram }],
  ["instagram", "other_owner", { account: pagedInstagram }],
] as const)(
  "%s, %s: a person's reply takes the conversation from another app",
  async (network, script, options) => {
    const talk = await fixture.talk(network, options);
    talk.standIn.script(script, 1);
    const input = await talk.queue("Hola", personOf(talk));
    expect(await talk.step(input)).toMatchObject({ state: "sent" });
    expect(talk.standIn.calls()).toMatchObject([{ answered: 400 }, { answered: 200 }]);
    expect(talk.standIn.lines().filter(({ isOurs }) => isOurs)).toHaveLength(1);
    expect(await talk.read(input)).toMatchObject({ tries: 1, error: null });
  },
);

test.each([
  ["other_app", "10/2018300"],
  ["other_owner", "100/2534037"],
] as const)(
  "a conversation that Meta leaves with %s fails a person's reply after one call",
  async (script, provider_code) => {
    const talk = await fixture.talk("messenger");
    talk.standIn.script(script);
    const input = await talk.queue("Hola", personOf(talk));
    expect(await talk.step(input)).toEqual({ state: "failed" });
    const message = "Another app has the conversation with this customer.";
    const error = { code: "recipient_unavailable", message, provider_code };
    expect(await talk.read(input)).toMatchObject({ error });
    expect(talk.standIn.calls()).toHaveLength(1);
  },
);

test("a missing permission that a check has just found fails its message, and others leave", async () => {
  const talk = await fixture.talk("messenger");
  talk.standIn.script("not_here", 2);
  const held = await talk.queue("Hola");
  expect(await talk.step(held)).toEqual({ state: "held" });
  expect(await stateOf(talk)).toEqual({ state: "degraded", state_reason: "scope_missing" });
  await fixture.query(
    `UPDATE channel_accounts SET state = 'connected', state_reason = NULL,
            doubted_at = UTC_TIMESTAMP(3) WHERE id = ?`,
    [talk.channelAccountId],
  );
  expect(await talk.step(held)).toEqual({ state: "failed" });
  expect(await talk.read(held)).toMatchObject({
    status: "failed",
    error: { code: "refused", provider_code: "10/33" },
    held_at: null,
  });
  expect(await stateOf(talk)).toEqual({ state: "connected", state_reason: null });
  expect(await talk.run(await talk.queue("Sigo aquí"))).toMatchObject({ state: "sent" });
});

test("WhatsApp reports a closed window later, and the message fails with our own words", async () => {
  const talk = await fixture.talk("whatsapp");
  talk.standIn.script("window_late");
  const input = await talk.queue("Hola");
  expect(await talk.step(input)).toMatchObject({ state: "sent" });
  await talk.settle();
  expect(await talk.read(input)).toMatchObject({
    status: "failed",
    error: { code: "messaging_window_closed", provider_code: "131047" },
  });
});

test("too many messages to a customer: 4^n seconds, then it fails", async () => {
  const talk = await fixture.talk("whatsapp");
  talk.standIn.script("pair_limit");
  const input = await talk.queue("Hola");
  const waits: unknown[] = [];
  for (let n = 0; n < 7; n += 1) {
    const outcome = await talk.step(input);
    waits.push(outcome.state === "waiting" ? outcome.waitMs / 1_000 : outcome.state);
  }
  expect(waits).toEqual([1, 4, 16, 64, 256, 1_024, "failed"]);
  expect(await talk.read(input)).toMatchObject({
    error: { code: "channel_unavailable", provider_code: "131056" },
    tries: 7,
  });
});

test("a younger message waits for one that backs off, also after 30 s, and order is kept", async () => {
  const talk = await fixture.talk("whatsapp");
  talk.standIn.script("pair_limit", 4);
  const older = await talk.queue("uno");
  const younger = await talk.queue("dos");
  for (let n = 0; n < 4; n += 1) await talk.step(older);
  await fixture.query(
    "UPDATE messages SET updated_at = updated_at - INTERVAL 40 SECOND WHERE id = ?",
    [older.messageId],
  );
  const behind = await talk.step(younger);
  expect(behind).toMatchObject({ state: "waiting", why: "order" });
  expect(waitOf(behind)).toBeGreaterThan(60_000);
  expect(await talk.run(older)).toMatchObject({ state: "sent" });
  expect(await talk.run(younger)).toMatchObject({ state: "sent" });
  expect(talk.standIn.lines().flatMap(({ isOurs, text }) => (isOurs ? [text] : []))).toEqual([
    "uno",
    "dos",
  ]);
});

test("the limit of a number costs no try for 15 minutes, and tries after that", async () => {
  const talk = await fixture.talk("whatsapp");
  talk.standIn.script("number_limit");
  const input = await talk.queue("Hola");
  const waits = new Set<number>();
  for (let n = 0; n < 8; n += 1) {
    const outcome = await talk.step(input);
    if (outcome.state !== "waiting") throw new Error(outcome.state);
    if (outcome.why === "channel") waits.add(outcome.waitMs);
  }
  expect([...waits]).toEqual([2_000]);
  expect(await talk.read(input)).toMatchObject({ status: "sending", tries: 0 });
  await fixture.query(
    "UPDATE messages SET limited_since = limited_since - INTERVAL 15 MINUTE WHERE id = ?",
    [input.messageId],
  );
  expect(waitOf(await talk.step(input))).toBe(1_000);
  expect(await talk.read(input)).toMatchObject({ tries: 1 });
  talk.standIn.script("normal");
  expect(await talk.run(input)).toMatchObject({ state: "sent" });
});

test("trouble of the network is tried again after 1 s, and the message arrives once", async () => {
  const talk = await fixture.talk("messenger");
  talk.standIn.script("server_error", 2);
  const input = await talk.queue("Hola");
  expect(waitOf(await talk.step(input))).toBe(1_000);
  const { next_try_at: next } = await talk.read(input);
  expect(next?.getTime()).toBeGreaterThan(Date.now());
  expect(waitOf(await talk.step(input))).toBe(5_000);
  expect(await talk.step(input)).toMatchObject({ state: "sent" });
  expect(talk.standIn.lines().filter(({ isOurs }) => isOurs)).toHaveLength(1);
  expect(await talk.read(input)).toMatchObject({ tries: 3, next_try_at: null });
});

test("without a connection no byte has left, so it is tried again", async () => {
  const talk = await fixture.talk("whatsapp");
  await talk.standIn.close();
  const input = await talk.queue("Hola");
  expect(waitOf(await talk.step(input))).toBe(1_000);
  expect(await talk.read(input)).toMatchObject({ status: "sending", in_flight_since: null });
});

test("a gateway's error without a Graph error leaves the outcome open: never sent again", async () => {
  const talk = await fixture.talk("whatsapp");
  talk.standIn.script("server_error_bare", 1);
  const input = await talk.queue("Hola");
  expect(await talk.step(input)).toEqual({ state: "unknown" });
  expect(await talk.step(input)).toEqual({ state: "unknown" });
  await talk.activities.endUnknownSend(input);
  expect(await talk.read(input)).toMatchObject({ error: { code: "outcome_unknown" } });
  expect(talk.standIn.calls()).toHaveLength(1);
});

test("no answer in time: the network's report settles the message by our id", async () => {
  const talk = await fixture.talk("whatsapp", { timeoutMs: 200 });
  talk.standIn.script("hang", 1);
  const input = await talk.queue("Hola");
  expect(await talk.step(input)).toEqual({ state: "unknown" });
  await talk.settle();
  const row = await talk.read(input);
  expect(row).toMatchObject({ status: "read", in_flight_since: null });
  expect(row.provider_ids).toBe(talk.standIn.calls()[0]?.messageId);
  await talk.activities.endUnknownSend(input);
  expect(await talk.step(input)).toEqual({ state: "over" });
  expect(await talk.read(input)).toMatchObject({ status: "read", error: null });
  expect(talk.standIn.calls()).toHaveLength(1);
  expect(await countSent(talk)).toBe(1);
});

test("reports that come before the answer make one message.sent", async () => {
  const talk = await fixture.talk("whatsapp");
  talk.standIn.script("status_first", 1);
  const input = await talk.queue("Hola");
  let isOver = false;
  const sending = talk.step(input).finally(() => (isOver = true));
  while (!isOver) await fixture.drain();
  expect(await sending).toMatchObject({ state: "sent" });
  await talk.settle();
  const row = await talk.read(input);
  expect(row).toMatchObject({ status: "read", in_flight_since: null });
  expect(row.provider_ids).toBe(talk.standIn.calls()[0]?.messageId);
  expect(await countSent(talk)).toBe(1);
});

test("a worker that is killed in a hand-over leaves the outcome open: never sent again", async () => {
  const talk = await fixture.talk("whatsapp");
  const input = await talk.queue("Hola");
  const { dataSource } = fixture.database;
  await asSystem(dataSource, talk.account.accountId, (tx) => beginSend(tx, input, noPace));
  expect(await talk.step(input)).toMatchObject({ state: "waiting", why: "order" });
  await talk.outlast(input);
  expect(await talk.step(input)).toEqual({ state: "unknown" });
  expect(talk.standIn.calls()).toEqual([]);
});

async function stateOf({ channelAccountId }: TestTalk) {
  const sql = "SELECT state, state_reason FROM channel_accounts WHERE id = ?";
  return (await fixture.query(sql, [channelAccountId]))[0];
}
