import { setTimeout as sleep } from "node:timers/promises";
import { Counter } from "prom-client";
import { startRinging } from "../../api/ring-workers.ts";
import type { AgentMode } from "../../core/model/agent.ts";
import { providerCreateBody } from "../../core/model/agent-setup.ts";
import { createAccount } from "../../core/services/accounts/accounts.ts";
import { publishAgent, updateAgent } from "../../core/services/agent/profile.ts";
import { createProvider } from "../../core/services/agent/providers.ts";
import { receiveCustomerMessage } from "../../core/services/conversations/customer-messages.ts";
import { setBot } from "../../core/services/conversations/conversations.ts";
import { ChannelAccount } from "../../db/entities/channel-account.ts";
import { transaction, type Tx } from "../../db/transaction.ts";
import { startModelStandIn, type ModelStandIn } from "../../dev/stand-in/model-server.ts";
import { createCaller } from "./caller.ts";
import { describeCosts, readCosts } from "./costs.ts";
import { measureLatencies } from "./first-attempts.ts";
import { measureFloor } from "./floor.ts";
import { percentile } from "./load.ts";
import { inMs, ratioOf } from "./print.ts";
import type { BenchStack } from "./stack.ts";

/** Pauses at once: an account has at most eight model calls in a process. */
const pausesAtOnce = 8;
/** Turns a second: a quiet minute of an account, and a busy one. */
const paces = [2, 10];
/** Turns of the worker at once, for the no-op activities too. */
const slots = 100;
/** Accounts of a burst. One account alone meets its limit of model calls, and measures that. */
const burstAccounts = 40;
const hangs = 100;
const attemptsPerSecond = 20;

/** Overhead and rate of turns with a model that answers at once, and the time from a pause to the abort. */
export async function benchAgent(stack: BenchStack, scale: number): Promise<string[][]> {
  const standIn = await startModelStandIn();
  stack.onStop(async () => await standIn.close());
  await stack.startWorker({ MODEL_ALLOW_PRIVATE_TARGETS: "true" });
  const agent = createAgent(stack, standIn);
  const turns = Math.round(300 * scale);

  const account = await agent.open("echo");
  await agent.settle([await agent.write(account)]);
  const overheads: string[][] = [];
  for (const pace of paces) {
    const ms = await measureOverhead(agent, account, { pace, turns: (turns * pace) / 10 });
    overheads.push(
      [`turn overhead at ${pace}/s, model 0 ms: p50 (goal: 150 ms)`, inMs(percentile(ms, 0.5))],
      ["p99 (goal: 400 ms)", inMs(percentile(ms, 0.99))],
    );
  }

  const sent = await measureBurst(stack, agent, "auto", turns);
  // A draft is a whole turn without the run that sends a reply. A no-op has no such run either.
  const drafted = await measureBurst(stack, agent, "draft", turns);

  const floor = await measureFloor(stack.temporalAddress, turns, slots, "noopTurn");
  const first = await measureBesideHangs(stack, agent);

  const aborts: number[] = [];
  const pauses = Math.round(200 * scale);
  const hung = await agent.open("hang");
  while (aborts.length < pauses) {
    const asked = agent.listHung().length;
    const ids = await Promise.all(Array.from({ length: pausesAtOnce }, () => agent.write(hung)));
    await until(() => agent.listHung().length === asked + ids.length);
    const pausedAt = await Promise.all(ids.map((id) => agent.pause(hung, id)));
    const open = agent.listHung().slice(asked);
    await until(() =>
      agent
        .listHung()
        .slice(asked)
        .every((one) => one.closedByClientAt !== null),
    );
    const last = Math.max(...pausedAt);
    for (const one of agent.listHung().slice(asked)) {
      aborts.push(Math.max(0, (one.closedByClientAt ?? 0) - last));
    }
    if (open.length !== ids.length) throw new Error("A pause met no step.");
  }
  const said = await agent.countReplies(hung);
  return [
    ...overheads,
    [`turns/s with their sends, ${turns} at once`, sent.rate.toFixed(1), ratioOf(sent.rate, floor)],
    ["cost of one", sent.costs],
    [
      "turns/s that end as drafts, without a send",
      drafted.rate.toFixed(1),
      ratioOf(drafted.rate, floor),
    ],
    ["cost of one", drafted.costs],
    ["turns/s of no-op activities in the same run (goal: 0.8 of it)", floor.toFixed(1)],
    [`first webhook attempt at ${attemptsPerSecond}/s: p99`, inMs(first.alone)],
    [`beside ${hangs} hanging models: p99 (goal: within 2x)`, inMs(first.beside)],
    [`pause to closed connection, ${aborts.length} pauses: p50`, inMs(percentile(aborts, 0.5))],
    ["p99 (goal: 1,000 ms)", inMs(percentile(aborts, 0.99))],
    ["replies after a pause", String(said)],
  ];
}

/** Messages of customers are stored by this process, so it rings the worker as an API does. */
function startRings({ dataSource, secretBox }: BenchStack): () => Promise<void> {
  const config = { doorbellListen: { host: "127.0.0.1", port: 0 } };
  const rings = new Counter({
    name: "rings",
    help: "Rings.",
    labelNames: ["result"],
    registers: [],
  });
  const stop = startRinging({ config, dataSource, secretBox, metrics: { rings } });
  return async () => stop();
}

/** Turns a second, where all customers of several accounts write at once. */
async function measureBurst(
  stack: BenchStack,
  agent: ReturnType<typeof createAgent>,
  mode: AgentMode,
  turns: number,
): Promise<{ rate: number; costs: string }> {
  const accounts: number[] = [];
  while (accounts.length < burstAccounts) accounts.push(await agent.open("echo", mode));
  const before = await readCosts(stack);
  const startedAt = performance.now();
  const burst = await Promise.all(
    Array.from({ length: turns }, (_, index) => agent.write(accounts[index % burstAccounts] ?? 0)),
  );
  await agent.settle(burst);
  const rate = (turns * 1_000) / (performance.now() - startedAt);
  return { rate, costs: describeCosts(before, await readCosts(stack), turns) };
}

