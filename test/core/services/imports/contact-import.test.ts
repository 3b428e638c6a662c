import { beforeEach, expect, test } from "vitest";
import { eraseContact } from "../../../../core/services/contact-lifecycle/contact-erasure.ts";
import { mergeContacts } from "../../../../core/services/contact-lifecycle/contact-merge.ts";
import { addContactTag } from "../../../../core/services/contacts/contact-tags.ts";
import { upsertContact } from "../../../../core/services/contacts/contact-upserts.ts";
import { updateContact } from "../../../../core/services/contacts/contacts.ts";
import { contactImport } from "../../../../core/services/imports/contact-import.ts";
import { createPipeline } from "../../../../core/services/pipelines/pipelines.ts";
import { asSystem, createTestAccount, type TestAccount } from "../../../support/accounts.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import {
  asImport,
  commitRows,
  createContactImport,
  planRows,
  rowsOf,
  undoRows,
} from "../../../support/contact-imports.ts";
import { addNewerConversation, receive, tracesOf } from "../../../support/conversations.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let account: TestAccount;

beforeEach(async () => {
  account = await createTestAccount(database.dataSource);
});

const create = async (options: Parameters<typeof createContactImport>[2] = {}) =>
  await createContactImport(database.dataSource, account.accountId, options);

/** Plans and commits rows. */
async function importRows(
  rows: string[][],
  options: Parameters<typeof createContactImport>[2] = {},
) {
  const job = await create(options);
  const planned = await planRows(database.dataSource, job, rows);
  return { job, planned, done: await commitRows(database.dataSource, job) };
}

const contacts = async () =>
  await database.dataSource.query<
    {
      id: number;
      name: string | null;
      phone: string | null;
      email: string | null;
      version: number;
    }[]
  >("SELECT id, name, phone, email, version FROM contacts WHERE account_id = ? ORDER BY id", [
    account.accountId,
  ]);

const tagsOf = async (contactId: number) =>
  (
    await database.dataSource.query<{ tag: string }[]>(
      "SELECT tag FROM contact_tags WHERE contact_id = ? ORDER BY created_at, tag",
      [contactId],
    )
  ).map(({ tag }) => tag);

const upsert = async (body: Parameters<typeof upsertContact>[1]) =>
  await asSystem(database.dataSource, account.accountId, (tx) => upsertContact(tx, body));

test.each([
  [true, "Name 5000", "Name 1"],
  [false, "Name 1", "Name 5000"],
])(
  "one email in all rows of a file does not have each batch read the file (overwrite %s)",
  async (overwrite, kept, other) => {
    const { dataSource } = database;
    const job = await create({ overwrite });
    await dataSource.query(
      `INSERT INTO import_rows (import_id, number, account_id, raw, plan, email)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
       SELECT /*+ SET_VAR(cte_max_recursion_depth = 10000) */ ?, i, ?,
              JSON_ARRAY(CONCAT('Name ', i), '', 'info@example.com'), 'update', 'info@example.com'
         FROM n`,
      [job.id, account.accountId],
    );
    const records = [kept, other].map((name, at) => ({
      number: 5_001 + at,
      raw: [name, "", "info@example.com"],
    }));
    const { plans, read } = await asImport(dataSource, account.accountId, async (tx) => {
      const countRead = async () => {
        const rows = await tx.manager.query<{ Value: string }[]>(
          "SHOW SESSION STATUS WHERE Variable_name IN ('Handler_read_next', 'Handler_read_prev')",
        );
        return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
      };
      const before = await countRead();
      const planned = await contactImport.planBatch(tx, job, records);
      return { plans: planned.map(({ plan }) => plan), read: (await countRead()) - before };
    });
    expect(plans).toEqual(["unchanged", overwrite ? "update" : "unchanged"]);
    expect(read).toBeLessThan(1_000);
  },
);

