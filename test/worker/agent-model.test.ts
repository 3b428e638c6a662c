import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createModels } from "../../activities/provider-models.ts";
import { setBot } from "../../core/services/conversations/conversations.ts";
import { createProvider } from "../../core/services/agent/providers.ts";
import { providerCreateBody } from "../../core/model/agent-setup.ts";
import { startModelStandIn } from "../../dev/stand-in/model-server.ts";
import { asSystem, testSecretBox } from "../support/accounts.ts";
import { freshPhone } from "../support/contact-load.ts";
import { eventually } from "../support/eventually.ts";
import { useFixture } from "../support/use-fixture.ts";
import { payloadsOf } from "../support/worker.ts";
import { startAgentFixture } from "./agent-fixture.ts";

// The agent with a model provider: a stand-in that the worker reaches over HTTP.
const fixture = useFixture(async () => {
  const standIn = await startModelStandIn();
  const policy = { allowPrivate: true, ownHosts: [] };
  const agent = await startAgentFixture(createModels(testSecretBox, { policy }));
  return {
    ...agent,
    requests: standIn.requests,
    /** Lets these models serve, in this order. */
    async serveBy(...models: string[]) {
      await agent.sql("DELETE FROM agent_providers");
      for (const model of models) {
        const given = { kind: "openai_compatible", base_url: `${standIn.url}/v1`, model };
        const body = providerCreateBody.parse({ ...given, api_key: "key-of-a-test-provider" });
        await asSystem(agent.database.dataSource, agent.account.accountId, (tx) =>
          createProvider(tx, testSecretBox, body),
        );
      }
    },
    async pause(conversationId: number) {
      await asSystem(agent.database.dataSource, agent.account.accountId, (tx) =>
        setBot(tx, conversationId, { enabled: false }),
      );
    },
    async stop() {
      await agent.stop();
      await standIn.close();
    },
  };
});

async function engineOf(conversationId: number): Promise<unknown> {
  const select =
    "SELECT engine FROM agent_turns WHERE conversation_id = ? ORDER BY id DESC LIMIT 1";
  const [row] = await fixture.sql<{ engine: string }>(select, [conversationId]);
  return row?.engine;
}

test("a model answers, and the turn counts its tokens", async () => {
  await fixture.serveBy("echo");
  const { conversationId } = await fixture.write("hola desde la prueba");
  expect(await fixture.settled(conversationId, 1)).toEqual(["replied"]);
  expect((await fixture.repliesIn(conversationId)).join()).toContain("hola desde la prueba");
  expect(await engineOf(conversationId)).toBe("openai_compatible");
});

test("a pause during a step closes the provider's connection, and nothing is said", async () => {
  await fixture.serveBy("hang");
  const started = await Promise.all(Array.from({ length: 8 }, () => fixture.write("hola")));
  const pausedAt = new Map<number, number>();
  await eventually(() => {
    const open = fixture.requests().filter(({ model }) => model === "hang");
    expect(open.length).toBe(started.length);
  });
  for (const { conversationId } of started) {
    pausedAt.set(conversationId, Date.now());
    await fixture.pause(conversationId);
  }
  const last = Math.max(...pausedAt.values());
  for (const { conversationId } of started) {
    expect(await fixture.settled(conversationId, 1)).toEqual(["paused"]);
    expect(await fixture.repliesIn(conversationId)).toEqual([]);
  }
  const closed = fixture
    .requests()
    .filter(({ model }) => model === "hang")
    .map(({ closedByClientAt }) => closedByClientAt);
  expect(closed).not.toContain(null);
  expect(Math.max(...closed.map(Number)) - last).toBeLessThan(10_000);
});

test("a ninth step of the account waits for a place, and has read nothing meanwhile", async () => {
  await fixture.serveBy("hang");
  const before = fixture.requests().length;
  const asked = () => fixture.requests().length - before;
  const first = await Promise.all(Array.from({ length: 8 }, () => fixture.write("hola")));
  await eventually(() => expect(asked()).toBe(8));
  const { conversationId: ninth } = await fixture.write("hola");
  const steps = `SELECT s.id FROM agent_steps s JOIN agent_turns t ON t.id = s.turn_id
     WHERE t.conversation_id = ?`;
  const turns = "SELECT id FROM agent_turns WHERE conversation_id = ?";
  await eventually(async () => expect(await fixture.sql(turns, [ninth])).toHaveLength(1));
  // Two of its tries fall into this time.
  await sleep(1_200);
  expect(asked()).toBe(8);
  expect(await fixture.sql(steps, [ninth])).toEqual([]);
  await fixture.pause(first[0]?.conversationId ?? 0);
  await eventually(() => expect(asked()).toBe(9));
  expect(await fixture.sql(steps, [ninth])).toHaveLength(1);
  for (const { conversationId } of first) await fixture.pause(conversationId);
  await fixture.pause(ninth);
  expect(await fixture.settled(ninth, 1)).toEqual(["paused"]);
});

