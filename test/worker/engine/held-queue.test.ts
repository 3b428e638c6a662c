import { expect, test } from "vitest";
import type { ActivityDeps } from "../../../activities/deps.ts";
import { createSendPace } from "../../../activities/limits/send-pace.ts";
import { createSendMessage } from "../../../activities/send-message.ts";
import { createLog } from "../../../core/log.ts";
import type { Principal } from "../../../core/model/principal.ts";
import type { SendMessageInput } from "../../../core/model/workflow/sending.ts";
import { sendMessage } from "../../../core/services/conversations/messages.ts";
import { transaction } from "../../../db/transaction.ts";
import { releaseOnce } from "../../../worker/engine/release-held.ts";
import { startConnectFixture } from "../../api/channels/connect-fixture.ts";
import { testSecretBox, type TestAccount } from "../../support/accounts.ts";
import { tracesOf } from "../../support/conversations.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startConnectFixture);

const customers = 25;
const perCustomer = 20;
/** Hand-overs that a worker makes at once. */
const atOnce = 20;
const phoneOf = (index: number): string => String(5_215_510_000_000 + index);

/** A number that was connected in the Dashboard, and the customers who have written to it. */
async function openTalks() {
  const { account, appId } = await fixture.addApp();
  const { number } = fixture.accounts;
  const body = {
    driver: number.driver,
    channel_app_id: appId,
    external_id: number.id,
    parent_id: number.parentId,
  };
  const connect = async (more: object) =>
    await fixture.panel(account, "POST", "/channel-accounts", { ...body, ...more });
  const id = Number((await connect({ token: number.token })).json.data.id);
  for (let index = 0; index < customers; index += 1) {
    const customer = { id: phoneOf(index), name: `Customer ${index}` };
    await fixture.meta.receive("whatsapp", { kind: "text", text: "Hola" }, customer);
  }
  await fixture.meta.idle();
  await fixture.drain();
  const rows = await fixture.query<{ id: number }>(
    "SELECT id FROM conversations WHERE channel_account_id = ? ORDER BY customer_external_id",
    [id],
  );
  return { account, id, conversations: rows.map((row) => Number(row.id)), connect };
}

/** A program writes to each customer in turns. @returns messages in the order of their ids */
async function queueAll(
  { accountId, apiKeyId }: TestAccount,
  conversations: readonly number[],
): Promise<SendMessageInput[]> {
  const { dataSource } = fixture.database;
  const actor: Principal = { type: "api_key", accountId, apiKeyId, scopes: [] };
  const inputs: SendMessageInput[] = [];
  for (let n = 0; n < perCustomer; n += 1) {
    for (const id of conversations) {
      const body = { type: "text", content: `Número ${n}` } as const;
      const { row } = await transaction(dataSource, { actor }, (tx) => sendMessage(tx, id, body));
      inputs.push({ accountId, messageId: row.id });
    }
  }
  return inputs;
}

/** Runs every message as its workflow does, some at a time. @returns states in the same order */
async function runAll(inputs: readonly SendMessageInput[]): Promise<string[]> {
  const { graph } = fixture.api.deps;
  const { dataSource } = fixture.database;
  const log = createLog("worker", "silent");
  const activities = createSendMessage({
    dataSource,
    log,
    graph,
    secretBox: testSecretBox,
    sendPace: createSendPace(),
  } as ActivityDeps);
  const states = inputs.map(() => "waiting");
  for (let open = inputs.map((_, at) => at); open.length > 0;) {
    const runners = Array.from({ length: atOnce }, async (_, first) => {
      for (let at = first; at < open.length; at += atOnce) {
        const index = open[at] ?? 0;
        states[index] = (await activities.sendToChannel(inputs[index] as SendMessageInput)).state;
      }
    });
    await Promise.all(runners);
    open = open.filter((at) => states[at] === "waiting");
  }
  return states;
}

async function countMessages(channelId: number): Promise<Record<string, number>> {
  const rows = await fixture.query<{ state: string; n: number }>(
    `SELECT CONCAT(status, IF(held_at IS NULL, '', ', held'), IF(error IS NULL, '', ', error'))
              AS state, COUNT(*) AS n
       FROM messages WHERE channel_account_id = ? AND direction = 'outbound' GROUP BY state`,
    [channelId],
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, Number(n)]));
}

async function troublesOf({ accountId }: TestAccount): Promise<string[]> {
  const rows = await fixture.query<{ reason: string }>(
    `SELECT params->>'$.reason' AS reason FROM notifications
      WHERE account_id = ? AND kind = 'channel_trouble'`,
    [accountId],
  );
  return rows.map(({ reason }) => reason);
}

test("190 with 500 messages queued: one notification, and after the new token each leaves once, in order", async () => {
  const { account, id, conversations, connect } = await openTalks();
  const { dataSource } = fixture.database;
  const inputs = await queueAll(account, conversations);
  const all = customers * perCustomer;
  expect([conversations.length, inputs.length]).toEqual([customers, all]);

  fixture.meta.script("token");
  expect(new Set(await runAll(inputs))).toEqual(new Set(["held"]));
  expect(await countMessages(id)).toEqual({ "queued, held": all });
  // The hand-overs that were under way at the first refusal reached Meta, and no others.
  const refused = fixture.meta.calls().length;
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThanOrEqual(atOnce);
  await fixture.check(account);
  await fixture.check(account);
  expect(await troublesOf(account)).toEqual(["token_invalid"]);
  const held =
    "UPDATE messages SET held_at = held_at - INTERVAL 1 MINUTE WHERE channel_account_id = ?";
  await fixture.query(held, [id]);
  expect(await releaseOnce({ dataSource })).toBe(0);

  // Without statuses: the order of the hand-overs is what counts.
  fixture.meta.script("echo_only");
  fixture.accounts.number.token = "the-next-token";
  const renewed = await connect({ channel_account_id: id, token: "the-next-token" });
  expect(renewed.json.data).toMatchObject({ id, state: "connected", reason: null });
  const { commands } = await tracesOf(dataSource, account.accountId, async () => {
    while ((await releaseOnce({ dataSource })) > 0);
  });
  const released = commands.map(({ input }) => input as SendMessageInput);
  expect(new Set(released.map(({ messageId }) => messageId)).size).toBe(all);
  expect(released).toHaveLength(all);
  expect(new Set(await runAll(released))).toEqual(new Set(["sent"]));
  expect(await countMessages(id)).toEqual({ sent: all });

  const lines = fixture.meta.lines().filter(({ isOurs }) => isOurs);
  expect(lines).toHaveLength(all);
  const inOrder = Array.from({ length: perCustomer }, (_, n) => `Número ${n}`);
  for (let index = 0; index < customers; index += 1) {
    const texts = lines.filter(({ customerId }) => customerId === phoneOf(index));
    expect(texts.map(({ text }) => text)).toEqual(inOrder);
  }
  expect(new Set(await runAll(released))).toEqual(new Set(["over"]));
  expect(fixture.meta.calls()).toHaveLength(refused + all);
  expect(await troublesOf(account)).toEqual(["token_invalid"]);
}, 120_000);
