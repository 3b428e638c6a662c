import { beforeEach, expect, test } from "vitest";
import { moveOnBooking } from "../../../core/services/pipelines/stage-moves.ts";
import { asSystem, createTestAccount, type TestAccount } from "../../support/accounts.ts";
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

const traced = async <T>(work: () => Promise<T>) =>
  await tracesOf(fixture.database.dataSource, account.accountId, work);
const all = async <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  await Promise.all(Array.from({ length: count }, async (_, index) => await work(index)));
const sorted = (numbers: number[]) => numbers.toSorted((one, other) => one - other);
async function customers(count: number): Promise<Customer[]> {
  const made: Customer[] = [];
  for (let index = 0; index < count; index += 1) made.push(await board.customer());
  return made;
}

test("fifty moves of one customer at once leave one card, and each event goes on where the one before ended", async () => {
  const { id, ids } = await board.pipeline();
  const customer = await board.customer();
  const { result, events } = await traced(() =>
    all(50, (index) => board.move(customer, ids[index % 3])),
  );
  expect(new Set(result.map(({ status }) => status))).toEqual(new Set([200]));
  const cards = await fixture.query(
    "SELECT stage_id FROM contact_stages WHERE contact_id = ? AND pipeline_id = ?",
    [customer.contactId, id],
  );
  const steps = events.map(({ data }) => [data.previous_stage_id, data.stage_id]);
  const begins = steps.map(([previous]) => previous);
  const ends = steps.map(([, next]) => next);
  // What one ends with, another one begins with; only the last end is left, and it is the card's.
  const counts = (values: number[]) =>
    ids.map((stage) => values.filter((value) => value === stage).length);
  const last = counts(ends).map((n, index) => n - Number(counts(begins)[index]));
  expect(begins.filter((previous) => previous === null)).toHaveLength(1);
  expect(steps.every(([previous, next]) => previous !== next)).toBe(true);
  expect(cards).toEqual([{ stage_id: ids[last.indexOf(1)] }]);
  expect(await board.stageOf(customer)).toMatchObject({ stage_id: ids[last.indexOf(1)] });
});

test("fifty customers put right below the same card at once all stand below it, each in a place of its own", async () => {
  const { ids } = await board.pipeline();
  const [top, bottom, ...others] = await customers(52);
  if (top === undefined || bottom === undefined) throw new Error("nobody");
  await board.move(bottom, ids[0]);
  await board.move(top, ids[0]);
  const answers = await all(50, (index) => {
    const one = others[index] ?? top;
    return board.move(one, ids[0], { below_contact_id: top.contactId });
  });
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const column = await board.column(ids[0]);
  expect([column[0], column.at(-1), column.length]).toEqual([top.contactId, bottom.contactId, 52]);
  const places = await fixture.query<{ place: number }>(
    "SELECT DISTINCT place FROM contact_stages WHERE stage_id = ?",
    [ids[0]],
  );
  expect(places).toHaveLength(52);
});

test("customers who come in at the top at once may share a place; between two of them there is room all the same", async () => {
  const { ids } = await board.pipeline();
  const crowd = await customers(20);
  await all(20, (index) => board.move(crowd[index] ?? { contactId: 0, conversationId: 0 }, ids[0]));
  await fixture.query("UPDATE contact_stages SET place = 7 WHERE stage_id = ?", [ids[0]]);
  const before = await board.column(ids[0]);
  const late = await board.customer();
  await board.move(late, ids[0], { above_contact_id: Number(before[10]) });
  expect(await board.column(ids[0])).toEqual([
    ...before.slice(0, 10),
    late.contactId,
    ...before.slice(10),
  ]);
});

test("stages are put in another order while cards move: nobody waits in vain and nothing is lost", async () => {
  const { id, ids } = await board.pipeline();
  const crowd = await customers(10);
  const orders = [ids, ids.toReversed(), [ids[1], ids[0], ids[2]]];
  const work = [
    ...crowd.flatMap((customer) => ids.map((stage) => () => board.move(customer, stage))),
    ...orders.map((stage_ids) => () => board.call("PUT", `/pipelines/${id}/stages`, { stage_ids })),
    () => board.call("PATCH", `/stages/${ids[0]}`, { name: "Renamed" }),
  ];
  const answers = await Promise.all(work.map((one) => one()));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const { stages } = (await board.call("GET", `/pipelines/${id}`)).json.data;
  expect(stages.reduce((sum: number, { cards }: { cards: number }) => sum + cards, 0)).toBe(10);
  expect(new Set(stages.map((stage: { id: number }) => stage.id))).toEqual(new Set(ids));
  const positions = await fixture.query(
    "SELECT position FROM pipeline_stages WHERE pipeline_id = ?",
    [id],
  );
  expect(sorted(positions.map(({ position }) => Number(position)))).toEqual([0, 1, 2]);
});