test("a pause closes the connection also while Temporal has not told the step of it", async () => {
  await fixture.serveBy("hang");
  const asked = fixture.requests().length;
  const { conversationId } = await fixture.write("hola");
  await eventually(() => expect(fixture.requests().length).toBe(asked + 1));
  // The rows of a pause, without its signal.
  const pause =
    "UPDATE conversations SET bot_enabled = FALSE, bot_epoch = bot_epoch + 1 WHERE id = ?";
  await fixture.sql(pause, [conversationId]);
  const cut = "UPDATE agent_turns SET cut_at = NOW(3) WHERE open_conversation_id = ?";
  await fixture.sql(cut, [conversationId]);
  expect(await fixture.settled(conversationId, 1)).toEqual(["paused"]);
  expect(fixture.requests().at(-1)?.closedByClientAt).not.toBeNull();
  expect(await fixture.repliesIn(conversationId)).toEqual([]);
});

test("a message during a step begins again, and one reply answers both", async () => {
  await fixture.serveBy("slow");
  const from = freshPhone();
  const { conversationId } = await fixture.write("hola", from);
  await eventually(() => {
    expect(fixture.requests().some(({ model }) => model === "slow")).toBe(true);
  });
  await fixture.write("una cosa más", from);
  expect(await fixture.settled(conversationId, 2)).toEqual(["superseded", "replied"]);
  expect(await fixture.repliesIn(conversationId)).toHaveLength(1);
});

test("a provider that refuses the key is left out, and the next one serves", async () => {
  await fixture.serveBy("401", "echo");
  const { conversationId } = await fixture.write("hola");
  expect(await fixture.settled(conversationId, 1)).toEqual(["replied"]);
  const failing = await fixture.sql<{ model: string }>(
    "SELECT model FROM agent_providers WHERE failing_until > UTC_TIMESTAMP()",
  );
  expect(failing).toEqual([{ model: "401" }]);
});

test("where every provider fails, the built-in agent answers", async () => {
  await fixture.serveBy("html");
  const { conversationId } = await fixture.write("hola");
  expect(await fixture.settled(conversationId, 1)).toEqual(["replied"]);
  expect(await engineOf(conversationId)).toBe("basic");
  expect(fixture.requests().filter(({ model }) => model === "html")).toHaveLength(3);
});

test("a claim without a deed never reaches the customer", async () => {
  await fixture.serveBy("false-claim");
  const { conversationId } = await fixture.write("hola");
  expect(await fixture.settled(conversationId, 1)).toEqual(["handed_off"]);
  expect((await fixture.repliesIn(conversationId)).join()).not.toContain("ya agendé");
  const guards = await fixture.sql<{ guard: string }>(
    `SELECT s.guard FROM agent_steps s JOIN agent_turns t ON t.id = s.turn_id
      WHERE t.conversation_id = ? ORDER BY s.seq`,
    [conversationId],
  );
  expect(guards.map(({ guard }) => guard)).toEqual(["claim", "claim"]);
});

test("the same call for ever ends with a person", async () => {
  await fixture.serveBy("same-call");
  const { conversationId } = await fixture.write("hola");
  expect(await fixture.settled(conversationId, 1)).toEqual(["handed_off"]);
});

test("no key, text or prompt reaches Temporal's history", async () => {
  await fixture.serveBy("echo");
  const { conversationId } = await fixture.write("canario-9241");
  await fixture.settled(conversationId, 1);
  const history = await fixture.client.workflow.getHandle(`agent-${conversationId}`).fetchHistory();
  const written = payloadsOf(history);
  expect(written).toContain("conversationId");
  expect(written).not.toContain("canario-9241");
  expect(written).not.toContain("key-of-a-test-provider");
});

test("metrics count outcomes, times, tokens and refused replies, without a name of an account", async () => {
  await fixture.serveBy("echo");
  const replied = await fixture.write("hola desde la prueba");
  await fixture.settled(replied.conversationId, 1);
  await fixture.serveBy("invented-price");
  const refused = await fixture.write("¿cuánto cuesta?");
  expect(await fixture.settled(refused.conversationId, 1)).toEqual(["handed_off"]);
  await fixture.serveBy("hang");
  const { conversationId } = await fixture.write("hola otra vez");
  await eventually(() => expect(fixture.requests().at(-1)?.model).toBe("hang"));
  await fixture.pause(conversationId);
  await fixture.settled(conversationId, 1);
  const lines = (await fixture.metrics())
    .split("\n")
    .filter((line) => line.startsWith("parley_agent_"));
  const sumOf = (start: string) =>
    lines
      .filter((line) => line.startsWith(start))
      .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  for (const start of [
    'parley_agent_turns_total{outcome="replied"}',
    'parley_agent_turns_total{outcome="handed_off"}',
    'parley_agent_turns_total{outcome="paused"}',
    'parley_agent_step_seconds_count{engine="openai_compatible"}',
    "parley_agent_cut_seconds_count",
    'parley_agent_tokens_total{engine="openai_compatible",kind="input"}',
    'parley_agent_replies_refused_total{guard="grounding"}',
  ]) {
    expect([start, sumOf(start) > 0]).toEqual([start, true]);
  }
  const labels = lines.flatMap((line) => [...line.matchAll(/(\w+)="([^"]*)"/g)]);
  const names = new Set(labels.map(([, name]) => name));
  expect(names).toEqual(new Set(["engine", "guard", "kind", "le", "outcome"]));
  // Labels are codes of a closed list. The name of a model is the account's own.
  expect(labels.filter(([, , value = ""]) => /echo|hang|invented|@|\d{6}/.test(value))).toEqual([]);
});