test("rows of one file meet: the later row updates the contact of the earlier one", async () => {
  const { planned, done } = await importRows([
    ["Ana", "+34650000001", "", "x"],
    ["Ana B", "0034 650 000 001", "ana@example.com", "y"],
    ["", "", "ana@example.com", "X"],
    ["Bea", "34650000002", "bea@example.com", ""],
    ["", "34650000001", "bea@example.com", ""],
  ]);
  expect(planned.map(({ plan, firstRow, fields }) => [plan, firstRow, fields])).toEqual([
    ["create", null, null],
    ["update", 1, ["name", "email", "tags"]],
    ["unchanged", 1, null],
    ["create", null, null],
    ["conflict", null, null],
  ]);
  expect(done.map(({ state, reason }) => [state, reason])).toEqual([
    ["created", null],
    ["updated", null],
    ["unchanged", null],
    ["created", null],
    ["conflict", "contact_conflict"],
  ]);
  const found = await contacts();
  expect(found).toMatchObject([
    { name: "Ana B", phone: "34650000001", email: "ana@example.com", version: 2 },
    { name: "Bea", phone: "34650000002", email: "bea@example.com", version: 1 },
  ]);
  expect(await tagsOf(found[0]?.id ?? 0)).toEqual(["x", "y"]);
});

test("rows of different batches meet in the plan and in the commit", async () => {
  const job = await create();
  const rows = [
    ["Ana", "+34650000001", "", ""],
    ["", "34650000001", "ana@example.com", ""],
    ["Ana C", "", "ana@example.com", ""],
    ["Ana C", "", "ana@example.com", ""],
  ];
  const planned = await planRows(database.dataSource, job, rows, 1);
  expect(planned.map(({ plan, firstRow }) => [plan, firstRow])).toEqual([
    ["create", null],
    ["update", 1],
    ["update", 1],
    ["unchanged", 1],
  ]);
  const done = await commitRows(database.dataSource, job, 1);
  expect(done.map(({ state }) => state)).toEqual(["created", "updated", "updated", "unchanged"]);
  expect(new Set(done.map(({ contactId }) => contactId)).size).toBe(1);
});

test("an import fires no event and makes no delivery", async () => {
  await upsert({ phone: "34650000001", name: "Ana" });
  const traces = await tracesOf(database.dataSource, account.accountId, async () =>
    importRows([
      ["Ana B", "34650000001"],
      ["Bea", "34650000002"],
      ["Cris", "34650000003"],
    ]),
  );
  expect([traces.events, traces.commands]).toEqual([[], []]);
});

test("without overwrite a row fills empty values only", async () => {
  const { record } = await upsert({ phone: "34650000001", name: "Ana" });
  const { planned } = await importRows([["Other", "34650000001", "ana@example.com"]], {
    overwrite: false,
  });
  expect(planned[0]?.fields).toEqual(["email"]);
  expect(await contacts()).toMatchObject([
    { id: record.row.id, name: "Ana", email: "ana@example.com" },
  ]);
});

test("contacts of another account are not met", async () => {
  const other = await createTestAccount(database.dataSource);
  await asSystem(database.dataSource, other.accountId, (tx) =>
    upsertContact(tx, { phone: "34650000001", name: "Theirs" }),
  );
  const { done } = await importRows([["Ours", "34650000001"]]);
  expect(done.map(({ state }) => state)).toEqual(["created"]);
});

test("a contact that appears after the plan is updated", async () => {
  const job = await create();
  await planRows(database.dataSource, job, [["Ana B", "34650000001"]]);
  await upsert({ phone: "34650000001", name: "Ana" });
  const [row] = await commitRows(database.dataSource, job);
  expect([row?.plan, row?.state]).toEqual(["create", "updated"]);
});

test("a contact with more tags than allowed is skipped", async () => {
  const tags = Array.from({ length: 100 }, (_, index) => `t${index}`);
  await upsert({ phone: "34650000001", tags });
  const { planned } = await importRows([
    ["", "34650000001", "", "one more"],
    ["", "34650000001", "", "T5"],
  ]);
  expect(planned.map(({ plan, reason }) => [plan, reason])).toEqual([
    ["skip", "too_many_tags"],
    ["unchanged", null],
  ]);
});

test("a second import of the same file changes nothing", async () => {
  const pipeline = await asSystem(database.dataSource, account.accountId, (tx) =>
    createPipeline(tx, { name: "Sales", stages: ["New", "Won"], default: false }),
  );
  const phone = freshPhone();
  await receive(database.dataSource, account.accountId, { from: phone });
  const rows = [
    ["Ana", "34650000001", "ana@example.com", "a;b", "won", "First note"],
    ["Bea", phone, "", "", "New", "Second note"],
  ];
  await importRows(rows, { pipeline_id: pipeline.id });
  const { planned, done } = await importRows(rows, { pipeline_id: pipeline.id });
  expect(planned.map(({ plan, fields }) => [plan, fields])).toEqual([
    ["unchanged", null],
    ["unchanged", null],
  ]);
  expect(done.map(({ state }) => state)).toEqual(["unchanged", "unchanged"]);
});

