import { expect, test } from "vitest";
import { changeCard } from "../../../../core/services/pipelines/card-changes.ts";
import { deleteStage } from "../../../../core/services/pipelines/pipeline-stages.ts";
import { createPipeline } from "../../../../core/services/pipelines/pipelines.ts";
import { ContactStage, PipelineStage } from "../../../../db/entities/pipeline.ts";
import { asSystem, createTestAccount } from "../../../support/accounts.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import {
  commitRows,
  createContactImport,
  planRows,
  undoRows,
} from "../../../support/contact-imports.ts";
import { receive } from "../../../support/conversations.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);

test("a card whose former stage was deleted since keeps its stage", async () => {
  const { dataSource } = database;
  const { accountId } = await createTestAccount(dataSource);
  await asSystem(dataSource, accountId, (tx) =>
    createPipeline(tx, { name: "Sales", stages: ["New", "Talks", "Won"], default: true }),
  );
  const stageOf = async (name: string) =>
    await dataSource.manager.findOneByOrFail(PipelineStage, { accountId, name });
  const won = await stageOf("Won");
  const phone = freshPhone();
  await receive(dataSource, accountId, { from: phone });
  const job = await createContactImport(dataSource, accountId);
  await planRows(dataSource, job, [
    ["Ana", phone, "", "", "Talks", ""],
    ["Ana", phone, "", "", "Won", ""],
  ]);
  await commitRows(dataSource, job);
  const talks = await stageOf("Talks");
  await asSystem(dataSource, accountId, (tx) => deleteStage(tx, talks.id));
  const undone = await undoRows(dataSource, job);
  expect(undone.map(({ state, reason }) => [state, reason])).toEqual([
    ["kept", "changed_since"],
    ["kept", "stage_gone"],
  ]);
  const card = await dataSource.manager.findOneByOrFail(ContactStage, { accountId });
  expect(card).toMatchObject({ stageId: won.id, outcome: "open" });
});

test("a card that the import made stays once a person has entered the value of its deal", async () => {
  const { dataSource } = database;
  const { accountId } = await createTestAccount(dataSource);
  const { id: pipelineId } = await asSystem(dataSource, accountId, (tx) =>
    createPipeline(tx, { name: "Sales", stages: ["New", "Won"], default: false }),
  );
  const phones = [freshPhone(), freshPhone()];
  for (const from of phones) await receive(dataSource, accountId, { from });
  const job = await createContactImport(dataSource, accountId);
  const rows = phones.map((phone) => ["", phone, "", "", "New", ""]);
  await planRows(dataSource, job, rows);
  const done = await commitRows(dataSource, job);
  const contactId = done[0]?.contactId ?? 0;
  const value = { amount: 125_000, currency: "EUR" };
  await asSystem(dataSource, accountId, (tx) => changeCard(tx, pipelineId, contactId, { value }));
  const undone = await undoRows(dataSource, job);
  expect(undone.map(({ state, reason }) => [state, reason])).toEqual([
    ["kept", "changed_since"],
    ["undone", null],
  ]);
  const cards = await dataSource.manager.findBy(ContactStage, { accountId });
  expect(cards).toMatchObject([{ contactId, amount: 125_000, outcome: "open" }]);
});
