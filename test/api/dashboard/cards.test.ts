import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { tracesOf } from "../../support/conversations.ts";
import { createBoard, type Customer } from "./pipeline-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let account: TestAccount;
let board: ReturnType<typeof createBoard>;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
  board = createBoard(fixture, account);
});

const pesos = (amount: number) => ({ amount, currency: "MXN" });

/** A pipeline with customers in its first stage, the first customer at the top. */
async function makeBoard(count: number) {
  const pipeline = await board.pipeline();
  const customers: Customer[] = [];
  for (let index = 0; index < count; index += 1) customers.unshift(await board.customer());
  for (const customer of customers.toReversed()) await board.move(customer, pipeline.ids[0]);
  const change = async ({ contactId }: Customer, body: unknown) =>
    await board.call("PATCH", `/pipelines/${pipeline.id}/cards/${contactId}`, body);
  const read = async (query = "") =>
    (await board.call("GET", `/stages/${pipeline.ids[0]}/cards${query}`)).json.data;
  const idsOf = async (query = ""): Promise<number[]> =>
    (await read(query)).map((card: { contact_id: number }) => card.contact_id);
  const totals = async (query = "") =>
    (await board.call("GET", `/pipelines/${pipeline.id}/totals${query}`)).json.data;
  return { ...pipeline, customers, change, read, idsOf, totals };
}

/** Customers by number; a test names those that it made. */
function picked(customers: Customer[], index: number): Customer {
  const customer = customers[index];
  if (customer === undefined) throw new Error(`no customer ${index}`);
  return customer;
}

test("a value is kept in minor units of its currency, summed by currency, and taken away again", async () => {
  const { ids, customers, change, totals } = await makeBoard(3);
  const [one, two, three] = [0, 1, 2].map((index) => picked(customers, index)) as [
    Customer,
    Customer,
    Customer,
  ];
  const changed = await change(one, { value: pesos(240_000) });
  expect([changed.status, changed.json.data.value]).toEqual([200, pesos(240_000)]);
  await change(two, { value: pesos(69_050) });
  await change(three, { value: { amount: 9_000, currency: "JPY" } });
  expect((await totals()).stages).toEqual([
    { stage_id: ids[0], cards: 3, values: [pesos(309_050), { amount: 9_000, currency: "JPY" }] },
    { stage_id: ids[1], cards: 0, values: [] },
    { stage_id: ids[2], cards: 0, values: [] },
  ]);
  await board.move(two, ids[1]);
  expect((await change(one, { value: null })).json.data.value).toBeNull();
  expect((await totals()).stages).toMatchObject([
    { cards: 2, values: [{ amount: 9_000, currency: "JPY" }] },
    { cards: 1, values: [pesos(69_050)] },
    { cards: 0, values: [] },
  ]);
});

test.each([
  [{ value: { amount: -1, currency: "MXN" } }, "body.value.amount"],
  [{ value: { amount: 12.5, currency: "MXN" } }, "body.value.amount"],
  [{ value: { amount: 100_000_000_000, currency: "MXN" } }, "body.value.amount"],
  [{ value: { amount: "100", currency: "MXN" } }, "body.value.amount"],
  [{ value: { amount: 100, currency: "PESOS" } }, "body.value.currency"],
  [{ value: { amount: 100, currency: "mxn" } }, "body.value.currency"],
  [{ value: { amount: 100 } }, "body.value.currency"],
  [{ outcome: "gone" }, "body.outcome"],
  [{ outcome: "lost" }, "body.lost_reason"],
  [{ outcome: "lost", lost_reason: "   " }, "body.lost_reason"],
  [{ outcome: "lost", lost_reason: "x".repeat(201) }, "body.lost_reason"],
  [{ outcome: "won", lost_reason: "Price" }, "body.lost_reason"],
  [{ outcome: "won", closed_at: "2099-01-05T10:00:00Z" }, "body.closed_at"],
  [{ outcome: "won", closed_at: "yesterday" }, "body.closed_at"],
  [{ outcome: "open", closed_at: "2026-01-05T10:00:00Z" }, "body.closed_at"],
  [{ value: null, closed_at: "2026-01-05T10:00:00Z" }, "body.closed_at"],
])("%j is refused at %s, and nothing changes", async (body, path) => {
  const { customers, change, read } = await makeBoard(1);
  const before = await read();
  const { status, json } = await change(picked(customers, 0), body);
  expect([status, json.error.details.map((one: { path: string }) => one.path)]).toEqual([
    400,
    [path],
  ]);
  expect(await read()).toEqual(before);
});

