import { setTimeout as sleep } from "node:timers/promises";
import { createMember, createSession } from "../../core/services/accounts/users.ts";
import { transaction } from "../../db/transaction.ts";
import { createCaller } from "./caller.ts";
import { percentile } from "./load.ts";
import { inMs, ratioOf } from "./print.ts";
import type { BenchStack } from "./stack.ts";
import { rssMbOf } from "./start.ts";

const pollMs = 100;
const callsPerSecond = 20;

/** Rates of a plan and of a commit, in rows a second, and the memory of the worker. */
interface ImportRates {
  plan: number;
  commit: number;
  peakMb: number;
}

/**
 * Imports a table of contacts on an idle installation, then another one beside calls of the API.
 * @param events rows of each table; 100,000 by default
 */
export async function benchImports(
  stack: BenchStack,
  scale: number,
  events: number | null,
): Promise<string[][]> {
  const rows = events ?? Math.round(100_000 * scale);
  const worker = await stack.startWorker();
  const call = createPerson(stack, await logIn(stack));
  await importTable(call, worker, tableOf(500, 9_000_000));
  await sleep(2_000);
  const idleMb = rssMbOf(worker);
  const idle = await importTable(call, worker, tableOf(rows, 0));
  const quiet = await measureCalls(stack, 0, async () => await sleep(15_000));
  // Half of the rows are new, and half of them change a contact of the first table.
  let busy: ImportRates = { plan: 0, commit: 0, peakMb: 0 };
  const loaded = await measureCalls(stack, 1_000_000, async () => {
    busy = await importTable(call, worker, tableOf(rows, Math.round(rows / 2), "again"));
  });
  const p99 = { quiet: percentile(quiet, 0.99), loaded: percentile(loaded, 0.99) };
  const rate = (value: number) => `${Math.round(value)}/s`;
  return [
    [`${rows} rows: plan, idle`, rate(idle.plan)],
    ["commit, idle", rate(idle.commit)],
    ["plan and commit, idle", rate(1 / (1 / idle.plan + 1 / idle.commit))],
    [`commit beside ${callsPerSecond} calls a second, half of the rows updates`, rate(busy.commit)],
    ["p99 of these calls without an import", inMs(p99.quiet)],
    ["p99 of these calls beside it", inMs(p99.loaded), ratioOf(p99.loaded, p99.quiet)],
    [
      "memory of the worker: before, most",
      `${idleMb.toFixed(0)}, ${Math.max(idle.peakMb, busy.peakMb).toFixed(0)} MB`,
    ],
  ];
}

function tableOf(rows: number, from: number, mark = "first"): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const number = from + index;
    return `Person ${number} ${mark},${34_700_000_000 + number},p${number}@example.com,bench;${mark}`;
  });
  return ["name,phone,email,tags", ...lines, ""].join("\n");
}

type Call = (
  method: string,
  path: string,
  body?: unknown,
  type?: string,
  // oxlint-disable-next-line typescript/no-explicit-any -- the bench reads answers by their documented shape
) => Promise<any>;

async function logIn({ dataSource, accountId }: BenchStack): Promise<string> {
  const options = { actor: { type: "system", accountId } } as const;
  return await transaction(dataSource, options, async (tx) => {
    const passwordHash = "-";
    const person = { email: "bench-imports@example.com", name: "Bench", passwordHash };
    const { userId } = await createMember(tx, { ...person, role: "admin" });
    const input = { accountId, userAgent: null };
    return (await createSession(tx, { userId, passwordHash }, input)).token;
  });
}

function createPerson({ apiUrl }: BenchStack, token: string): Call {
  return async (method, path, body, type = "application/json") => {
    const answer = await fetch(`${apiUrl}/dashboard/api${path}`, {
      method,
      headers: {
        cookie: `parley_session=${token}`,
        ...(body === undefined ? {} : { "content-type": type }),
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const json: unknown = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(json)}`);
    return Reflect.get(json as object, "data") as unknown;
  };
}

/** Uploads a table, plans it and commits it. */
async function importTable(
  call: Call,
  worker: Parameters<typeof rssMbOf>[0],
  table: string,
): Promise<ImportRates> {
  const { id, mapping } = await call(
    "POST",
    "/imports?kind=contacts&name=bench.csv",
    table,
    "text/csv",
  );
  let peakMb = 0;
  const until = async (state: string): Promise<number> => {
    const started = performance.now();
    for (;;) {
      const { state: now, error } = await call("GET", `/imports/${id}`);
      peakMb = Math.max(peakMb, rssMbOf(worker));
      if (now === state) return (performance.now() - started) / 1_000;
      if (now === "failed") throw new Error(`The import failed: ${JSON.stringify(error)}`);
      await sleep(pollMs);
    }
  };
  await until("mapping");
  await call("PATCH", `/imports/${id}`, { mapping: { ...mapping, overwrite: true } });
  await call("POST", `/imports/${id}/plan`, {});
  const planS = await until("planned");
  await call("POST", `/imports/${id}/commit`, {});
  const commitS = await until("done");
  const { counts } = await call("GET", `/imports/${id}`);
  const { created, updated } = counts.done;
  if (created + updated !== counts.rows) {
    throw new Error(`Rows are missing: ${JSON.stringify(counts)}`);
  }
  return { plan: counts.rows / planS, commit: counts.rows / commitS, peakMb };
}

/** Times in ms of calls at a fixed rate, from the moment at which each was due, while `work` runs. */
async function measureCalls(
  stack: BenchStack,
  firstIndex: number,
  work: () => Promise<void>,
): Promise<number[]> {
  const api = createCaller(stack, callsPerSecond);
  const times: number[] = [];
  const calls: Promise<void>[] = [];
  let isOver = false;
  const working = work().finally(() => (isOver = true));
  const started = performance.now();
  for (let index = 0; !isOver; index += 1) {
    const dueAt = started + (index * 1_000) / callsPerSecond;
    const early = dueAt - performance.now();
    if (early > 0) await sleep(early);
    calls.push(
      api.upsert(firstIndex + index).then(() => void times.push(performance.now() - dueAt)),
    );
  }
  await working;
  await Promise.all(calls);
  await api.close();
  return times;
}