test("a second import writes no note again once the contact has a newer conversation", async () => {
  const phone = freshPhone();
  const { row } = await receive(database.dataSource, account.accountId, { from: phone });
  const rows = [["Ana", phone, "", "", "", "First note"]];
  await importRows(rows);
  const ids = { accountId: account.accountId, contactId: row.contactId };
  await addNewerConversation(database.dataSource, ids);
  const { done } = await importRows(rows);
  expect(done.map(({ state }) => state)).toEqual(["unchanged"]);
  expect(await notesOf()).toEqual(["First note"]);
});

test("an unknown stage is refused", async () => {
  const { planned } = await importRows([["Ana", "34650000001", "", "", "Nowhere", ""]]);
  expect(planned).toMatchObject([{ plan: "skip", reason: "unknown_stage" }]);
});

const cardsOf = async () =>
  await database.dataSource.query<{ contact_id: number; name: string }[]>(
    `SELECT c.contact_id, s.name FROM contact_stages c JOIN pipeline_stages s ON s.id = c.stage_id
      WHERE c.account_id = ? ORDER BY c.contact_id`,
    [account.accountId],
  );

const notesOf = async () =>
  (
    await database.dataSource.query<{ text: string }[]>(
      "SELECT text FROM conversation_notes WHERE account_id = ? AND kind = 'note' ORDER BY id",
      [account.accountId],
    )
  ).map(({ text }) => text);

test("a stage and a note wait for the first conversation, and fire nothing there", async () => {
  await asSystem(database.dataSource, account.accountId, (tx) =>
    createPipeline(tx, { name: "Sales", stages: ["New", "Won"], default: true }),
  );
  const phone = freshPhone();
  await importRows([["Ana", phone, "", "", "Won", "Knows us"]]);
  expect([await cardsOf(), await notesOf()]).toEqual([[], []]);
  const { events } = await tracesOf(database.dataSource, account.accountId, () =>
    receive(database.dataSource, account.accountId, { from: phone }),
  );
  expect(await cardsOf()).toMatchObject([{ name: "Won" }]);
  expect(await notesOf()).toEqual(["Knows us"]);
  expect(events.map(({ type }) => type)).not.toContain("conversation.stage_changed");
});

test("a merge into a contact with a conversation brings the waiting note and stage there", async () => {
  await asSystem(database.dataSource, account.accountId, (tx) =>
    createPipeline(tx, { name: "Sales", stages: ["New", "Won"], default: false }),
  );
  const phone = freshPhone();
  const { row } = await receive(database.dataSource, account.accountId, { from: phone });
  const { done } = await importRows([["Ana", "34650000001", "", "", "Won", "Knows us"]]);
  await asSystem(database.dataSource, account.accountId, (tx) =>
    mergeContacts(tx, done[0]?.contactId ?? 0, row.contactId),
  );
  expect(await cardsOf()).toEqual([{ contact_id: row.contactId, name: "Won" }]);
  expect(await notesOf()).toEqual(["Knows us"]);
});

test("an erasure deletes the waiting note and stage", async () => {
  const { done } = await importRows([["Ana", "34650000001", "", "", "", "Knows us"]]);
  await asSystem(database.dataSource, account.accountId, (tx) =>
    eraseContact(tx, done[0]?.contactId ?? 0),
  );
  const left = await database.dataSource.query(
    "SELECT 1 FROM contact_placements WHERE account_id = ?",
    [account.accountId],
  );
  expect(left).toEqual([]);
});

test("a contact with a conversation gets its stage and note at once", async () => {
  await asSystem(database.dataSource, account.accountId, (tx) =>
    createPipeline(tx, { name: "Sales", stages: ["New", "Won"], default: true }),
  );
  const phone = freshPhone();
  await receive(database.dataSource, account.accountId, { from: phone });
  expect(await cardsOf()).toMatchObject([{ name: "New" }]);
  const { job } = await importRows([["Ana", phone, "", "", "WON", "Knows us"]]);
  expect(await cardsOf()).toMatchObject([{ name: "Won" }]);
  expect(await notesOf()).toEqual(["Knows us"]);
  const undone = await undoRows(database.dataSource, job);
  expect(undone.map(({ state }) => state)).toEqual(["undone"]);
  expect(await cardsOf()).toMatchObject([{ name: "New" }]);
  expect(await notesOf()).toEqual([]);
});

