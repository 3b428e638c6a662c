import { readRows, withMysql } from "../books.ts";
import type { Installation } from "../installation.ts";
import { logIn } from "../callers.ts";
import type { Scenario } from "../run-scenario.ts";
import { check, killProcess, untilTrue, type ScenarioContext } from "../scenario-context.ts";

const refusedCalls = 200_000;
/** Every hundredth call contains the person's phone. */
const namingCalls = refusedCalls / 100;
/** Id of an endpoint without load. */
const endpointId = 999;
const phone = "5215512345678";
/**
 * Limit in ms. A step in which a worker dies is retried after 60 s, and a second search follows a
 * minute later.
 */
const endMs = 400_000;

/**
 * An account whose caller was refused for weeks has a log that is too large for one request to
 * search.
 */
const largeLog: Scenario = {
  id: "F23",
  title: "a contact is erased beside 200,000 refused inbound calls, and the worker dies on the way",
  seconds: 0,
  share: 0.2,
  shape: { workers: 1 },
  async run(stage) {
    const { installation } = stage;
    await fillLog(installation);
    const contactId = await addContact(installation);
    const cookie = await logIn(installation, accountOf(installation));
    const startedAt = performance.now();
    const { status } = await erase(installation, contactId, cookie);
    stage.print(`erasure answered ${status} in ${(performance.now() - startedAt).toFixed(0)} ms`);
    check(stage, status === 200, `the erasure was answered ${status}`);
    await killHalfWay(stage);
    const ended = async () => (await countTraces(installation)) === 0;
    const endedMs = await untilTrue(ended, endMs);
    check(stage, endedMs !== null, "traces of the person are left");
    stage.print(`nothing was left after ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
    const kept = await countBodies(installation);
    check(stage, kept === refusedCalls - namingCalls, `${kept} bodies were kept`);
  },
};

async function fillLog(installation: Installation): Promise<void> {
  const numbers = (name: string, count: number) =>
    `(WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1}) SELECT i FROM n) ${name}`;
  await withMysql(installation, async (connection) => {
    await connection.query(
      `INSERT INTO inbound_requests
         (account_id, endpoint_id, received_at, verdict, status_code, error_code, duration_ms, body)
       SELECT ?, ${endpointId}, UTC_TIMESTAMP(3), 'refused', 400, 'unknown_event', 1,
              CONCAT(REPEAT('{"x":"12 34"}', 200), IF(b.i % 100 = 50, ?, ''))
         FROM ${numbers("a", refusedCalls / 200)}, ${numbers("b", 200)} ORDER BY a.i, b.i`,
      [accountOf(installation), `+${phone.slice(0, 4)} ${phone.slice(4)}`],
    );
  });
}

async function addContact(installation: Installation): Promise<number> {
  return await withMysql(installation, async (connection) => {
    const accountId = accountOf(installation);
    await connection.query("INSERT INTO contacts SET account_id = ?, phone = ?, source = 'api'", [
      accountId,
      phone,
    ]);
    const [row] = await readRows<{ id: number }>(
      connection,
      `SELECT id FROM contacts WHERE account_id = ${accountId} AND phone = '${phone}'`,
    );
    return row?.id ?? 0;
  });
}

async function erase({ apis }: Installation, contactId: number, cookie: string): Promise<Response> {
  const url = `${apis[0]?.url}/dashboard/api/contacts/${contactId}`;
  return await fetch(url, { method: "DELETE", headers: { cookie } });
}

/** Kills the worker when some of the calls are erased, but not all. */
async function killHalfWay(stage: ScenarioContext): Promise<void> {
  const { installation } = stage;
  const [worker] = installation.workers;
  if (worker === undefined) return;
  const begun = async () => (await countBodies(installation)) < refusedCalls - namingCalls / 4;
  check(stage, (await untilTrue(begun, 60_000)) !== null, "no call was forgotten");
  await killProcess(stage, worker);
  const left = (await countBodies(installation)) - (refusedCalls - namingCalls);
  stage.print(`the worker died with ${left} of ${namingCalls} calls left to forget`);
  check(stage, left > 0, "the worker died too late");
  await worker.start();
}

async function countBodies(installation: Installation): Promise<number> {
  return await count(
    installation,
    `SELECT COUNT(body) AS n FROM inbound_requests WHERE endpoint_id = ${endpointId}`,
  );
}

/** Number of calls that contain the person's phone, and of stored erasures. */
async function countTraces(installation: Installation): Promise<number> {
  const erasures = await count(installation, "SELECT COUNT(*) AS n FROM contact_erasures");
  return erasures + (await countBodies(installation)) - (refusedCalls - namingCalls);
}

async function count(installation: Installation, sql: string): Promise<number> {
  return await withMysql(installation, async (connection) => {
    const [row] = await readRows<{ n: number }>(connection, sql);
    return Number(row?.n);
  });
}

function accountOf({ accounts: [account] }: Installation): number {
  return account?.accountId ?? 0;
}

export const erasureScenarios: readonly Scenario[] = [largeLog];
