import { expect, test } from "vitest";
import { findOpenDraft, sendDraft } from "../../core/services/agent/drafts.ts";
import { cancelDraft, requestDraft } from "../../core/services/agent/suggestions.ts";
import { setBot } from "../../core/services/conversations/conversations.ts";
import type { ModelPort } from "../../core/agent/step.ts";
import type { AgentDraftView } from "../../core/model/views/agent-draft.ts";
import { transaction, type Tx } from "../../db/transaction.ts";
import { customerWrote, paused } from "../../workflows/agent-turn.ts";
import { freshPhone } from "../support/contact-load.ts";
import { eventually } from "../support/eventually.ts";
import { useFixture } from "../support/use-fixture.ts";
import { setUpAgent, startAgentFixture } from "./agent-fixture.ts";

/** A model that never answers, and ends with its signal. */
const hanging: ModelPort = {
  step: async (_request, signal) =>
    await new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    }),
};

const fixture = useFixture(async () => await startAgentFixture(() => hanging));

const setMode = async (mode: "auto" | "draft") =>
  await setUpAgent(fixture.database, fixture.account.accountId, { modes: { whatsapp: mode } });
const asPerson = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
  const { accountId, userId } = fixture.account;
  const actor = { type: "user", accountId, userId, role: "agent" } as const;
  return await transaction(fixture.database.dataSource, { actor }, work);
};
const openDraft = async (id: number): Promise<AgentDraftView> =>
  await eventually(async () => {
    const draft = await asPerson((tx) => findOpenDraft(tx, { id }));
    if (draft === null) throw new Error("no draft");
    return draft;
  });
const addProvider = async (): Promise<void> => {
  await fixture.sql(
    `INSERT INTO agent_providers (account_id, kind, model, sealed, key_id)
     VALUES (?, 'openai', 'm', '', 'k')`,
    [fixture.account.accountId],
  );
};
const modelIsAt = async (conversationId: number): Promise<void> =>
  await eventually(async () => {
    const rows = await fixture.sql(
      `SELECT 1 FROM agent_steps s JOIN agent_turns t ON t.id = s.turn_id
        WHERE t.conversation_id = ? AND s.state = 'running'`,
      [conversationId],
    );
    expect(rows).toHaveLength(1);
  });

test("in mode draft a customer's message becomes a draft, and the run says so", async () => {
  await setMode("draft");
  const from = freshPhone();
  const { conversationId } = await fixture.write("hola", from);
  expect(await fixture.settled(conversationId, 1)).toEqual(["drafted"]);
  expect(await fixture.repliesIn(conversationId)).toEqual([]);
  const run = fixture.client.workflow.getHandle(`agent-${conversationId}`);
  expect(await run.result()).toEqual({ turns: 1, outcome: "drafted" });
  const first = await openDraft(conversationId);
  await asPerson((tx) => sendDraft(tx, first.id, { text: first.text, proposal_ids: [] }));
  await fixture.write("gracias", from);
  expect(await fixture.settled(conversationId, 2)).toEqual(["drafted", "drafted"]);
  expect((await openDraft(conversationId)).id).not.toBe(first.id);
  expect(await fixture.repliesIn(conversationId)).toEqual([]);
});

test("in mode draft a request for a person writes nothing and pauses nothing", async () => {
  await setMode("draft");
  const { conversationId } = await fixture.write("quiero hablar con una persona");
  expect(await fixture.settled(conversationId, 1)).toEqual(["silent"]);
  const [row] = await fixture.sql("SELECT status, bot_enabled FROM conversations WHERE id = ?", [
    conversationId,
  ]);
  expect(row).toEqual({ status: "active", bot_enabled: 1 });
  expect(await fixture.repliesIn(conversationId)).toEqual([]);
});

test("a suggestion in a paused conversation comes as a draft", async () => {
  await setMode("auto");
  const { conversationId } = await fixture.write("hola");
  await fixture.settled(conversationId, 1);
  await asPerson((tx) => setBot(tx, conversationId, { enabled: false }));
  const said = await fixture.repliesIn(conversationId);
  await asPerson((tx) => requestDraft(tx, conversationId));
  expect(await openDraft(conversationId)).toMatchObject({ source: "requested" });
  expect(await fixture.repliesIn(conversationId)).toEqual(said);
});

/** Asks for a draft in a conversation that people have, and waits until the model is at it. */
const suggestToPeople = async (): Promise<number> => {
  await setMode("auto");
  const { conversationId } = await fixture.write("hola");
  await fixture.settled(conversationId, 1);
  await asPerson((tx) => setBot(tx, conversationId, { enabled: false }));
  await addProvider();
  await asPerson((tx) => requestDraft(tx, conversationId));
  await modelIsAt(conversationId);
  // The built-in agent makes the next try.
  await fixture.sql("DELETE FROM agent_providers");
  return conversationId;
};

test.each([paused, customerWrote])("a late signal loses no suggestion: $name", async (signal) => {
  const conversationId = await suggestToPeople();
  const run = fixture.client.workflow.getHandle(`agent-${conversationId}`);
  await run.signal(signal);
  expect(await run.result()).toMatchObject({ outcome: "drafted" });
  expect(await openDraft(conversationId)).toMatchObject({ source: "requested" });
  expect(await fixture.turnsOf(conversationId)).toEqual(["replied", "drafted"]);
});

test("a suggestion whose run is lost comes once it is asked for again", async () => {
  const conversationId = await suggestToPeople();
  await fixture.client.workflow.getHandle(`agent-${conversationId}`).terminate();
  await fixture.sql("UPDATE agent_turns SET created_at = created_at - INTERVAL 2 MINUTE");
  await asPerson((tx) => requestDraft(tx, conversationId));
  expect(await openDraft(conversationId)).toMatchObject({ source: "requested" });
  expect(await fixture.turnsOf(conversationId)).toEqual(["replied", "drafted"]);
});

test("a pause and a cancellation cut a suggestion while the model is at it", async () => {
  await setMode("draft");
  const cuts = [
    async (id: number) => void (await asPerson((tx) => setBot(tx, id, { enabled: false }))),
    async (id: number) => await asPerson((tx) => cancelDraft(tx, id)),
  ];
  for (const cut of cuts) {
    const { conversationId } = await fixture.write("hola");
    await fixture.settled(conversationId, 1);
    await addProvider();
    await asPerson((tx) => requestDraft(tx, conversationId));
    await modelIsAt(conversationId);
    await cut(conversationId);
    const run = fixture.client.workflow.getHandle(`agent-${conversationId}`);
    expect(await run.result()).toMatchObject({ outcome: "paused" });
    expect(await fixture.turnsOf(conversationId)).toEqual(["drafted", "paused"]);
    await fixture.sql("DELETE FROM agent_providers");
  }
});
