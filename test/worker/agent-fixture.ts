import { Client } from "@temporalio/client";
import type { ModelPort } from "../../core/agent/step.ts";
import { agentSettings, type AgentSettingsPatch } from "../../core/model/agent.ts";
import { publishAgent, updateAgent } from "../../core/services/agent/profile.ts";
import type { AgentProvider } from "../../db/entities/agent.ts";
import { asSystem, createTestAccount, type TestAccount } from "../support/accounts.ts";
import { freshPhone } from "../support/contact-load.ts";
import { receive } from "../support/conversations.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { createNamespace, linkTemporal, startTestWorker } from "../support/worker.ts";

/** A worker with an agent that answers at once, and one account. */
export interface AgentFixture {
  database: TestDatabase;
  account: TestAccount;
  client: Client;
  /** A customer writes. @returns the conversation's id. */
  write(content: string, from?: string): Promise<{ conversationId: number; messageId: number }>;
  sql<Row = Record<string, unknown>>(statement: string, values?: unknown[]): Promise<Row[]>;
  /** Texts of the agent in a conversation, oldest first. */
  repliesIn(conversationId: number): Promise<string[]>;
  /** Outcomes of the turns of a conversation, oldest first; null: open. */
  turnsOf(conversationId: number): Promise<(string | null)[]>;
  /** Waits until the conversation has this many ended turns, and none is open. */
  settled(conversationId: number, turns: number): Promise<(string | null)[]>;
  /** The worker's metrics, as a scrape reads them. */
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a worker on a database of its own. */
export async function startAgentFixture(
  models?: (provider: AgentProvider) => ModelPort,
): Promise<AgentFixture> {
  const database = await createTestDatabase();
  const { dataSource } = database;
  const account = await createTestAccount(dataSource);
  await setUpAgent(database, account.accountId);
  const namespace = await createNamespace();
  const worker = await startTestWorker(database, namespace, { models });
  const link = await linkTemporal(namespace);
  const sql = async <Row>(statement: string, values: unknown[] = []) =>
    await dataSource.query<Row[]>(statement, values);
  const turnsOf = async (conversationId: number) => {
    const select = "SELECT outcome FROM agent_turns WHERE conversation_id = ? ORDER BY id";
    const rows = await sql<{ outcome: string | null }>(select, [conversationId]);
    return rows.map(({ outcome }) => outcome);
  };
  return {
    database,
    account,
    client: new Client(link),
    sql,
    turnsOf,
    async write(content, from = freshPhone()) {
      const { row } = await receive(dataSource, account.accountId, { from, content });
      return { conversationId: row.conversationId, messageId: row.id };
    },
    async repliesIn(conversationId) {
      const select =
        "SELECT content FROM messages WHERE conversation_id = ? AND sender_type = 'ai' ORDER BY id";
      const rows = await sql<{ content: string }>(select, [conversationId]);
      return rows.map(({ content }) => content);
    },
    settled: async (conversationId, turns) =>
      await eventually(async () => {
        const outcomes = await turnsOf(conversationId);
        if (outcomes.length < turns || outcomes.includes(null)) throw new Error("not settled");
        return outcomes;
      }),
    metrics: async () => await worker.metrics(),
    async stop() {
      await worker.stop();
      await link.connection.close();
      await database.stop();
    },
  };
}

/** Switches the agent of an account on. It waits for no further message, unless told to. */
export async function setUpAgent(
  { dataSource }: TestDatabase,
  accountId: number,
  settings: AgentSettingsPatch = {},
): Promise<void> {
  const published = agentSettings.parse({ quiet_seconds: 0, ...settings });
  await asSystem(dataSource, accountId, async (tx) => {
    await updateAgent(tx, { enabled: true, ...published });
    await publishAgent(tx);
  });
}
