import { Client } from "@temporalio/client";
import { NativeConnection } from "@temporalio/worker";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { createWorkerMetrics } from "../../../activities/metrics.ts";
import { createRegistry } from "../../../core/metrics.ts";
import type { SendMessageInput } from "../../../core/model/workflow/sending.ts";
import { createAgentMessage } from "../../../core/services/conversations/agent-messages.ts";
import { setBot } from "../../../core/services/conversations/conversations.ts";
import { beginSend } from "../../../core/services/conversations/message-sending.ts";
import type { Relay } from "../../../worker/engine/relay.ts";
import type { TestTalk } from "../../activities/channels/sending-fixture.ts";
import { asSystem } from "../../support/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { noPace } from "../../support/conversations.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startFirstSendsFixture } from "./first-sends-fixture.ts";
import { countsOf, startWire } from "./relay-fixture.ts";

const fixture = useFixture(startFirstSendsFixture);
const wire = useFixture(startWire);
const relays: Relay[] = [];

afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.stop()));
  await fixture.query("DELETE FROM outbox");
});

/** Starts a relay that is behind and ends with the test. */
async function behind(talk: TestTalk, given?: Parameters<typeof fixture.relay>[1]): Promise<Relay> {
  await fixture.fallBehind();
  const relay = fixture.relay(talk, given);
  relays.push(relay);
  return relay;
}

const emptied = async () => expect(await fixture.waiting()).toEqual([]);
const textsOf = ({ standIn }: TestTalk) =>
  standIn.lines().flatMap(({ isOurs, text }) => (isOurs ? [text] : []));

async function queueMany(talk: TestTalk, count: number): Promise<SendMessageInput[]> {
  const inputs: SendMessageInput[] = [];
  for (let n = 1; n <= count; n += 1) inputs.push(await talk.queue(`Número ${n}`));
  return inputs;
}

async function queueOfAgent({ account, conversationId }: TestTalk): Promise<SendMessageInput> {
  const { accountId } = account;
  const [row] = await fixture.query<{ bot_epoch: number }>(
    "SELECT bot_epoch FROM conversations WHERE id = ?",
    [conversationId],
  );
  const said = { epoch: Number(row?.bot_epoch), content: "¿El jueves?" };
  const message = await asSystem(fixture.database.dataSource, accountId, (tx) =>
    createAgentMessage(tx, { conversationId, watermark: Number.MAX_SAFE_INTEGER, ...said }),
  );
  return { accountId, messageId: message?.id ?? 0 };
}

const setAgent = async ({ account, conversationId }: TestTalk, enabled: boolean) =>
  await asSystem(fixture.database.dataSource, account.accountId, (tx) =>
    setBot(tx, conversationId, { enabled }),
  );

test("behind, the relay hands messages over, once each, in order and without a run", async () => {
  const talk = await fixture.talk("whatsapp");
  const inputs = await queueMany(talk, 20);
  // It stays behind where a busy machine claims one anew, which makes that one young.
  await behind(talk, { enterAtMs: 0 });
  await eventually(emptied);
  expect(textsOf(talk)).toEqual(inputs.map((_, n) => `Número ${n + 1}`));
  expect(talk.standIn.calls()).toHaveLength(20);
  const events = await fixture.eventsOf(talk.account.accountId);
  expect(events.filter((type) => type === "message.sent")).toHaveLength(20);
  for (const input of inputs) {
    expect(await talk.read(input)).toMatchObject({ tries: 1, in_flight_since: null, error: null });
    expect(await fixture.inputOfRun(input)).toBeNull();
  }
});

test("while it keeps up, each message gets its run", async () => {
  const talk = await fixture.talk("whatsapp");
  // However long the machine takes to look.
  relays.push(fixture.relay(talk, { enterAtMs: 600_000 }));
  const input = await talk.queue("Hola");
  await eventually(emptied);
  expect(await fixture.inputOfRun(input)).toMatchObject({ messageId: input.messageId });
  expect(talk.standIn.calls()).toEqual([]);
});