/** Milliseconds from each customer's message to the committed reply, at a steady pace. */
async function measureOverhead(
  agent: ReturnType<typeof createAgent>,
  account: number,
  { pace, turns }: { pace: number; turns: number },
): Promise<number[]> {
  const paced: number[] = [];
  for (let index = 0; index < turns; index += 1) {
    paced.push(await agent.write(account));
    await sleep(1_000 / pace);
  }
  await agent.settle(paced);
  return await agent.overheads(paced);
}

/** p99 of the first attempt of a webhook, without and with models that never answer. */
async function measureBesideHangs(
  stack: BenchStack,
  agent: ReturnType<typeof createAgent>,
): Promise<{ alone: number; beside: number }> {
  const api = createCaller(stack, pausesAtOnce);
  const measure = async () =>
    percentile((await measureLatencies(stack, api, attemptsPerSecond, 10)).latencies, 0.99);
  const alone = await measure();
  const asked = agent.listHung().length;
  const open: [accountId: number, conversationId: number][] = [];
  while (open.length < hangs) {
    const accountId = await agent.open("hang");
    for (let index = 0; index < pausesAtOnce && open.length < hangs; index += 1)
      open.push([accountId, await agent.write(accountId)]);
  }
  await until(() => agent.listHung().length >= asked + hangs);
  const beside = await measure();
  for (const [accountId, id] of open) await agent.pause(accountId, id);
  await api.close();
  return { alone, beside };
}

/** Accounts with an agent, and their customers. */
function createAgent(stack: BenchStack, standIn: ModelStandIn) {
  stack.onStop(startRings(stack));
  const baseUrl = `${standIn.url}/v1`;
  const { dataSource, secretBox } = stack;
  let customers = 0;
  const run = async <T>(accountId: number, work: (tx: Tx) => Promise<T>): Promise<T> =>
    await transaction(dataSource, { actor: { type: "system", accountId } }, work);

  return {
    /** @returns the id of an account whose agent is served by this model of the stand-in */
    async open(model: string, mode: AgentMode = "auto"): Promise<number> {
      const name = `Agent ${model}`;
      const accountId = await run(0, (tx) =>
        createAccount(tx, { name, timeZone: "UTC", locale: "en" }),
      );
      await run(accountId, async (tx) => {
        await updateAgent(tx, {
          enabled: true,
          quiet_seconds: 0,
          persona: plainPersona,
          modes: { whatsapp: mode },
        });
        await publishAgent(tx);
        const given = { kind: "openai_compatible", base_url: baseUrl, model, api_key: "bench" };
        await createProvider(tx, secretBox, providerCreateBody.parse(given));
      });
      return accountId;
    },
    /** A new customer writes. @returns the conversation's id */
    async write(accountId: number): Promise<number> {
      const from = String(52_000_000_000 + (customers += 1));
      return await run(accountId, async (tx) => {
        const channel = await tx.manager.findOneByOrFail(ChannelAccount, {
          accountId,
          channel: "whatsapp",
        });
        const message = { type: "text" as const, content: "hello", media: null, providerId: null };
        const given = { channelAccountId: channel.id, from, name: null, ...message };
        return (await receiveCustomerMessage(tx, given)).row.conversationId;
      });
    },
    /** @returns the time of the commit */
    async pause(accountId: number, conversationId: number): Promise<number> {
      await run(accountId, (tx) => setBot(tx, conversationId, { enabled: false }));
      return Date.now();
    },
    /** Requests to the model that hangs. The stand-in forgets the oldest of all. */
    listHung: () => standIn.requests().filter(({ model }) => model === "hang"),
    ...createReads(stack),
  };
}

/** Figures that the database has of turns. */
function createReads({ dataSource }: BenchStack) {
  return {
    /** Waits until each of these conversations has its reply. */
    async settle(ids: readonly number[]): Promise<void> {
      await until(async () => {
        const [row] = await dataSource.query<{ open: number }[]>(
          `SELECT COUNT(*) AS open FROM conversations c WHERE c.id IN (?)
              AND NOT EXISTS (SELECT 1 FROM agent_turns t
                 WHERE t.conversation_id = c.id AND t.outcome IN ('replied', 'drafted'))`,
          [ids],
        );
        return Number(row?.open ?? 0) === 0;
      });
    },
    /** Milliseconds from each customer's message to the commit of its reply. */
    async overheads(ids: readonly number[]): Promise<number[]> {
      const rows = await dataSource.query<{ ms: number }[]>(
        `SELECT TIMESTAMPDIFF(MICROSECOND, i.created_at, t.finished_at) / 1000 AS ms
           FROM messages i JOIN agent_turns t ON t.conversation_id = i.conversation_id
          WHERE i.direction = 'inbound' AND i.conversation_id IN (?)`,
        [ids],
      );
      return rows.map(({ ms }) => Number(ms));
    },
    async countReplies(accountId: number): Promise<number> {
      const [row] = await dataSource.query<{ said: number }[]>(
        "SELECT COUNT(*) AS said FROM messages WHERE account_id = ? AND sender_type = 'ai'",
        [accountId],
      );
      return Number(row?.said ?? 0);
    },
  };
}

const plainPersona = { name: "", tone: "neutral", instructions: "", introduces: false } as const;

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    if (await isTrue()) return;
    await sleep(50);
  }
  throw new Error("The agent did not get there within 60 s.");
}
