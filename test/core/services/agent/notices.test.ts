import { beforeEach, expect, test } from "vitest";
import { agentSettings } from "../../../../core/model/agent.ts";
import { providerCreateBody } from "../../../../core/model/agent-setup.ts";
import type { StepFailure } from "../../../../core/agent/step.ts";
import { createProvider, updateProvider } from "../../../../core/services/agent/providers.ts";
import { beginStep, storeFailure, storeOutput } from "../../../../core/services/agent/steps.ts";
import type { TurnRef } from "../../../../core/model/workflow/agent.ts";
import type { AgentProvider } from "../../../../db/entities/agent.ts";
import { testSecretBox } from "../../../support/accounts.ts";
import { useFixture } from "../../../support/use-fixture.ts";
import { startTurnFixture } from "./turn-fixture.ts";

const fixture = useFixture(startTurnFixture);
let provider: AgentProvider;

beforeEach(async () => {
  for (const table of ["agent_providers", "agent_turns", "agent_steps", "notifications"]) {
    await fixture.sql(`DELETE FROM ${table}`);
  }
  await setBudgets({ daily: 1_000, monthly: null });
  // A million input tokens cost as many millionths as a million of these.
  const given = { kind: "openai", model: "m", api_key: "k", input_price: 1_000_000 };
  provider = await fixture.run((tx) =>
    createProvider(tx, testSecretBox, providerCreateBody.parse(given)),
  );
});

async function setBudgets({ daily, monthly }: { daily: number | null; monthly: number | null }) {
  const settings = agentSettings.parse({
    quiet_seconds: 0,
    daily_budget_micros: daily,
    monthly_budget_micros: monthly,
  });
  await fixture.sql("UPDATE agent_versions SET settings = ?", [JSON.stringify(settings)]);
}

/** A turn begins, and its step costs this much. @returns false where no provider may serve. */
async function spend(turn: TurnRef, micros: number): Promise<boolean> {
  const step = { ...turn, seq: 1 };
  const begun = await fixture.run((tx) => beginStep(tx, step));
  if (begun.state !== "ask") throw new Error("The step is done already.");
  if (begun.provider === null) return false;
  const usage = { input: micros, cached: 0, output: 0 };
  const output = { kind: "reply" as const, text: "Hola", usage };
  const facts = { output, provider: begun.provider, durationMs: 1 };
  await fixture.run((tx) => storeOutput(tx, step, facts));
  return true;
}

async function told(): Promise<unknown[]> {
  const rows = await fixture.sql<{ params: object; admins_only: number }>(
    "SELECT kind, params, admins_only FROM notifications WHERE kind LIKE 'agent%' ORDER BY id",
  );
  return rows.map(({ params }) => params);
}

/** Turns at the same time, each of another customer. */
async function beginAll(count: number): Promise<TurnRef[]> {
  const turns: TurnRef[] = [];
  for (let index = 0; index < count; index += 1) turns.push(await fixture.begin());
  return turns;
}

test("the admins are told of a day's budget at 80 % and at 100 %, once each", async () => {
  const [one, two, three, four] = await beginAll(4);
  if (!one || !two || !three || !four) throw new Error("no turns");
  await spend(one, 799);
  expect(await told()).toEqual([]);
  await spend(two, 1);
  expect(await told()).toEqual([{ period: "day", share: 80 }]);
  await spend(three, 200);
  expect(await told()).toEqual([
    { period: "day", share: 80 },
    { period: "day", share: 100 },
  ]);
  expect(await spend(four, 1)).toBe(false);
  expect(await told()).toHaveLength(2);
});

test("12 turns at the same time tell of each share once", async () => {
  const first = await beginAll(12);
  await Promise.all(first.map(async (turn) => await spend(turn, 70)));
  // 840 of 1,000. A turn that saw only its own cost is made up for by the next.
  const [last, ...second] = await beginAll(5);
  if (!last) throw new Error("no turn");
  await spend(last, 1);
  expect(await told()).toEqual([{ period: "day", share: 80 }]);
  await Promise.all(second.map(async (turn) => await spend(turn, 90)));
  const [after] = await beginAll(1);
  if (!after) throw new Error("no turn");
  expect(await spend(after, 1)).toBe(false);
  expect(await told()).toEqual([
    { period: "day", share: 80 },
    { period: "day", share: 100 },
  ]);
});

test("a month counts apart from its days, and a budget begins anew with its period", async () => {
  await setBudgets({ daily: null, monthly: 1_000 });
  const [one, two] = await beginAll(2);
  if (!one || !two) throw new Error("no turns");
  await spend(one, 900);
  expect(await told()).toEqual([{ period: "month", share: 80 }]);
  await fixture.sql("UPDATE agent_turns SET created_at = created_at - INTERVAL 32 DAY");
  expect(await spend(two, 700)).toBe(true);
  expect(await told()).toHaveLength(1);
});

async function fail(turn: TurnRef, failure: StepFailure): Promise<void> {
  const step = { ...turn, seq: 1 };
  const begun = await fixture.run((tx) => beginStep(tx, step));
  if (begun.state !== "ask" || begun.provider === null) throw new Error("No provider serves.");
  const facts = { failure, retryAfterMs: null, provider: begun.provider };
  await fixture.run((tx) => storeFailure(tx, step, facts));
}

const tryAgain = async () =>
  await fixture.sql("UPDATE agent_providers SET failing_until = NOW(3) - INTERVAL 1 SECOND");

test("a provider that refuses is told of once, until it has answered", async () => {
  const refused = { provider: "openai", model: "m", failure: "refused" };
  const turns = await beginAll(3);
  for (const turn of turns) {
    await fail(turn, "refused");
    await tryAgain();
  }
  expect(await told()).toEqual([refused]);
  const [good, bad] = await beginAll(2);
  if (!good || !bad) throw new Error("no turns");
  expect(await spend(good, 1)).toBe(true);
  const row = await fixture.sql(
    "SELECT failing_until, failing_since, failure FROM agent_providers",
  );
  expect(row).toEqual([{ failing_until: null, failing_since: null, failure: null }]);
  await fail(bad, "quota");
  expect(await told()).toEqual([refused, { ...refused, failure: "quota" }]);
});

test("10 turns that a provider refuses at once make one notification", async () => {
  const turns = await beginAll(10);
  const begun = await Promise.all(
    turns.map(async (turn) => await fixture.run((tx) => beginStep(tx, { ...turn, seq: 1 }))),
  );
  expect(begun.map((step) => (step.state === "ask" ? step.provider?.id : 0))).toEqual(
    turns.map(() => provider.id),
  );
  const facts = { failure: "refused", retryAfterMs: null, provider } as const;
  await Promise.all(
    turns.map(
      async (turn) => await fixture.run((tx) => storeFailure(tx, { ...turn, seq: 1 }, facts)),
    ),
  );
  expect(await told()).toHaveLength(1);
});

test("a fault that passes by itself is told to nobody, and another key is a new beginning", async () => {
  const [one, two, three] = await beginAll(3);
  if (!one || !two || !three) throw new Error("no turns");
  await fail(one, "timeout");
  expect(await told()).toEqual([]);
  await tryAgain();
  await fail(two, "refused");
  await fixture.run((tx) =>
    updateProvider(tx, testSecretBox, provider.id, { api_key: "another-key" }),
  );
  await fail(three, "refused");
  expect(await told()).toHaveLength(2);
});