test("three relays at once hand each of 60 messages over once", async () => {
  const talk = await fixture.talk("messenger");
  const inputs = await queueMany(talk, 60);
  await Promise.all([behind(talk), behind(talk), behind(talk)]);
  await eventually(emptied);
  for (const input of inputs) {
    if ((await fixture.inputOfRun(input)) !== null) await talk.run(input);
  }
  expect(textsOf(talk).toSorted()).toEqual(inputs.map((_, n) => `Número ${n + 1}`).toSorted());
  expect(talk.standIn.calls()).toHaveLength(60);
});

test("a message that the network refuses for now goes on in a run, not before its next try", async () => {
  const talk = await fixture.talk("whatsapp");
  talk.standIn.script("pair_limit", 2);
  const input = await talk.queue("Hola");
  await behind(talk);
  await eventually(emptied);
  const handed = await fixture.inputOfRun(input);
  expect(handed).toEqual({ ...input, inTask: true, tried: true });
  expect(await talk.read(input)).toMatchObject({ status: "sending", tries: 1 });
  await fixture.query(
    "UPDATE messages SET next_try_at = UTC_TIMESTAMP(3) + INTERVAL 5 SECOND WHERE id = ?",
    [input.messageId],
  );
  const first = await talk.step(handed as SendMessageInput);
  if (first.state !== "waiting") throw new Error(first.state);
  expect(first.waitMs).toBeGreaterThan(3_000);
  expect(talk.standIn.calls()).toHaveLength(1);
  await fixture.query("UPDATE messages SET next_try_at = UTC_TIMESTAMP(3) WHERE id = ?", [
    input.messageId,
  ]);
  expect(await talk.step(handed as SendMessageInput)).toMatchObject({ waitMs: 4_000 });
  expect(await talk.read(input)).toMatchObject({ tries: 2 });
});

test("a message without an answer gets a run that waits for the network's word, and is not sent again", async () => {
  const talk = await fixture.talk("whatsapp", { timeoutMs: 200 });
  talk.standIn.script("hang");
  const input = await talk.queue("Hola");
  await behind(talk);
  await eventually(emptied);
  expect(await fixture.inputOfRun(input)).toMatchObject({ tried: true });
  talk.standIn.script("normal");
  expect(await talk.step({ ...input, tried: true })).toEqual({ state: "unknown" });
  expect(talk.standIn.calls()).toHaveLength(1);
});

test("a worker that dies between the write-ahead and the answer leaves the message to a run, which does not send it", async () => {
  const talk = await fixture.talk("whatsapp");
  const input = await talk.queue("Hola");
  const { dataSource } = fixture.database;
  let begun = 0;
  // The process gets no further than its write-ahead.
  const dying = new Promise<void>((resolve) => {
    onTestFinished(() => resolve());
  });
  await fixture.fallBehind();
  const dead = fixture.relay(talk, {
    sendToChannel: async (given) => {
      await asSystem(dataSource, given.accountId, (tx) => beginSend(tx, given, noPace));
      begun += 1;
      await dying;
      return { state: "over" };
    },
  });
  await eventually(() => expect(begun).toBe(1));
  await dead.stopStarting();
  // Its lease ends.
  await fixture.query("UPDATE outbox SET available_at = UTC_TIMESTAMP(3) - INTERVAL 2 SECOND");
  await behind(talk);
  await eventually(emptied);
  expect(await fixture.inputOfRun(input)).toMatchObject({ messageId: input.messageId });
  expect(await talk.step(input)).toMatchObject({ state: "waiting", why: "order" });
  await talk.outlast(input);
  expect(await talk.step(input)).toEqual({ state: "unknown" });
  expect(await talk.read(input)).toMatchObject({ status: "sending", tries: 1 });
  expect(talk.standIn.calls()).toEqual([]);
});

