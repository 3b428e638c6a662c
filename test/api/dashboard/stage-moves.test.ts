import { beforeAll, expect, test } from "vitest";
import { moveConversation, moveOnBooking } from "../../../core/services/pipelines/stage-moves.ts";
import { transaction } from "../../../db/transaction.ts";
import { asSystem, createTestAccount } from "../../support/accounts.ts";
import { receive, tracesOf } from "../../support/conversations.ts";
import { createBoard } from "./pipeline-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let board: ReturnType<typeof createBoard>;

beforeAll(async () => {
  board = createBoard(fixture);
});

const traced = async <T>(work: () => Promise<T>, accountId = fixture.account.accountId) =>
  await tracesOf(fixture.database.dataSource, accountId, work);

test("a person moves a customer: views show it, a note and an event tell it", async () => {
  const { id, name, ids } = await board.pipeline();
  const customer = await board.customer("web");
  const entered = await traced(() => board.move(customer, ids[0]));
  const where = { pipeline_id: id, pipeline_name: name };
  expect(entered.result.json.data.stage).toEqual({ ...where, stage_id: ids[0], stage_name: "New" });
  const { result, events, notes } = await traced(() => board.move(customer, ids[2]));
  const stage = { ...where, stage_id: ids[2], stage_name: "Won" };
  expect([result.status, result.json.data.stage]).toEqual([200, stage]);
  const event = {
    conversation_id: customer.conversationId,
    contact_id: customer.contactId,
    channel: "web_widget",
    ...stage,
    previous_stage_id: ids[0],
    previous_stage_name: "New",
    source: "manual",
    actor_user_id: fixture.account.userId,
  };
  expect(entered.events.map(({ data }) => data)).toEqual([
    {
      ...event,
      stage_id: ids[0],
      stage_name: "New",
      previous_stage_id: null,
      previous_stage_name: null,
      source: "pipeline_assignment",
    },
  ]);
  expect(events).toEqual([
    { type: "conversation.stage_changed", data: event, at: expect.any(String) },
  ]);
  expect(notes).toEqual([
    {
      kind: "stage_changed",
      text: null,
      params: { pipeline: name, from: "New", to: "Won" },
      user_id: fixture.account.userId,
    },
  ]);
  const { apiKey } = fixture.account;
  const path = `/api/v1/conversations/${customer.conversationId}`;
  expect((await fixture.api.call("GET", path, { apiKey })).json.data.stage).toEqual(stage);
  const card = (await board.call("GET", `/contacts/${customer.contactId}`)).json.data.stages;
  expect(card).toEqual([{ ...stage, moved_at: expect.any(String) }]);
});

test("the stage where a customer stands already is no move", async () => {
  const { ids } = await board.pipeline();
  const [customer, above] = [await board.customer(), await board.customer()];
  await board.move(customer, ids[0]);
  await board.move(above, ids[0]);
  const { result, events, notes } = await traced(() => board.move(customer, ids[0]));
  expect([result.status, events, notes]).toEqual([200, [], []]);
  expect(await board.column(ids[0])).toEqual([above.contactId, customer.contactId]);
});

test("in another place of its column a card stays put, and only live views hear of it", async () => {
  const { ids } = await board.pipeline();
  const [one, two, three] = [
    await board.customer(),
    await board.customer(),
    await board.customer(),
  ];
  for (const customer of [three, two, one]) await board.move(customer, ids[0]);
  const entered = await board.call("GET", `/stages/${ids[0]}/cards`);
  const before = await fixture.count("changes");
  const { events, notes } = await traced(() =>
    board.move(one, ids[0], { below_contact_id: two.contactId }),
  );
  const order = [two.contactId, one.contactId, three.contactId];
  expect([events, notes, await board.column(ids[0])]).toEqual([[], [], order]);
  await board.move(three, ids[0], { above_contact_id: two.contactId });
  expect(await board.column(ids[0])).toEqual([three.contactId, two.contactId, one.contactId]);
  expect((await fixture.count("changes"))["changes"]).toBe(Number(before["changes"]) + 2);
  const moments = (answer: typeof entered): [number, string][] =>
    answer.json.data.map((card: { contact_id: number; stage_entered_at: string }) => {
      return [card.contact_id, card.stage_entered_at];
    });
  const after = await board.call("GET", `/stages/${ids[0]}/cards`);
  expect(new Map(moments(after))).toEqual(new Map(moments(entered)));
});

test("a card stands where it was put, however often others are put into the same gap", async () => {
  const { ids } = await board.pipeline();
  const [top, bottom] = [await board.customer(), await board.customer()];
  await board.move(bottom, ids[1]);
  await board.move(top, ids[1]);
  const between: number[] = [];
  for (let index = 0; index < 45; index += 1) {
    const customer = await board.customer();
    between.unshift(customer.contactId);
    const answer = await board.move(customer, ids[1], { below_contact_id: top.contactId });
    expect(answer.status).toBe(200);
  }
  expect(await board.column(ids[1])).toEqual([top.contactId, ...between, bottom.contactId]);
});

