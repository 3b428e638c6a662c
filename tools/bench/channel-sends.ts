import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { describeCosts, readCosts } from "./costs.ts";
import type { BenchGraph } from "./graph.ts";
import { percentile, runAtRate } from "./load.ts";
import { inMs } from "./print.ts";
import type { BenchStack } from "./stack.ts";

/** Meta's limit of a number, in messages a second. */
export const numberLimit = 80;
/** Posts a second of the bench; the number sends at its limit as long as messages wait. */
const postsPerSecond = 100;
const connections = 16;
const timeoutMs = 600_000;

/**
 * Posts texts to conversations of one number, more than the number may send a second, and waits
 * until the last one has left.
 */
export async function measureSends(
  stack: BenchStack,
  graph: BenchGraph,
  seconds: number,
): Promise<string[][]> {
  const { apiUrl, apiKey, dataSource } = stack;
  const conversations = await dataSource.query<{ id: number }[]>(
    "SELECT id FROM conversations ORDER BY id LIMIT ?",
    [postsPerSecond * seconds],
  );
  const pool = new Pool(apiUrl, { connections, pipelining: 1 });
  const before = graph.sent.length;
  const costs = await readCosts(stack);
  const dueAt = new Map<string, number>();
  await runAtRate(postsPerSecond, seconds, async (index, due) => {
    const conversation = conversations[index % conversations.length];
    if (conversation === undefined) throw new Error("There is no conversation.");
    dueAt.set(await postText(pool, apiKey, conversation.id, index), due);
  });
  await untilSent(graph, before + dueAt.size);
  const each = describeCosts(costs, await readCosts(stack), dueAt.size);
  await pool.close();
  const sent = graph.sent.slice(before);
  if (new Set(sent.map(({ id }) => id)).size !== sent.length)
    throw new Error("A message was sent twice.");
  const [first, last] = [sent[0]?.at ?? 0, sent.at(-1)?.at ?? 0];
  const rate = ((sent.length - 1) * 1_000) / (last - first);
  const early = sent.slice(0, numberLimit).map(({ id, at }) => at - (dueAt.get(id) ?? at));
  return [
    [`messages sent by one number (goal: ${numberLimit}/s)`, `${rate.toFixed(0)}/s`],
    ["of them refused with 130429 (goal: 0)", String(graph.refused())],
    ["from POST to the channel, the first second: p50", inMs(percentile(early, 0.5))],
    ["cost of a message, its POST included", each],
  ];
}

/** @returns the id of the message */
async function postText(
  pool: Pool,
  apiKey: string,
  conversationId: number,
  index: number,
): Promise<string> {
  const { statusCode, body } = await pool.request({
    method: "POST",
    path: `/api/v1/conversations/${conversationId}/messages`,
    headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ type: "text", content: `Mensaje ${index}` }),
  });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`The API answered ${statusCode}: ${text}`);
  const answer: { data?: { id?: number } } = JSON.parse(text);
  return String(answer.data?.id);
}

async function untilSent(graph: BenchGraph, total: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (graph.sent.length < total) {
    if (performance.now() > end)
      throw new Error(`${graph.sent.length} of ${total} messages were sent within 10 minutes.`);
    await sleep(50);
  }
}
