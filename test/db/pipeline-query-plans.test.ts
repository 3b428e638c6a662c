import { expect, test } from "vitest";
import { listCards } from "../../core/services/read-models/board.ts";
import { readTotals } from "../../core/services/read-models/board-totals.ts";
import { findNewestStage } from "../../core/services/pipelines/contact-stages.ts";
import {
  deletePipeline,
  listPipelines,
  presentPipelines,
} from "../../core/services/pipelines/pipelines.ts";
import { enterDefaultPipeline, moveContact } from "../../core/services/pipelines/stage-moves.ts";
import { chooseCardPlace } from "../../core/services/pipelines/stage-places.ts";
import { Conversation } from "../../db/entities/conversation.ts";
import type { Tx } from "../../db/transaction.ts";
import { usePlans } from "../support/query-plans.ts";

/** Of account 2, as every look is; half of all cards are in it. */
const longStage = 41;

const { plansOf, indexesOf } = usePlans(async (dataSource) => {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)`;
  const fill = async (table: string, columns: string, select: string) =>
    await dataSource.query(`INSERT INTO ${table} (${columns}) ${numbers} SELECT ${select} FROM n`);
  const account = "1 + i % 4";
  await dataSource.query("SET SESSION cte_max_recursion_depth = 1000000");
  await fill("pipelines", "account_id, name, is_default", `${account}, i, i < 5`);
  await fill(
    "pipeline_stages",
    "account_id, pipeline_id, name, position",
    `${account}, IF(i % 40, i % 40, 40), i, i`,
  );
  await fill(
    "contact_stages",
    "account_id, contact_id, pipeline_id, stage_id, conversation_id, place, moved_at",
    `${account}, i, 1 + i % 40, IF(i % 2, ${longStage}, 1 + i % 60), i, i * 7 % 3001, NOW()`,
  );
  await fill(
    "conversations",
    "account_id, contact_id, channel_account_id, channel, status, bot_enabled, sort_at",
    `${account}, 3000 + i, 1, 'whatsapp', 'active', 1, NOW()`,
  );
  await fill("contacts", "id, account_id, source", `3000 + i, ${account}, 'api'`);
  await fill("accounts", "name, time_zone, locale, settings", "'Sonrisa', 'UTC', 'en', '{}'");
  await dataSource.query("ANALYZE TABLE pipelines, pipeline_stages, contact_stages, conversations");
});

test("a conversation's stage is found by its contact, and by ids from there", async () => {
  const steps = await plansOf((tx) => findNewestStage(tx, 5));
  expect(Object.fromEntries(steps.map(({ table, key }) => [table, key]))).toEqual({
    c: "contact_stages_contact",
    s: "PRIMARY",
    p: "PRIMARY",
  });
});

test.each([undefined, { place: 1_500, id: 3_000 }])(
  "a column of the board is read in the order of its index, after %j",
  async (cursor) => {
    const list = (tx: Tx) => listCards(tx, longStage, { limit: 50, cursor, outcome: "open" });
    expect(await indexesOf(list, "s")).toEqual(new Set(["contact_stages_board"]));
    expect(await indexesOf(list, "ContactStage")).toEqual(new Set(["PRIMARY"]));
  },
);

test("a place in a column is found in the order of its index, and who is beside it by the contact", async () => {
  const near = { contactId: 43, side: "below" } as const;
  for (const one of [null, near]) {
    const find = (tx: Tx) => chooseCardPlace(tx, longStage, 2, one);
    const indexes = await indexesOf(find, "contact_stages");
    expect([...indexes].filter((key) => key !== "contact_stages_contact")).toEqual([
      "contact_stages_board",
    ]);
  }
});

test("cards are counted by the index of the board alone", async () => {
  const steps = await plansOf(async (tx) => {
    const { rows } = await listPipelines(tx, { limit: 50, offset: 0 });
    await presentPipelines(tx, rows);
  });
  const counting = steps.filter(({ table }) => table === "contact_stages");
  expect(counting).toMatchObject([{ key: "contact_stages_board" }]);
  expect(counting[0]?.Extra).toMatch(/Using index/);
});

test.each([
  [{ assigned_to: "nobody", channel: "web" }, { c: "PRIMARY" }],
  [{ tag: "vip" }, { t: "PRIMARY" }],
  [{ search: "ana" }, { k: "PRIMARY" }],
  [{ appointment: false }, { a: "appointments_contact" }],
] as const)(
  "a column for the filter %j is read in the order of its index too",
  async (filter, also) => {
    const page = { limit: 50, outcome: "open", ...filter } as const;
    const steps = await plansOf((tx) => listCards(tx, longStage, page));
    const read = steps.filter(({ table }) => table === "s");
    expect(read).toMatchObject([{ key: "contact_stages_board" }]);
    expect(read[0]?.Extra ?? "").not.toMatch(/filesort|temporary/);
    const keys = Object.fromEntries(steps.map(({ table, key }) => [table, key]));
    expect(keys).toMatchObject(also);
  },
);

test("totals of a board and of the month are read from their indexes alone", async () => {
  const steps = await plansOf((tx) => readTotals(tx, 1, { outcome: "open" }));
  const reads = steps.filter(({ table }) => table === "s" || table === "contact_stages");
  expect(reads.map(({ key }) => key)).toEqual(["contact_stages_sums", "contact_stages_won"]);
  for (const { Extra } of reads) expect(Extra).toMatch(/Using index/);
});

test("the first stage of the default pipeline is found in its account alone", async () => {
  const steps = await plansOf(async (tx) => {
    const row = await tx.manager.findOneByOrFail(Conversation, { id: 1, accountId: 2 });
    await enterDefaultPipeline(tx, row);
  });
  expect(steps.filter(({ type }) => type === "ALL" || type === "index")).toEqual([]);
});

test("the newest conversation of a contact that is moved is found by the contact", async () => {
  const move = (tx: Tx) => moveContact(tx, 3_005, { stage_id: longStage });
  expect(await indexesOf(move, "Conversation")).toEqual(
    new Set(["conversations_contact", "PRIMARY"]),
  );
});

test("the cards of a pipeline that goes are found by its stages", async () => {
  const steps = await plansOf((tx) => deletePipeline(tx, 1));
  const cards = steps.filter(({ table }) => table === "contact_stages");
  expect(cards.map(({ key }) => key)).toEqual(["contact_stages_board"]);
});
