import { expect, test } from "vitest";
import type { OutboxCommand } from "../../../core/model/workflow/workflow-command.ts";
import type { ClaimedRow } from "../../../core/services/outbox/outbox-claims.ts";
import { plan } from "../../../worker/engine/fair-scheduling.ts";
import { createRequestLimiter } from "../../../worker/engine/request-limiter.ts";

const naming = (name: string) => `here-${name}`;

function fixture() {
  let at = 1_000_000;
  const runs = createRequestLimiter(naming, () => at);
  return { runs, pass: (ms: number) => void (at += ms) };
}

let count = 0;
/** The row of a message, or of what only signals. */
function row(accountId: number, workflow: "sendMessage" | "handoff" = "sendMessage"): ClaimedRow {
  const id = (count += 1);
  const command: OutboxCommand = {
    op: "start",
    workflow,
    workflowId: `message-${id}`,
    taskQueue: "conversations",
    input: {},
    summary: "",
  };
  return { id, account_id: accountId, kind: "request", command } as ClaimedRow;
}

type Runs = ReturnType<typeof createRequestLimiter>;

/** Number of requests that each account gets in one poll with room for 100. */
function quotasOf(runs: Runs, accountIds: number[]): Record<string, number> {
  const partitions = accountIds.map((id) => ({ key: `-:${id}`, ageMs: 0 }));
  const { quotas } = plan(partitions, {
    turns: { lastAccount: 0, lastRequester: 0, lastSender: 0 },
    bursting: false,
    attemptsUnderWay: 0,
    starts: 100,
    runs: 0,
    sends: null,
    slots: new Map(),
    addresses: new Map(),
    subscriptionSlots: new Map(),
    requests: runs.quota(),
  });
  return Object.fromEntries(quotas.map(({ key, limit }) => [key, limit]));
}

const grantedTo = (runs: Runs, accountId: number) =>
  quotasOf(runs, [accountId])[`-:${accountId}`] ?? 0;

function start(runs: Runs, accountId: number, many: number): ClaimedRow[] {
  const rows = Array.from({ length: many }, () => row(accountId));
  for (const one of rows) {
    runs.add(one);
    runs.recordAnswer(one, true);
  }
  return rows;
}

const idOf = ({ id }: ClaimedRow) => naming(`message-${id}`);

test("an account that fills the room leaves one request to each that has none under way", () => {
  const { runs } = fixture();
  start(runs, 1, grantedTo(runs, 1));
  expect(grantedTo(runs, 1)).toBe(0);
  expect(quotasOf(runs, [1, 2, 3])).toEqual({ "-:2": 1, "-:3": 1 });
  const [own] = start(runs, 2, 1);
  expect(grantedTo(runs, 2)).toBe(0);
  if (own !== undefined) runs.recordBegun(idOf(own));
  expect(grantedTo(runs, 2)).toBe(1);
});

test("a message counts until its first activity begins here, for 1 s at most", () => {
  const { runs, pass } = fixture();
  const rows = start(runs, 1, 16);
  expect(grantedTo(runs, 1)).toBe(0);
  for (const one of rows.slice(0, 6)) runs.recordBegun(idOf(one));
  expect(grantedTo(runs, 1)).toBe(6);
  pass(999);
  expect(grantedTo(runs, 1)).toBe(6);
  pass(1);
  expect(grantedTo(runs, 1)).toBe(16);
});

test("an account whose message begins elsewhere gets its next one after 1 s", () => {
  const { runs, pass } = fixture();
  start(runs, 2, 1);
  pass(1_000);
  start(runs, 1, grantedTo(runs, 1));
  expect(grantedTo(runs, 2)).toBe(1);
});

test("a message that begins late lowers the limit, although it counts no longer", () => {
  const { runs, pass } = fixture();
  const [first] = start(runs, 1, 1);
  pass(2_000);
  expect(grantedTo(runs, 1)).toBe(16);
  if (first !== undefined) runs.recordBegun(idOf(first));
  expect(grantedTo(runs, 1)).toBe(12);
});

test("what was refused, was known or is no message holds room only while Temporal is told", () => {
  const { runs } = fixture();
  const [refused, handoff] = [row(1), row(1, "handoff")];
  runs.add(refused);
  runs.add(handoff);
  expect(grantedTo(runs, 1)).toBe(14);
  runs.recordAnswer(refused, false);
  runs.recordAnswer(handoff, true);
  expect(grantedTo(runs, 1)).toBe(16);
});

test("a retry by hand counts until its attempt begins, also where it is asked twice", () => {
  const { runs, pass } = fixture();
  const retry = (id: number): ClaimedRow =>
    ({
      id,
      account_id: 1,
      kind: "request",
      workflow_id: "delivery-7",
      command: { op: "signalDelivery", signal: "retryNow", run: 1, attemptsMade: 1 },
    }) as ClaimedRow;
  for (const one of [retry(1), retry(2)]) {
    runs.add(one);
    runs.recordAnswer(one, true);
  }
  expect(grantedTo(runs, 1)).toBe(15);
  runs.recordBegun(naming("delivery-7"));
  expect(grantedTo(runs, 1)).toBe(16);
  runs.add(retry(3));
  runs.recordAnswer(retry(3), true);
  pass(500);
  start(runs, 1, 1);
  runs.add(retry(4));
  runs.recordAnswer(retry(4), true);
  pass(500);
  expect(grantedTo(runs, 1)).toBe(14);
  pass(500);
  expect(grantedTo(runs, 1)).toBe(16);
});

test("the room grows while runs begin soon, and shrinks to two while they do not", () => {
  const { runs, pass } = fixture();
  const roundsOf = (waitMs: number, rounds: number) => {
    for (let round = 0; round < rounds; round += 1) {
      const rows = start(runs, 1, Math.max(1, grantedTo(runs, 1)));
      pass(waitMs);
      for (const one of rows) runs.recordBegun(idOf(one));
    }
  };
  roundsOf(50, 100);
  expect(grantedTo(runs, 1)).toBe(48);
  roundsOf(1_000, 100);
  expect(grantedTo(runs, 1)).toBe(2);
});