test("the highest value adds up exactly over a full column", async () => {
  const { id, ids, totals } = await makeBoard(0);
  await fixture.query(
    `INSERT INTO contact_stages (account_id, contact_id, pipeline_id, stage_id, conversation_id,
            place, moved_at, amount, currency)
     SELECT ?, 800000 + a.i * 300 + b.i, ?, ?, 1, 1, NOW(3), 99999999999, 'MXN' FROM
       (WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 299) SELECT i FROM n) a,
       (WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 299) SELECT i FROM n) b`,
    [account.accountId, id, ids[0]],
  );
  const [stage] = (await totals()).stages;
  expect(stage).toEqual({
    stage_id: ids[0],
    cards: 90_000,
    values: [pesos(8_999_999_999_910_000)],
  });
});

test("a won and a lost card leave the board, stand under their outcome, and come back to their place", async () => {
  const { ids, customers, change, idsOf, read, totals } = await makeBoard(4);
  const contacts = customers.map(({ contactId }) => contactId);
  await change(picked(customers, 1), { value: pesos(500) });
  const won = await change(picked(customers, 1), { outcome: "won" });
  expect(won.json.data).toMatchObject({ outcome: "won", lost_reason: null, value: pesos(500) });
  await change(picked(customers, 2), { outcome: "lost", lost_reason: " Too expensive " });
  expect(await idsOf()).toEqual([contacts[0], contacts[3]]);
  expect(await idsOf("?outcome=won")).toEqual([contacts[1]]);
  expect(await read("?outcome=lost")).toMatchObject([
    { contact_id: contacts[2], lost_reason: "Too expensive", closed_at: expect.any(String) },
  ]);
  expect(await totals()).toMatchObject({
    stages: [{ stage_id: ids[0], cards: 2, values: [] }, { cards: 0 }, { cards: 0 }],
    won_this_month: [pesos(500)],
  });
  expect((await totals("?outcome=won")).stages[0]).toMatchObject({
    cards: 1,
    values: [pesos(500)],
  });
  for (const index of [1, 2]) {
    const opened = await change(picked(customers, index), { outcome: "open" });
    expect(opened.json.data).toMatchObject({ outcome: "open", lost_reason: null, closed_at: null });
  }
  expect(await idsOf()).toEqual(contacts);
  expect((await totals()).won_this_month).toEqual([]);
});

test("a win of last month counts no more, by the clock of the account", async () => {
  const { customers, change, totals } = await makeBoard(1);
  await change(picked(customers, 0), { value: pesos(500) });
  await change(picked(customers, 0), { outcome: "won" });
  await fixture.query(
    "UPDATE contact_stages SET closed_at = closed_at - INTERVAL 32 DAY WHERE account_id = ?",
    [account.accountId],
  );
  expect((await totals()).won_this_month).toEqual([]);
});

test("a card that was reopened is closed again at its former time", async () => {
  const { customers, change, totals } = await makeBoard(1);
  const customer = picked(customers, 0);
  await change(customer, { value: pesos(500) });
  const closed_at = "2026-01-05T10:00:00.000Z";
  for (const closing of [{ outcome: "won" }, { outcome: "lost", lost_reason: "Price" }]) {
    await change(customer, { outcome: "open" });
    const closed = await change(customer, { ...closing, closed_at });
    expect([closed.status, closed.json.data]).toMatchObject([200, { ...closing, closed_at }]);
    expect((await totals()).won_this_month).toEqual([]);
  }
});

test("a value and an outcome publish no event and tell the open pages; a move opens a closed card", async () => {
  const { ids, customers, change, idsOf } = await makeBoard(2);
  const customer = picked(customers, 0);
  const trace = async (work: () => Promise<unknown>) =>
    await tracesOf(fixture.database.dataSource, account.accountId, work);
  const quiet = await trace(async () => {
    await change(customer, { value: pesos(100) });
    await change(customer, { outcome: "lost", lost_reason: "Price" });
  });
  expect(quiet.events).toEqual([]);
  const told = await fixture.query<{ kind: string }>(
    "SELECT kind FROM changes WHERE account_id = ? ORDER BY id DESC LIMIT 2",
    [account.accountId],
  );
  expect(told.map(({ kind }) => kind)).toEqual([
    "conversation.stage_changed",
    "conversation.stage_changed",
  ]);
  // In the stage where it stands there is no other stage to tell of.
  const same = await trace(async () => await board.move(customer, ids[0]));
  expect([same.events, await idsOf()]).toEqual([[], customers.map(({ contactId }) => contactId)]);
  await change(customer, { outcome: "won" });
  const moved = await trace(async () => await board.move(customer, ids[1]));
  expect(moved.events.map(({ type }) => type)).toEqual(["conversation.stage_changed"]);
  expect(await board.column(ids[1])).toEqual([customer.contactId]);
});

