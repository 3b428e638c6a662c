import { setTimeout as sleep } from "node:timers/promises";
import { createMember, createSession } from "../../core/services/accounts/users.ts";
import { transaction } from "../../db/transaction.ts";
import { createCaller } from "./caller.ts";
import { cpuMsOf, readCosts } from "./costs.ts";
import { openReader } from "./event-reader.ts";
import { percentile, runAtRate } from "./load.ts";
import { inMs } from "./print.ts";
import type { BenchStack } from "./stack.ts";

const people = 100;
const streamsEach = 10;
const perSecond = 20;

/** Idle cost of 1,000 streams of Dashboards, and the time from a request to its change. */
export async function benchStreams(stack: BenchStack, scale: number): Promise<string[][]> {
  const cookies = await createLogins(stack, Math.max(1, Math.round(people * scale)));
  let heard = 0;
  /** Arrivals of changes at one of the streams. */
  const arrivals: number[] = [];
  const readers = cookies.flatMap((cookie, person) =>
    Array.from({ length: streamsEach }, (_, index) =>
      openReader({
        url: stack.apiUrl,
        path: "/dashboard/api/stream",
        headers: { cookie: `parley_session=${cookie}` },
        onEvent(event, data) {
          if (event === "ready") heard += 1;
          const isFirst = person === 0 && index === 0;
          if (isFirst && data.includes("contact.updated")) arrivals.push(performance.now());
        },
      }),
    ),
  );
  for (let tries = 0; heard < readers.length && tries < 600; tries += 1) await sleep(100);
  if (heard < readers.length) throw new Error(`${heard} of ${readers.length} streams are open.`);
  const idleSeconds = Math.max(10, Math.round(30 * scale));
  const idle = await measureIdle(stack, idleSeconds);
  const latencies = await measureChanges(stack, arrivals, Math.max(5, Math.round(20 * scale)));
  for (const { socket } of readers) socket.destroy();
  return [
    [
      `${readers.length} streams of Dashboards, idle: statements`,
      `${idle.statements.toFixed(0)}/s`,
    ],
    ["CPU of the API", `${idle.cpuPercent.toFixed(1)} % of a core`],
    [
      `a change at ${perSecond}/s, from the request to a stream: p50`,
      inMs(percentile(latencies, 0.5)),
    ],
    ["p99", inMs(percentile(latencies, 0.99))],
  ];
}

async function createLogins({ dataSource, accountId }: BenchStack, count: number) {
  const options = { actor: { type: "system", accountId } } as const;
  return await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const passwordHash = `hash-${index}`;
      const person = { email: `bench${index}@example.com`, name: "Bench", passwordHash };
      return await transaction(dataSource, options, async (tx) => {
        const { userId } = await createMember(tx, { ...person, role: "agent" });
        const input = { accountId, userAgent: null };
        return (await createSession(tx, { userId, passwordHash }, input)).token;
      });
    }),
  );
}

async function measureIdle(stack: BenchStack, seconds: number) {
  const api = stack.processes().find(({ name }) => name === "api");
  const cpu = () => (api === undefined ? 0 : cpuMsOf(api.pid));
  const [before, cpuBefore] = [await readCosts(stack), cpu()];
  await sleep(seconds * 1_000);
  const [after, cpuAfter] = [await readCosts(stack), cpu()];
  return {
    statements: (after.statements - before.statements) / seconds,
    cpuPercent: (cpuAfter - cpuBefore) / (seconds * 10),
  };
}

/** Milliseconds from the moment when a request was due to its change at a stream. */
async function measureChanges(
  stack: BenchStack,
  arrivals: number[],
  seconds: number,
): Promise<number[]> {
  const caller = createCaller(stack, 10);
  const upserted: number[] = [];
  await runAtRate(perSecond, seconds, async (index, due) => {
    upserted.push(due);
    await caller.upsert(index);
  });
  const total = upserted.length;
  for (let tries = 0; arrivals.length < total && tries < 300; tries += 1) await sleep(100);
  await caller.close();
  // Requests of one caller commit in their order, so the changes arrive in the same one.
  return arrivals.slice(0, total).map((at, index) => at - (upserted[index] ?? at));
}