test("while Temporal is away the relay hands over the messages of a process that died, with no call in vain", async () => {
  const talk = await fixture.talk("whatsapp");
  const inputs = await queueMany(talk, 3);
  // The lease of the dead process goes on.
  await fixture.query(
    "UPDATE outbox SET lease_until = UTC_TIMESTAMP(3) + INTERVAL 1 MINUTE, available_at = lease_until",
  );
  // A message with a file needs a run. Its start opens the circuit breaker.
  await talk.queue({ type: "image", media_url: "https://files.example/photo.jpg" });
  await fixture.query("DELETE FROM outbox WHERE command->>'$.workflow' <> 'sendMessage'");
  const connection = await NativeConnection.connect({ address: wire.address });
  wire.cut();
  const metrics = createWorkerMetrics(createRegistry());
  relays.push(fixture.relay(talk, { client: new Client({ connection }), metrics }));
  await eventually(async () => expect(await countsOf(metrics)).toEqual({ retried: 1 }), 20_000);
  await fixture.query(
    "UPDATE outbox SET available_at = UTC_TIMESTAMP(3) - INTERVAL 2 SECOND WHERE attempts = 0",
  );
  await eventually(async () => expect(await fixture.waiting()).toHaveLength(1), 20_000);
  expect(textsOf(talk)).toEqual(inputs.map((_, n) => `Número ${n + 1}`));
  expect(await countsOf(metrics)).toEqual({ retried: 1, handed_over: 3 });
  await Promise.all(relays.splice(0).map((relay) => relay.stop()));
  await connection.close();
});

test("a pause that commits while the hand-over waits for a connection: the message never leaves", async () => {
  // Longer than a hand-over may take to begin.
  const talk = await fixture.talk("whatsapp", { queueMs: 3_100 });
  const input = await queueOfAgent(talk);
  await behind(talk);
  await eventually(async () => expect(await talk.read(input)).toMatchObject({ tries: 1 }));
  await setAgent(talk, false);
  await eventually(emptied);
  expect(await talk.step(input)).toEqual({ state: "cancelled" });
  expect(talk.standIn.calls()).toEqual([]);
});

test.each(["order", "pace"] as const)(
  "a message whose wait for %s is long stays with the relay, so that it needs no Temporal",
  async (why) => {
    const talk = await fixture.talk("whatsapp");
    const input = await talk.queue("Hola");
    let asked = 0;
    const relay = await behind(talk, {
      sendToChannel: async () => {
        asked += 1;
        return { state: "waiting", waitMs: 600_000, why };
      },
    });
    await eventually(() => expect(asked).toBe(1));
    await relay.stop();
    const lane = `-:${talk.account.accountId}:${talk.channelAccountId}`;
    const [row] = await fixture.query<{ lane: string; later_ms: number }>(
      `SELECT lane, TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(3), available_at) / 1000 AS later_ms
         FROM outbox WHERE lease_until IS NULL`,
    );
    expect(row).toMatchObject({ lane });
    expect(Number(row?.later_ms)).toBeLessThanOrEqual(5_000);
    expect(await fixture.inputOfRun(input)).toBeNull();
  },
);

test("a pause that commits first: the agent's message is cancelled and never handed over", async () => {
  const talk = await fixture.talk("whatsapp");
  const input = await queueOfAgent(talk);
  await setAgent(talk, false);
  await behind(talk);
  await eventually(emptied);
  expect(await talk.read(input)).toMatchObject({ status: "cancelled", tries: 0 });
  expect(talk.standIn.calls()).toEqual([]);
});

test("a pause during a hand-over, 30 times: sent or cancelled, as the pause says, never both", async () => {
  const talk = await fixture.talk("messenger");
  const { accountId } = talk.account;
  for (let n = 0; n < 30; n += 1) {
    await setAgent(talk, true);
    const input = await queueOfAgent(talk);
    await fixture.fallBehind();
    const relay = fixture.relay(talk);
    await setAgent(talk, false);
    await eventually(emptied);
    await relay.stop();
    const calls = talk.standIn.calls().filter(({ send }) => {
      return send?.callbackData === String(input.messageId);
    });
    const [event] = await fixture.query<{ ids: number[] }>(
      `SELECT JSON_EXTRACT(CONVERT(body USING utf8mb4), '$.data.cancelled_message_ids') AS ids
         FROM events WHERE account_id = ? AND type = 'conversation.bot.disabled'
        ORDER BY occurred_at DESC, id DESC LIMIT 1`,
      [accountId],
    );
    const isCancelled = event?.ids.includes(input.messageId) === true;
    const { status } = await talk.read(input);
    expect(calls).toHaveLength(isCancelled ? 0 : 1);
    expect(status === "cancelled").toBe(isCancelled);
  }
}, 120_000);