test("closed cards hold no place between open ones, and a stage that is emptied keeps them closed", async () => {
  const { id, ids, customers, change, idsOf } = await makeBoard(3);
  const [top, middle, bottom] = [0, 1, 2].map((index) => picked(customers, index)) as [
    Customer,
    Customer,
    Customer,
  ];
  await change(middle, { outcome: "won" });
  await board.move(bottom, ids[0], { above_contact_id: middle.contactId });
  expect(await idsOf()).toEqual([bottom.contactId, top.contactId]);
  expect((await board.call("DELETE", `/stages/${ids[0]}`)).json.error.details).toEqual({
    cards: 3,
  });
  const emptied = await board.call("POST", `/stages/${ids[0]}/empty`, { stage_id: ids[2] });
  expect(emptied.json.data).toEqual({ moved: 3, left: 0 });
  expect(await board.column(ids[2])).toEqual([bottom.contactId, top.contactId]);
  expect(await board.cardsIn(id, ids[2])).toBe(2);
  const won = (await board.call("GET", `/stages/${ids[2]}/cards?outcome=won`)).json.data;
  expect(won).toMatchObject([{ contact_id: middle.contactId, outcome: "won" }]);
});

test("the board is filtered by assignee, tag, channel, appointment, name and phone; totals follow", async () => {
  const { ids, customers, change, idsOf, totals } = await makeBoard(3);
  const [ana, benito] = [picked(customers, 0), picked(customers, 1)];
  const web = await board.customer("web");
  await board.move(web, ids[0]);
  await change(ana, { value: pesos(700) });
  await board.call("PATCH", `/contacts/${ana.contactId}`, { name: "Ana Ríos" });
  await board.call("PUT", `/contacts/${ana.contactId}/tags`, { tags: ["vip", "a", "b", "c"] });
  await board.call("POST", `/conversations/${benito.conversationId}/assign`, {
    user_id: account.userId,
  });
  await fixture.query(
    `INSERT INTO appointments (account_id, resource_id, contact_id, status, title, customer_name,
            start_time, end_time, blocked_from, blocked_until)
     SELECT ?, 1, ?, status, 'Visit', 'Ana', start, start, start, start FROM
       (SELECT 'confirmed' AS status, NOW(3) + INTERVAL 2 DAY AS start UNION ALL
        SELECT 'confirmed', NOW(3) - INTERVAL 1 DAY UNION ALL
        SELECT 'cancelled', NOW(3) + INTERVAL 1 DAY) rows_`,
    [account.accountId, ana.contactId],
  );
  const { phone } = (await board.call("GET", `/contacts/${benito.contactId}`)).json.data;
  const cases: [string, Customer[]][] = [
    ["?assigned_to=me", [benito]],
    [`?assigned_to=${account.userId}`, [benito]],
    ["?assigned_to=nobody&channel=whatsapp", [ana, picked(customers, 2)]],
    ["?tag=VIP", [ana]],
    ["?channel=web", [web]],
    ["?appointment=true", [ana]],
    ["?appointment=false&channel=whatsapp", [benito, picked(customers, 2)]],
    ["?search=rios", [ana]],
    [`?search=${String(phone).slice(3)}`, [benito]],
    ["?search=nobody%20at%20all", []],
  ];
  for (const [query, expected] of cases) {
    expect([query, await idsOf(query)]).toEqual([
      query,
      expected.map(({ contactId }) => contactId),
    ]);
    expect([query, (await totals(query)).stages[0].cards]).toEqual([query, expected.length]);
  }
  expect((await totals("?tag=vip")).stages[0].values).toEqual([pesos(700)]);
  const [card] = (await board.call("GET", `/stages/${ids[0]}/cards?tag=vip`)).json.data;
  expect(card.tags).toHaveLength(3);
  const inDays = (Date.parse(card.next_appointment_at) - Date.now()) / 86_400_000;
  expect(Math.round(inDays)).toBe(2);
  const wrong = await board.call("GET", `/pipelines/1/totals?outcome=maybe`);
  expect([wrong.status, wrong.json.error.details[0].path]).toEqual([400, "query.outcome"]);
});

