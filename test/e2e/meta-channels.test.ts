import { Client } from "@temporalio/client";
import { beforeAll, expect, test } from "vitest";
import { createGraph } from "../../activities/channels/graph.ts";
import { metaAccounts, metaCustomers, metaNetworks } from "../../dev/stand-in/meta-accounts.ts";
import type { MetaNetwork } from "../../dev/stand-in/meta-accounts.ts";
import { createTestAccount } from "../support/accounts.ts";
import { startTestApi } from "../support/api.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startMetaChannels } from "../support/meta-channel.ts";
import { useFixture } from "../support/use-fixture.ts";
import { createNamespace, linkTemporal, startTestWorker } from "../support/worker.ts";
import { setUpAgent } from "../worker/agent-fixture.ts";

/** An API and a worker whose channels of every network send to one stand-in. */
async function startFixture() {
  const database = await createTestDatabase();
  const { dataSource } = database;
  const account = await createTestAccount(dataSource);
  const api = await startTestApi(database);
  const { standIn, ids } = await startMetaChannels(
    dataSource,
    api.url,
    account.accountId,
    metaAccounts,
  );
  const urls = { graphUrl: standIn.url, instagramUrl: standIn.url };
  const graph = createGraph({ ...urls, version: "v26.0" });
  const namespace = await createNamespace();
  const worker = await startTestWorker(database, namespace, { graph });
  const link = await linkTemporal(namespace);
  return {
    database,
    account,
    api,
    standIn,
    ids,
    temporal: new Client(link),
    query: async <Row>(sql: string, values: unknown[] = []) =>
      await dataSource.query<Row[]>(sql, values),
    async stop() {
      await worker.stop();
      await link.connection.close();
      await standIn.close();
      await graph.close();
      await api.stop();
      await database.stop();
    },
  };
}

const fixture = useFixture(startFixture);
beforeAll(async () => await setUpAgent(fixture.database, fixture.account.accountId));

interface MessageRow {
  id: number;
  conversation_id: number;
  sender_type: string;
  status: string;
  content: string;
}

async function messagesOf(network: MetaNetwork): Promise<MessageRow[]> {
  const index = metaAccounts.findIndex((one) => one.network === network);
  return await fixture.query<MessageRow>(
    `SELECT id, conversation_id, sender_type, status, content FROM messages
      WHERE channel_account_id = ? ORDER BY id`,
    [fixture.ids[index]],
  );
}

function textsTo(network: MetaNetwork): string[] {
  const lines = fixture.standIn.lines().filter((line) => line.isOurs && line.network === network);
  return lines.map(({ text }) => text);
}

test.each(metaNetworks)(
  "%s: the AI agent answers a customer, who reads the answer",
  async (network) => {
    await fixture.standIn.receive(network, { kind: "text", text: "hola" }, metaCustomers[network]);
    const reply = await eventually(async () => {
      const [answer] = (await messagesOf(network)).filter((one) => one.sender_type === "ai");
      expect(answer).toMatchObject({ status: "read" });
      return answer;
    });
    expect(textsTo(network)).toEqual([reply?.content]);
    // The customer saw that the message was read and that an answer was on its way.
    const kinds = network === "whatsapp" ? ["message", "typing"] : ["message", "read", "typing"];
    await eventually(() => {
      const calls = fixture.standIn.calls().filter((call) => call.network === network);
      expect(new Set(calls.map(({ send }) => send?.kind))).toEqual(new Set(kinds));
      expect(calls).toHaveLength(kinds.length);
      expect(calls.every(({ answered }) => answered === 200)).toBe(true);
    });
  },
);

/** Texts to each customer of Messenger, in the order in which the network got them. */
function talksOfMessenger(): Map<string, string[]> {
  const talks = new Map<string, string[]>();
  for (const { isOurs, network, customerId, text } of fixture.standIn.lines()) {
    if (!isOurs || network !== "messenger") continue;
    talks.set(customerId, [...(talks.get(customerId) ?? []), text]);
  }
  return talks;
}

/** Customers of Messenger who wrote, and whom no agent answers. @returns their conversations */
async function openTalks(customers: readonly string[]): Promise<number[]> {
  const index = metaAccounts.findIndex(({ network }) => network === "messenger");
  const channelId = fixture.ids[index];
  await fixture.query("UPDATE channel_accounts SET bot_default = 0 WHERE id = ?", [channelId]);
  for (const id of customers) {
    const customer = { id, name: `Customer ${id}` };
    await fixture.standIn.receive("messenger", { kind: "text", text: "hola" }, customer);
  }
  const sql = "SELECT id FROM conversations WHERE channel_account_id = ? AND bot_enabled = 0";
  return await eventually(async () => {
    const rows = await fixture.query<{ id: number }>(sql, [channelId]);
    expect(rows).toHaveLength(customers.length);
    return rows.map(({ id }) => Number(id));
  });
}

test("190 with many messages queued: they are held without a run, and each leaves once", async () => {
  const { account, api, standIn, temporal } = fixture;
  const customers = Array.from({ length: 20 }, (_, n) => `62000000000000${n}`);
  const conversations = await openTalks(customers);
  const texts = ["uno", "dos", "tres"];
  standIn.script("token");
  for (const content of texts) {
    for (const id of conversations) {
      const path = `/api/v1/conversations/${id}/messages`;
      const sent = await api.call("POST", path, { apiKey: account.apiKey, body: { content } });
      expect(sent.status).toBe(201);
    }
  }
  const rows = await eventually(async () => {
    const held = "SELECT id FROM messages WHERE held_at IS NOT NULL";
    const found = await fixture.query<{ id: number }>(held);
    expect(found).toHaveLength(conversations.length * texts.length);
    return found;
  }, 60_000);
  for (const { id } of rows.slice(0, 3)) {
    const run = temporal.workflow.getHandle(`message-${id}`);
    expect(await run.result()).toEqual({ state: "held" });
  }
  standIn.script("normal");
  await fixture.query(
    "UPDATE channel_accounts SET state = 'connected', state_reason = NULL WHERE driver = 'messenger'",
  );
  await eventually(async () => {
    const open = "SELECT id FROM messages WHERE sender_type = 'api' AND status <> 'read'";
    expect(await fixture.query(open)).toEqual([]);
  }, 90_000);
  const talks = talksOfMessenger();
  for (const customer of customers) expect(talks.get(customer)).toEqual(texts);
}, 180_000);