test("a younger message waits for an older one that has a run, and is not handed over before it", async () => {
  const talk = await fixture.talk("whatsapp");
  talk.standIn.script("pair_limit", 1);
  const [older, younger] = await queueMany(talk, 2);
  if (older === undefined || younger === undefined) throw new Error("no message");
  await behind(talk);
  await eventually(async () => expect(await fixture.inputOfRun(older)).not.toBeNull());
  expect(talk.standIn.calls()).toHaveLength(1);
  // The run of the older message makes its second try.
  await talk.run(older);
  await eventually(emptied);
  await talk.run(younger);
  expect(textsOf(talk)).toEqual(["Número 1", "Número 2"]);
});

test("a held message leaves nothing in the outbox and gets no run", async () => {
  const talk = await fixture.talk("whatsapp");
  talk.standIn.script("token");
  const inputs = await queueMany(talk, 3);
  await behind(talk);
  await eventually(emptied);
  for (const input of inputs) {
    expect(await talk.read(input)).toMatchObject({ status: "queued", held_at: expect.any(Date) });
    expect(await fixture.inputOfRun(input)).toBeNull();
  }
});

test("an error of ours gives the message to a run", async () => {
  const talk = await fixture.talk("whatsapp");
  const input = await talk.queue("Hola");
  await behind(talk, { sendToChannel: async () => await Promise.reject(new Error("no database")) });
  await eventually(emptied);
  expect(await fixture.inputOfRun(input)).toMatchObject({ tried: true });
});

test("texts of a network have a partition of their number, and everything else that of its account", async () => {
  const talk = await fixture.talk("whatsapp");
  const { accountId } = talk.account;
  await talk.queue("Hola");
  await talk.queue({ type: "image", media_url: "https://files.example/photo.jpg" });
  const rows = await fixture.query<{ lane: string }>(
    `SELECT lane FROM outbox WHERE account_id = ? AND command->>'$.workflow' = 'sendMessage'
      ORDER BY id`,
    [accountId],
  );
  expect(rows.map(({ lane }) => lane)).toEqual([
    `-:${accountId}:${talk.channelAccountId}`,
    `-:${accountId}`,
  ]);
});

test("texts leave in their order, also those whose start had failed", async () => {
  const talk = await fixture.talk("whatsapp");
  const inputs = await queueMany(talk, 3);
  await fixture.query("UPDATE outbox SET attempts = 1 ORDER BY id LIMIT 1");
  await behind(talk);
  await eventually(emptied);
  expect(textsOf(talk)).toEqual(["Número 1", "Número 2", "Número 3"]);
  for (const input of inputs) expect(await fixture.inputOfRun(input)).toBeNull();
});

test("a run and a relay at once hand a message over once, and the one that comes second waits", async () => {
  const talk = await fixture.talk("messenger");
  for (let n = 0; n < 20; n += 1) {
    const input = await talk.queue(`Número ${n}`);
    await behind(talk);
    await talk.step(input);
    await eventually(async () => {
      // A relay that met the other hand-over looks again at once.
      await fixture.query(
        "UPDATE outbox SET available_at = UTC_TIMESTAMP(3) WHERE lease_until IS NULL",
      );
      await emptied();
    });
    expect(talk.standIn.calls()).toHaveLength(n + 1);
  }
});

test("a message that was refused after all is not failed by a run that waited for the network's word", async () => {
  const talk = await fixture.talk("whatsapp");
  talk.standIn.script("pair_limit", 1);
  const input = await talk.queue("Hola");
  await talk.step(input);
  await talk.activities.endUnknownSend(input);
  expect(await talk.read(input)).toMatchObject({ status: "sending", error: null });
});