test("beside a neighbour that has left the column a card goes to the top", async () => {
  const { ids } = await board.pipeline();
  const [there, gone, customer] = [
    await board.customer(),
    await board.customer(),
    await board.customer(),
  ];
  await board.move(there, ids[0]);
  await board.move(gone, ids[1]);
  await board.move(customer, ids[0], { below_contact_id: gone.contactId });
  expect(await board.column(ids[0])).toEqual([customer.contactId, there.contactId]);
});

test("a contact stands once in each pipeline, and its conversations show the last move of all", async () => {
  const [sales, care] = [await board.pipeline(), await board.pipeline()];
  const customer = await board.customer();
  await board.move(customer, sales.ids[0]);
  await board.move(customer, care.ids[1]);
  expect(await board.stageOf(customer)).toMatchObject({ stage_id: care.ids[1] });
  await board.move(customer, sales.ids[1]);
  expect(await board.stageOf(customer)).toMatchObject({ stage_id: sales.ids[1] });
  expect(await board.column(sales.ids[0])).toEqual([]);
  expect(await board.column(sales.ids[1])).toEqual([customer.contactId]);
  expect(await board.column(care.ids[1])).toEqual([customer.contactId]);
});

test.each([
  [{}, "body.stage_id"],
  [{ stage_id: 999_999 }, "body.stage_id"],
  [{ stage_id: "1" }, "body.stage_id"],
  [{ stage_id: 1, above_contact_id: 1, below_contact_id: 2 }, "body"],
  [{ stage_id: 1, position: 3 }, "body.position"],
])("%j is refused at %s", async (body, path) => {
  const { conversationId } = await board.customer();
  const { status, json } = await board.call("POST", `/conversations/${conversationId}/stage`, body);
  expect([status, json.error.details[0].path]).toEqual([400, path]);
});

test("a stage of another account is unknown", async () => {
  const stranger = await createTestAccount(fixture.database.dataSource);
  const foreign = await createBoard(fixture, stranger).pipeline();
  const answer = await board.move(await board.customer(), foreign.ids[0]);
  expect([answer.status, answer.json.error.details[0].code]).toEqual([400, "unknown_stage"]);
});

test("a contact is moved in its newest conversation, and not at all without one", async () => {
  const { ids } = await board.pipeline();
  const customer = await board.customer();
  const path = (id: number) => `/contacts/${id}/stage`;
  const moved = await traced(() =>
    board.call("POST", path(customer.contactId), { stage_id: ids[0] }),
  );
  expect(moved.result.json.data).toMatchObject({ id: customer.conversationId });
  expect(moved.events).toMatchObject([{ data: { conversation_id: customer.conversationId } }]);
  const made = await board.call("POST", "/contacts", { email: "silent@example.com" });
  const { result, events } = await traced(() =>
    board.call("POST", path(made.json.data.id), { stage_id: ids[0] }),
  );
  expect([result.status, result.json.error.code, events]).toEqual([
    422,
    "contact_needs_conversation",
    [],
  ]);
});

test("the AI agent's move says so", async () => {
  const { ids } = await board.pipeline();
  const customer = await board.customer();
  await board.move(customer, ids[0]);
  const actor = { type: "agent", accountId: fixture.account.accountId } as const;
  const { events } = await traced(() =>
    transaction(fixture.database.dataSource, { actor }, (tx) =>
      moveConversation(tx, customer.conversationId, { stage_id: Number(ids[1]) }),
    ),
  );
  expect(events).toMatchObject([{ data: { source: "ai", actor_user_id: null } }]);
});

test("a new conversation enters the default pipeline, after its other events and before the message", async () => {
  const own = await createTestAccount(fixture.database.dataSource);
  const ours = createBoard(fixture, own);
  const { ids } = await ours.pipeline(["New", "Won"], { default: true });
  const first = await traced(() => ours.customer(), own.accountId);
  expect(first.events.map(({ type }) => type)).toEqual([
    "contact.created",
    "conversation.created",
    "conversation.stage_changed",
    "message.received",
  ]);
  expect(first.events[2]?.data).toMatchObject({
    stage_id: ids[0],
    previous_stage_id: null,
    previous_stage_name: null,
    source: "pipeline_assignment",
    actor_user_id: null,
  });
  // Opened by a key it enters too; the answer shows it already.
  const body = { phone: "34622333444" };
  const { apiKey } = own;
  const opened = await fixture.api.call("POST", "/api/v1/conversations", { apiKey, body });
  expect(opened.json.data.stage).toMatchObject({ stage_id: ids[0] });
  const again = await fixture.api.call("POST", "/api/v1/conversations", { apiKey, body });
  expect([again.status, again.json.data.stage.stage_id]).toEqual([200, ids[0]]);
});