test.each([1, 100])(
  "an undo gives back all that nobody has touched, %i rows at once",
  async (batchSize) => {
    const { record } = await upsert({
      phone: "34650000001",
      name: "Ana",
      email: "ana@example.com",
      tags: ["old"],
    });
    const rows = [
      ["Ana B", "34650000001", "new@example.com", "old;added", "", "A note"],
      ["Bea", "34650000002", "bea@example.com", "x", "", "Another"],
      ["Bea B", "34650000002", "", "y", "", "A note of its own"],
    ];
    const { job } = await importRows(rows);
    const undone = await undoRows(database.dataSource, job, batchSize);
    expect(undone.map(({ state, reason }) => [state, reason])).toEqual([
      ["undone", null],
      ["undone", null],
      ["undone", null],
    ]);
    expect(await contacts()).toMatchObject([
      { id: record.row.id, name: "Ana", phone: "34650000001", email: "ana@example.com" },
    ]);
    expect(await tagsOf(record.row.id)).toEqual(["old"]);
    const left = await database.dataSource.query(
      "SELECT 1 FROM contact_placements WHERE account_id = ?",
      [account.accountId],
    );
    expect(left).toEqual([]);
  },
);

test("an undo keeps what people have changed since, and says why", async () => {
  const known = await upsert({ phone: "34650000009", name: "Zoe" });
  const talks = freshPhone();
  const { job, done } = await importRows([
    ["Ana", "34650000001", "", "tag"],
    ["Bea", talks, "", ""],
    ["Zoe Z", "34650000009", "zoe@example.com", "t"],
    ["Cris", "34650000003", "", ""],
  ]);
  const idOf = (index: number) => done[index]?.contactId ?? 0;
  await asSystem(database.dataSource, account.accountId, async (tx) => {
    await addContactTag(tx, idOf(0), "by hand");
    await updateContact(tx, known.record.row.id, { name: "Zoe by hand" });
  });
  await receive(database.dataSource, account.accountId, { from: talks });
  const undone = await undoRows(database.dataSource, job);
  expect(undone.map(({ state, reason }) => [state, reason])).toEqual([
    ["kept", "changed_since"],
    ["kept", expect.stringMatching(/changed_since|has_conversation/)],
    ["kept", "changed_since"],
    ["undone", null],
  ]);
  expect(await contacts()).toMatchObject([
    { name: "Zoe by hand", phone: "34650000009", email: null },
    { name: "Ana" },
    { name: "Bea" },
  ]);
  expect(await tagsOf(known.record.row.id)).toEqual([]);
});

test("a phone that another contact has taken since stays with it", async () => {
  const known = await upsert({ email: "ana@example.com", phone: "34650000001" });
  const { job } = await importRows([["", "34650000002", "ana@example.com"]]);
  const taker = await upsert({ phone: "34650000001", name: "Taker" });
  const undone = await undoRows(database.dataSource, job);
  expect(undone).toMatchObject([{ state: "kept", reason: "phone_taken" }]);
  expect(await contacts()).toMatchObject([
    { id: known.record.row.id, phone: "34650000002" },
    { id: taker.record.row.id, phone: "34650000001" },
  ]);
});

test("an undo after 100 edits by people loses none", async () => {
  const rows = Array.from({ length: 300 }, (_, index) => [
    `Name ${index}`,
    String(34_611_000_000 + index),
  ]);
  const { job, done } = await importRows(rows);
  const edited = done.filter((_, index) => index % 3 === 0).map(({ contactId }) => contactId ?? 0);
  await asSystem(database.dataSource, account.accountId, async (tx) => {
    for (const id of edited) await updateContact(tx, id, { name: `Edited ${id}` });
  });
  const undone = await undoRows(database.dataSource, job, 70);
  expect(undone.filter(({ state }) => state === "kept")).toHaveLength(100);
  const left = await contacts();
  expect(left.map(({ id }) => id)).toEqual(edited);
  expect(left.every(({ id, name }) => name === `Edited ${id}`)).toBe(true);
});

test("a row whose person was erased is skipped", async () => {
  const job = await create();
  await planRows(database.dataSource, job, [["Ana", "34650000001"]]);
  await database.dataSource.query("UPDATE import_rows SET raw = NULL WHERE import_id = ?", [
    job.id,
  ]);
  await commitRows(database.dataSource, job);
  expect(await rowsOf(database.dataSource, job)).toMatchObject([
    { state: "skipped", reason: "person_erased" },
  ]);
});
