import { setTimeout as sleep } from "node:timers/promises";
import { createCaller } from "./caller.ts";
import { chatArchive, chatFile, contactsFile } from "./import-files.ts";
import { createPerson, type ImportPerson, type ImportTimes } from "./import-person.ts";
import { percentile } from "./load.ts";
import { inMs, ratioOf } from "./print.ts";
import type { BenchStack } from "./stack.ts";
import { rssMbOf } from "./start.ts";

const callsPerSecond = 20;
const quietMs = 20_000;
/** The calls begin so long before: an API is busy a second after its first calls. */
const leadMs = 2_000;
/** A file of this size stands for a picture as WhatsApp sends it. */
const chatFiles = { every: 20, bytes: 150_000 };

/**
 * Imports a table of contacts on an idle installation, then another one beside calls of the API,
 * which it takes back. Then it imports chats.
 * @param events rows of each table, and messages of the chat; 100,000 by default
 */
export async function benchImports(
  stack: BenchStack,
  scale: number,
  events: number | null,
): Promise<string[][]> {
  const rows = events ?? Math.round(100_000 * scale);
  const worker = await stack.startWorker();
  const person = await createPerson(stack, worker);
  await importFile(person, contactsFile(500, 9_000_000, "warm"));
  await sleep(2_000);
  const idleMb = rssMbOf(worker);
  const idle = await importFile(person, contactsFile(rows, 0, "first"));
  const contacts = await benchBeside(stack, person, rows);
  const chats = await benchChats(stack, person, rows);
  return [
    [`${rows} contacts: plan`, perSecond(rows, idle.planS)],
    ["commit", perSecond(rows, idle.commitS)],
    ["plan and commit", perSecond(rows, idle.planS + idle.commitS)],
    ...contacts,
    ...chats,
    [
      "memory of the worker: before, most",
      `${idleMb.toFixed(0)}, ${person.peakMb().toFixed(0)} MB`,
    ],
  ];
}

const perSecond = (rows: number, seconds: number): string => `${Math.round(rows / seconds)}/s`;

async function importFile(
  person: ImportPerson,
  file: Parameters<ImportPerson["upload"]>[0],
): Promise<ImportTimes> {
  return await person.run(await person.upload(file));
}

/** Half of the rows are new, and half of them change a contact of the first table. */
async function benchBeside(
  stack: BenchStack,
  person: ImportPerson,
  rows: number,
): Promise<string[][]> {
  const uploaded = await person.upload(contactsFile(rows, Math.round(rows / 2), "again"));
  const quiet = await measureCalls(stack, 0, async () => await sleep(quietMs));
  const beside = await measureCalls(stack, 1_000_000, async () => await person.run(uploaded));
  const { id, planS, commitS } = beside.result;
  const { undone, undoS } = await person.undo(id);
  if (undone !== rows) throw new Error(`The undo took back ${undone} rows.`);
  const p99 = [quiet, beside].map(({ times }) => percentile(times, 0.99));
  const [alone = Number.NaN, together = Number.NaN] = p99;
  return [
    [
      `beside ${callsPerSecond} calls a second, half of the rows updates: plan`,
      perSecond(rows, planS),
    ],
    ["commit", perSecond(rows, commitS)],
    ["p99 of these calls without an import", inMs(alone)],
    ["p99 of these calls beside plan and commit", inMs(together), ratioOf(together, alone)],
    ["undo of that import, without calls", perSecond(rows, undoS)],
  ];
}

/** A chat as a text, its second export, its undo, and a smaller chat with files. */
async function benchChats(
  { dataSource }: BenchStack,
  person: ImportPerson,
  messages: number,
): Promise<string[][]> {
  const text = chatFile(messages, "34600000001");
  const first = await importFile(person, text);
  const again = await importFile(person, text);
  if (again.changed !== 0) throw new Error(`${again.changed} messages came twice.`);
  const { undoS } = await person.undo(first.id);
  const count = Math.round(messages / 10);
  const archive = await chatArchive(count, "34600000002", chatFiles);
  const started = performance.now();
  const withFiles = await importFile(person, archive);
  const files = await untilStored(dataSource);
  const storedS = (performance.now() - started) / 1_000;
  return [
    [`chat of ${messages} messages: upload and first reading`, inMs(first.uploadS * 1_000)],
    ["plan", perSecond(messages, first.planS)],
    ["commit", perSecond(messages, first.commitS)],
    ["its second export, with nothing new: plan", perSecond(messages, again.planS)],
    ["commit", perSecond(messages, again.commitS)],
    ["undo of the first", perSecond(messages, undoS)],
    [`archive of ${count} messages and ${files} files: upload`, inMs(withFiles.uploadS * 1_000)],
    ["plan", perSecond(count, withFiles.planS)],
    ["commit", perSecond(count, withFiles.commitS)],
    ["from the upload until all its files are stored", inMs(storedS * 1_000)],
  ];
}

/** Waits until the files of all chats have their bytes. @returns their number */
async function untilStored(dataSource: BenchStack["dataSource"]): Promise<number> {
  for (;;) {
    const [row] = await dataSource.query<{ total: unknown; ready: unknown }[]>(
      "SELECT COUNT(*) AS total, SUM(state = 'ready') AS ready FROM message_media",
    );
    const total = Number(row?.total);
    if (Number(row?.ready) === total) return total;
    await sleep(100);
  }
}

/** Times in ms of calls at a fixed rate, from the moment at which each was due, while `work` runs. */
async function measureCalls<Result>(
  stack: BenchStack,
  firstIndex: number,
  work: () => Promise<Result>,
): Promise<{ times: number[]; result: Result }> {
  const api = createCaller(stack, callsPerSecond);
  const times: number[] = [];
  const calls: Promise<void>[] = [];
  let isOver = false;
  const started = performance.now();
  const working = sleep(leadMs)
    .then(work)
    .finally(() => (isOver = true));
  for (let index = 0; !isOver; index += 1) {
    const dueAt = started + (index * 1_000) / callsPerSecond;
    const early = dueAt - performance.now();
    if (early > 0) await sleep(early);
    const counts = dueAt >= started + leadMs;
    calls.push(
      api.upsert(firstIndex + index).then(() => {
        if (counts) times.push(performance.now() - dueAt);
      }),
    );
  }
  const result = await working;
  await Promise.all(calls);
  await api.close();
  return { times, result };
}
