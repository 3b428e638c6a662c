import { mkdtempSync, rmSync } from "node:fs";
import { localPath } from "../../../dev/local.ts";
import { readRows, withMysql } from "../books.ts";
import { logIn } from "../callers.ts";
import type { Installation } from "../installation.ts";
import type { Scenario } from "../run-scenario.ts";
import { check, killProcess, untilTrue, type ScenarioContext } from "../scenario-context.ts";
import { killMysql } from "./mysql.ts";

const rows = 60_000;
/** Phones that no other caller has. */
const firstPhone = 34_700_000_000;
const kills = 5;
const mysqlAwayMs = 30_000;
/** The step of a killed worker is handed out again after the 30 s of its heartbeat. */
const nextBatchMs = 120_000;
const endMs = 600_000;

const killedCommit: Scenario = {
  id: "F35",
  title:
    "the worker dies five times during the commit of an import, and MySQL is away for 30 s: each row once",
  seconds: 0,
  share: 0.1,
  shape: { workers: 1, accounts: 1 },
  async prepare() {
    const folder = mkdtempSync(localPath("faults-imports-"));
    return await Promise.resolve({
      settings: { MEDIA_DIR: folder },
      stop: async () => {
        rmSync(folder, { recursive: true, force: true });
        await Promise.resolve();
      },
    });
  },
  async run(stage) {
    const { installation } = stage;
    const cookie = await logIn(installation, installation.accounts[0]?.accountId ?? 0);
    const call = createCall(installation, cookie);
    const id = Number((await call("POST", "?kind=contacts&name=faults.csv", csvOf(rows)))["id"]);
    await step(stage, call, id, "plan", "planned");
    await call("POST", `/${id}/commit`);
    for (let kill = 0; kill < kills; kill += 1) await killInCommit(stage, kill);
    await killMysql(stage, mysqlAwayMs);
    const ended = async () => (await call("GET", `/${id}`))["state"] === "done";
    const took = await untilTrue(ended, endMs);
    check(stage, took !== null, `the import was not done after ${endMs} ms`);
    await judge(stage, await call("GET", `/${id}`));
  },
};

type Call = (method: string, path: string, body?: string) => Promise<Record<string, unknown>>;

function createCall({ apis }: Installation, cookie: string): Call {
  return async (method, path, body) => {
    const response = await fetch(`${apis[0]?.url}/dashboard/api/imports${path}`, {
      method,
      headers: { cookie },
      ...(body === undefined ? {} : { body }),
    });
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}`);
    return ((await response.json()) as { data: Record<string, unknown> }).data;
  };
}

function csvOf(count: number): string {
  const lines = Array.from({ length: count }, (_, at) => `Name ${at},${firstPhone + at}`);
  return `name,phone\n${lines.join("\n")}\n`;
}

async function step(
  stage: ScenarioContext,
  call: Call,
  id: number,
  name: string,
  state: string,
): Promise<void> {
  await call("POST", `/${id}/${name}`);
  const took = await untilTrue(async () => (await call("GET", `/${id}`))["state"] === state, endMs);
  check(stage, took !== null, `the import was not ${state} after ${endMs} ms`);
  stage.print(`${rows} rows ${state} after ${Math.round((took ?? endMs) / 1_000)} s`);
}

/** Kills the worker once the commit has gone on since the last kill, and starts it again. */
async function killInCommit(stage: ScenarioContext, kill: number): Promise<void> {
  const { installation } = stage;
  const [worker] = installation.workers;
  if (worker === undefined) throw new Error("There is no worker.");
  const before = await readPlace(installation);
  const hasGoneOn = async () => (await readPlace(installation)) > before;
  check(stage, (await untilTrue(hasGoneOn, nextBatchMs)) !== null, `no batch before kill ${kill}`);
  await killProcess(stage, worker);
  stage.print(`killed at row ${await readPlace(installation)} of ${rows}`);
  await worker.start();
}

async function readPlace(installation: Installation): Promise<number> {
  return await readNumber(installation, "SELECT MAX(cursor_row) AS n FROM imports");
}

async function readNumber(installation: Installation, sql: string): Promise<number> {
  return await withMysql(installation, async (connection) => {
    const [row] = await readRows<{ n: number }>(connection, sql);
    return Number(row?.n ?? 0);
  });
}

async function judge(stage: ScenarioContext, { counts }: { counts?: unknown }): Promise<void> {
  const { installation } = stage;
  const contacts = await readNumber(
    installation,
    "SELECT COUNT(*) AS n FROM contacts WHERE source = 'import'",
  );
  check(stage, contacts === rows, `${contacts} contacts of ${rows} rows`);
  const created = await readNumber(
    installation,
    "SELECT COUNT(*) AS n FROM import_rows WHERE state = 'created'",
  );
  check(stage, created === rows, `${created} rows are created`);
  const { done } = counts as { done: Record<string, number> };
  check(stage, done["created"] === rows, `${done["created"]} rows are counted as created`);
  const sum = Object.values(done).reduce((total, count) => total + count, 0);
  check(stage, sum === rows, `${sum} outcomes are counted`);
  const events = await readNumber(
    installation,
    "SELECT COUNT(*) AS n FROM events e JOIN contacts c ON c.id = e.contact_id WHERE c.source = 'import'",
  );
  check(stage, events === 0, `${events} events came from the import`);
  stage.print(`${contacts} contacts of ${rows} rows, ${created} created once, ${events} events`);
}

export const importScenarios: readonly Scenario[] = [killedCommit];
