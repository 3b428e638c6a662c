import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { updateKnowledgeItem } from "../../../../core/services/agent/knowledge.ts";
import { addKnowledgeFile } from "../../../../core/services/agent/knowledge-sources.ts";
import type { KnowledgeItemPatchBody } from "../../../../core/model/knowledge.ts";
import { transaction, type Tx } from "../../../../db/transaction.ts";
import { useFixture } from "../../../support/use-fixture.ts";
import { startTurnFixture } from "./turn-fixture.ts";

const fixture = useFixture(startTurnFixture);
const question = "¿A qué hora abren?";
let files = 0;

/** A file with one question, which a person may upload again with another answer. */
function newFile() {
  const file = { name: `horario-${(files += 1)}.txt`, language: "es" } as const;
  return async (answer: string): Promise<number> =>
    (await asAdmin((tx) => addKnowledgeFile(tx, file, [{ question, answer }]))).id;
}

async function asAdmin<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  const { accountId, userId } = fixture.account;
  const actor = { type: "user", accountId, userId, role: "admin" } as const;
  return await transaction(fixture.database.dataSource, { actor }, work);
}

const change = async (id: number | undefined, patch: KnowledgeItemPatchBody) =>
  await asAdmin((tx) => updateKnowledgeItem(tx, id ?? 0, patch));
const itemsOf = async (sourceId: number) =>
  await fixture.sql<{ id: number; state: string; answer: string; replaces_item_id: number }>(
    `SELECT id, state, answer, replaces_item_id FROM knowledge_items
      WHERE source_id = ? ORDER BY id`,
    [sourceId],
  );

test("a source that changes while a person approves its suggestion changes no approved text", async () => {
  const upload = newFile();
  const sourceId = await upload("A las nueve.");
  const [suggested] = await itemsOf(sourceId);
  let isDecided = (): void => undefined;
  const decided = new Promise<void>((resolve) => {
    isDecided = resolve;
  });
  const approval = asAdmin(async (tx) => {
    await updateKnowledgeItem(tx, suggested?.id ?? 0, { state: "approved" });
    isDecided();
    // The upload begins before the approval is committed.
    await sleep(300);
  });
  await decided;
  await Promise.all([approval, upload("A las diez.")]);
  expect(await itemsOf(sourceId)).toMatchObject([
    { id: suggested?.id, state: "approved", answer: "A las nueve." },
    { state: "suggested", answer: "A las diez.", replaces_item_id: suggested?.id },
  ]);
});

test("two suggestions for one question, both approved, leave one answer", async () => {
  const upload = newFile();
  const sourceId = await upload("A las nueve.");
  const [first] = await itemsOf(sourceId);
  // A text that a person has edited stays beside the next one of the source.
  await change(first?.id, { answer: "A las nueve en punto." });
  await upload("A las diez.");
  const [, second] = await itemsOf(sourceId);
  await change(first?.id, { state: "approved" });
  expect((await itemsOf(sourceId))[1]).toMatchObject({ replaces_item_id: first?.id });
  await change(second?.id, { state: "approved" });
  expect(await itemsOf(sourceId)).toMatchObject([
    { state: "archived", answer: "A las nueve en punto." },
    { state: "approved", answer: "A las diez." },
  ]);
});

test("both suggestions approved at once leave one answer too", async () => {
  for (let round = 0; round < 5; round += 1) {
    const upload = newFile();
    const sourceId = await upload("A las nueve.");
    const [first] = await itemsOf(sourceId);
    await change(first?.id, { answer: "A las nueve en punto." });
    await upload("A las diez.");
    const both = await itemsOf(sourceId);
    await Promise.all(both.map(async ({ id }) => await change(id, { state: "approved" })));
    const states = (await itemsOf(sourceId)).map(({ state }) => state).toSorted();
    expect(states).toEqual(["approved", "archived"]);
  }
});