test("a stage is deleted while customers are moved into it: they are in it, or it is gone, never both", async () => {
  for (let round = 0; round < 6; round += 1) {
    const { ids } = await board.pipeline();
    const crowd = await customers(3);
    const [deleted, ...moves] = await Promise.all([
      board.call("DELETE", `/stages/${ids[1]}`),
      ...crowd.map((customer) => board.move(customer, ids[1])),
    ]);
    const cards = await fixture.query("SELECT 1 FROM contact_stages WHERE stage_id = ?", [ids[1]]);
    const outcome = [deleted?.status, cards.length, ...moves.map(({ status }) => status)];
    expect([
      [200, 0, 400, 400, 400],
      [409, 3, 200, 200, 200],
    ]).toContainEqual(outcome);
  }
});

test("a pipeline is deleted while customers move in it: no card is left behind", async () => {
  const { id, ids } = await board.pipeline();
  const crowd = await customers(8);
  await all(8, (index) => board.move(crowd[index] ?? { contactId: 0, conversationId: 0 }, ids[0]));
  const moves = crowd.map((customer) => () => board.move(customer, ids[1]));
  const [deleted, ...moved] = await Promise.all([
    board.call("DELETE", `/pipelines/${id}`),
    ...moves.map((one) => one()),
  ]);
  expect(deleted?.status).toBe(200);
  for (const { status } of moved) expect([200, 400]).toContain(status);
  expect(await fixture.query("SELECT 1 FROM contact_stages WHERE pipeline_id = ?", [id])).toEqual(
    [],
  );
  for (const customer of crowd) expect(await board.stageOf(customer)).toBeNull();
});

test("a stage is emptied while its customers move elsewhere: each goes one way", async () => {
  const { ids } = await board.pipeline();
  const crowd = await customers(12);
  for (const customer of crowd) await board.move(customer, ids[0]);
  const { result, events } = await traced(() =>
    Promise.all([
      board.call("POST", `/stages/${ids[0]}/empty`, { stage_id: ids[1] }),
      board.call("POST", `/stages/${ids[0]}/empty`, { stage_id: ids[1] }),
      ...crowd.slice(0, 6).map((customer) => board.move(customer, ids[2])),
    ]),
  );
  expect(new Set(result.map(({ status }) => status))).toEqual(new Set([200]));
  const [left, one, two] = [
    await board.column(ids[0]),
    await board.column(ids[1]),
    await board.column(ids[2]),
  ];
  expect([left.length, one.length + two.length]).toEqual([0, 12]);
  expect(new Set([...one, ...two]).size).toBe(12);
  expect(sorted(two)).toEqual(sorted(crowd.slice(0, 6).map(({ contactId }) => contactId)));
  // Six went straight, or by way of the second stage; the other six into the second one.
  expect(events.length).toBeGreaterThanOrEqual(12);
  expect(events.length).toBeLessThanOrEqual(18);
});

test("thirty new customers at once all enter the default pipeline, each once", async () => {
  const { ids } = await board.pipeline(["New", "Won"], { default: true });
  const { result, events } = await traced(() => all(30, () => board.customer()));
  const entered = events.filter(({ type }) => type === "conversation.stage_changed");
  expect(entered).toHaveLength(30);
  expect(sorted(await board.column(ids[0]))).toEqual(
    sorted(result.map(({ contactId }) => contactId)),
  );
});

test("the stage of bookings is deleted while customers book: every booking stands", async () => {
  for (let round = 0; round < 5; round += 1) {
    const { ids } = await board.pipeline();
    const crowd = await customers(3);
    await board.call("PATCH", "/account", { settings: { booking_stage_id: ids[1] } });
    const { dataSource } = fixture.database;
    const [deleted] = await Promise.all([
      board.call("DELETE", `/stages/${ids[1]}`),
      ...crowd.map((customer) =>
        asSystem(dataSource, account.accountId, (tx) => moveOnBooking(tx, customer)),
      ),
    ]);
    const cards = await fixture.query("SELECT 1 FROM contact_stages WHERE stage_id = ?", [ids[1]]);
    expect([
      [200, 0],
      [409, 3],
    ]).toContainEqual([deleted.status, cards.length]);
  }
});

test("a customer is moved while two contacts become one: the card is the winner's", async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id, ids } = await board.pipeline();
    const [winner, loser] = await customers(2);
    if (winner === undefined || loser === undefined) throw new Error("nobody");
    const [merged, moved] = await Promise.all([
      board.call("POST", `/contacts/${loser.contactId}/merge`, {
        into_contact_id: winner.contactId,
      }),
      board.move(loser, ids[0]),
    ]);
    expect([merged.status, moved.status]).toEqual([200, 200]);
    const cards = await fixture.query(
      "SELECT contact_id FROM contact_stages WHERE pipeline_id = ?",
      [id],
    );
    expect(cards).toEqual([{ contact_id: winner.contactId }]);
  }
});