test("a card, a column and the totals of another account read as absent", async () => {
  const { id, ids, customers, change } = await makeBoard(1);
  const customer = picked(customers, 0);
  const stranger = createBoard(fixture, await createTestAccount(fixture.database.dataSource));
  const path = `/pipelines/${id}/cards/${customer.contactId}`;
  const answers = [
    await stranger.call("PATCH", path, { outcome: "won" }),
    await stranger.call("GET", `/pipelines/${id}/totals`),
    await stranger.call("GET", `/stages/${ids[0]}/cards`),
    await stranger.call("PATCH", `/stages/${ids[0]}`, { hue: "rose" }),
  ];
  expect(answers.map(({ status, json }) => [status, json.error.code])).toEqual([
    [404, "pipeline_not_found"],
    [404, "pipeline_not_found"],
    [404, "stage_not_found"],
    [404, "stage_not_found"],
  ]);
  const own = await stranger.pipeline();
  const across = await stranger.call("PATCH", `/pipelines/${own.id}/cards/${customer.contactId}`, {
    outcome: "won",
  });
  expect([across.status, across.json.error.code]).toEqual([404, "card_not_found"]);
  const outside = await board.customer();
  expect((await change(outside, { outcome: "won" })).json.error.code).toBe("card_not_found");
});

test("moves, wins and values of one card at once all succeed, and the card is whole after them", async () => {
  const { ids, customers, change, totals } = await makeBoard(1);
  const customer = picked(customers, 0);
  const answers = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      if (index % 3 === 0) return await board.move(customer, ids[(index / 3) % 3]);
      if (index % 3 === 1) return await change(customer, { outcome: "lost", lost_reason: "Price" });
      return await change(customer, { value: pesos(index) });
    }),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const [card, ...more] = await fixture.query<{
    outcome: string;
    lost_reason: string | null;
    closed_at: Date | null;
  }>("SELECT outcome, lost_reason, closed_at FROM contact_stages WHERE account_id = ?", [
    account.accountId,
  ]);
  expect(more).toEqual([]);
  const isOpen = card?.outcome === "open";
  expect([card?.lost_reason, card?.closed_at === null]).toEqual([isOpen ? null : "Price", isOpen]);
  const count = async (query: string) =>
    (await totals(query)).stages.reduce(
      (sum: number, one: { cards: number }) => sum + one.cards,
      0,
    );
  expect([await count(""), await count("?outcome=lost")]).toEqual(isOpen ? [1, 0] : [0, 1]);
});

test("a merge gives the winner's card the value that it lacks", async () => {
  const { customers, change, read } = await makeBoard(2);
  const [winner, loser] = [picked(customers, 0), picked(customers, 1)];
  await change(loser, { value: pesos(900) });
  const merged = await board.call("POST", `/contacts/${loser.contactId}/merge`, {
    into_contact_id: winner.contactId,
  });
  expect(merged.status).toBe(200);
  expect(await read()).toMatchObject([{ contact_id: winner.contactId, value: pesos(900) }]);
});

test("an admin gives a stage a hue and a slow limit, and a pipeline its lost reasons", async () => {
  const { id, ids } = await board.pipeline();
  const first = (await board.call("GET", `/pipelines/${id}`)).json.data;
  expect(first).toMatchObject({ lost_reasons: [] });
  expect(first.stages[0]).toMatchObject({ hue: "slate", slow_after_days: null });
  const patch = { hue: "clay", slow_after_days: 7 };
  const changed = (await board.call("PATCH", `/stages/${ids[0]}`, patch)).json.data;
  expect(changed.stages[0]).toMatchObject({ name: "New", ...patch });
  const cleared = await board.call("PATCH", `/stages/${ids[0]}`, { slow_after_days: null });
  expect(cleared.json.data.stages[0]).toMatchObject({ hue: "clay", slow_after_days: null });
  const reasons = { lost_reasons: ["Price", "Price", "Moved away"] };
  const kept = (await board.call("PATCH", `/pipelines/${id}`, reasons)).json.data;
  expect(kept.lost_reasons).toEqual(["Price", "Moved away"]);
  expect(
    (await board.call("PATCH", `/pipelines/${id}`, { default: true })).json.data,
  ).toMatchObject({ default: true, lost_reasons: ["Price", "Moved away"] });
});

test.each([
  [{ hue: "red" }, "body.hue"],
  [{ slow_after_days: 0 }, "body.slow_after_days"],
  [{ slow_after_days: 1.5 }, "body.slow_after_days"],
  [{ slow_after_days: 1_000 }, "body.slow_after_days"],
])("the stage %j is refused", async (body, path) => {
  const { ids } = await board.pipeline();
  const { status, json } = await board.call("PATCH", `/stages/${ids[0]}`, body);
  expect([status, json.error.details[0].path]).toEqual([400, path]);
});