test("another conversation of a customer who is in the default pipeline is no step back", async () => {
  const own = await createTestAccount(fixture.database.dataSource);
  const ours = createBoard(fixture, own);
  const { ids } = await ours.pipeline(["New", "Won"], { default: true });
  const [customer, other] = [await ours.customer("web"), await ours.customer()];
  await ours.move(customer, ids[1]);
  await ours.call("POST", `/contacts/${other.contactId}/merge`, {
    into_contact_id: customer.contactId,
  });
  // Their number writes over a channel account of its own, which makes a new conversation.
  await fixture.query(
    "INSERT INTO channel_accounts SET account_id = ?, channel = 'whatsapp', external_id = 'second', name = 'n'",
    [own.accountId],
  );
  const { phone } = (await ours.call("GET", `/contacts/${customer.contactId}`)).json.data;
  const written = await traced(
    () => receive(fixture.database.dataSource, own.accountId, { from: phone }),
    own.accountId,
  );
  expect(written.result.row.contactId).toBe(customer.contactId);
  expect(written.events.map(({ type }) => type)).toEqual([
    "conversation.created",
    "message.received",
  ]);
  expect(await ours.stageOf(customer)).toMatchObject({ stage_id: ids[1] });
});

test("whoever books is moved where the account wants it, by the account's own rule", async () => {
  const own = await createTestAccount(fixture.database.dataSource);
  const ours = createBoard(fixture, own);
  const { ids } = await ours.pipeline();
  const customer = await ours.customer();
  const { contactId, conversationId } = customer;
  const book = async (place: { contactId: number; conversationId: number | null }) =>
    await traced(
      () => asSystem(fixture.database.dataSource, own.accountId, (tx) => moveOnBooking(tx, place)),
      own.accountId,
    );
  expect((await book({ contactId, conversationId })).events).toEqual([]);
  await ours.move(customer, ids[0]);
  await ours.call("PATCH", "/account", { settings: { booking_stage_id: ids[1] } });
  const { events } = await book({ contactId, conversationId: null });
  expect(events).toMatchObject([
    { data: { conversation_id: conversationId, stage_id: ids[1], source: "system" } },
  ]);
  expect((await book({ contactId, conversationId })).events).toEqual([]);
  const silent = await ours.call("POST", "/contacts", { email: "books@example.com" });
  const nowhere = { contactId: silent.json.data.id, conversationId: null };
  expect((await book(nowhere)).events).toEqual([]);
});

test("a merge keeps where the winner stands, and takes over the rest without an event of a move", async () => {
  const [both, one] = [await board.pipeline(), await board.pipeline()];
  const [winner, loser] = [await board.customer(), await board.customer()];
  await board.move(winner, both.ids[2]);
  await board.move(loser, both.ids[0]);
  await board.move(loser, one.ids[1]);
  const { events } = await traced(() =>
    board.call("POST", `/contacts/${loser.contactId}/merge`, { into_contact_id: winner.contactId }),
  );
  expect(events.map(({ type }) => type)).not.toContain("conversation.stage_changed");
  expect(await board.column(both.ids[0])).toEqual([]);
  expect(await board.column(both.ids[2])).toEqual([winner.contactId]);
  expect(await board.column(one.ids[1])).toEqual([winner.contactId]);
  await board.move({ ...loser, contactId: winner.contactId }, both.ids[1]);
  expect(await board.column(both.ids[1])).toEqual([winner.contactId]);
});

test("an erasure takes the cards, and the names in notes with the conversation", async () => {
  const { ids } = await board.pipeline();
  const customer = await board.customer();
  await board.move(customer, ids[0]);
  await board.call("DELETE", `/contacts/${customer.contactId}`);
  expect(await board.column(ids[0])).toEqual([]);
  const left = await fixture.query("SELECT 1 FROM contact_stages WHERE contact_id = ?", [
    customer.contactId,
  ]);
  expect(left).toEqual([]);
});

test("a column of many cards is read page by page, also while cards are moved", async () => {
  const { id, ids } = await board.pipeline();
  const customers = [];
  for (let index = 0; index < 23; index += 1) customers.push(await board.customer());
  for (const customer of customers) await board.move(customer, ids[0]);
  const page = async (cursor: string | null) =>
    (
      await board.call(
        "GET",
        `/stages/${ids[0]}/cards?limit=10${cursor === null ? "" : `&cursor=${cursor}`}`,
      )
    ).json;
  const first = await page(null);
  expect(first.meta).toEqual({ limit: 10, next: expect.any(String) });
  expect(await board.cardsIn(id, ids[0])).toBe(23);
  expect(first.data[0]).toMatchObject({
    id: customers[22]?.conversationId,
    contact_id: customers[22]?.contactId,
    channel: "whatsapp",
    contact: { id: customers[22]?.contactId, name: expect.any(String) },
    stage_entered_at: expect.any(String),
  });
  // The very card that the page ended with leaves, and another one comes in at the top.
  await board.move({ contactId: 0, conversationId: first.data[9].id }, ids[1]);
  await board.move(await board.customer(), ids[0]);
  const second = await page(first.meta.next);
  const third = await page(second.meta.next);
  const seen = [...first.data, ...second.data, ...third.data];
  expect(seen.map(({ contact_id }) => contact_id)).toEqual(
    customers.toReversed().map(({ contactId }) => contactId),
  );
  expect([await board.cardsIn(id, ids[0]), third.meta.next]).toEqual([23, null]);
  for (const wrong of ["x", "1", "1_2_3", "1e3_2"]) {
    expect((await page(wrong)).error.details[0].path).toBe("query.cursor");
  }
});
