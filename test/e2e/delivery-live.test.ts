import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { readStream, type StreamReader } from "../support/event-stream.ts";
import {
  createContact,
  dashboard,
  deliveriesOf,
  postsTo,
  startDeliveryFixture,
  subscribe,
} from "./delivery-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(async () => await startDeliveryFixture([100, 600_000, 50, 50, 50, 50]));
let reader: StreamReader;

beforeEach(async () => {
  await fixture.database.dataSource.query("UPDATE subscriptions SET state = 'deleted'");
  const { cookie } = fixture.account;
  reader = await readStream(`${fixture.api.url}/dashboard/api/stream`, { cookie });
  await eventually(() => {
    if (reader.lastId() === null) throw new Error("The stream has not begun.");
  });
});

afterEach(() => reader.leave());

/** What the stream has told of deliveries: their ids, or the subscriptions' where it named no delivery. */
function told(): unknown[] {
  return reader.events
    .filter(({ event, data }) => event === "change" && data.kind === "delivery.updated")
    .map(({ data }) => data.delivery_id ?? { subscription: data.subscription_id });
}

const answer = (status: number) => {
  fixture.sink.answer = (_, response) => void response.writeHead(status).end();
};

async function expectState(id: number, row: object) {
  const [found] = await deliveriesOf(fixture, id);
  expect(found).toMatchObject(row);
  return found;
}

test("an open log hears of each failure, of the retry that arrives, and of the redelivery", async () => {
  answer(500);
  const { id } = await subscribe(fixture, "/fails");
  await createContact(fixture);
  // Told of each of the two failures; what a reader then reads is the state that was told of.
  const delivery = await eventually(async () => {
    expect(told()).toHaveLength(2);
    return await expectState(id, { state: "waiting", attempts_made: 2 });
  });
  answer(204);
  await dashboard(fixture, "POST", `/deliveries/${delivery.id}/retry`);
  await eventually(async () => {
    expect(told()).toHaveLength(3);
    await expectState(id, { state: "delivered", run: 1 });
  });
  await dashboard(fixture, "POST", `/deliveries/${delivery.id}/redeliver`);
  await eventually(async () => {
    expect(told()).toHaveLength(5);
    await expectState(id, { state: "delivered", run: 2 });
  });
  expect(new Set(told())).toEqual(new Set([delivery.id]));
});

test("a discard and a cancellation are told of", async () => {
  answer(500);
  const { id } = await subscribe(fixture, "/ends");
  await createContact(fixture);
  await eventually(() => expect(told()).toHaveLength(2));
  const delivery = await expectState(id, { state: "waiting" });
  await dashboard(fixture, "POST", `/deliveries/${delivery.id}/retry`);
  await eventually(async () => {
    // Four failures more, the third to the sixth, and the discard.
    expect(told()).toHaveLength(7);
    await expectState(id, { state: "discarded" });
  });
  await createContact(fixture);
  await eventually(() => expect(told()).toHaveLength(9));
  const other = await expectState(id, { state: "waiting" });
  await dashboard(fixture, "POST", `/deliveries/${other.id}/cancel`, { reason: "x" });
  await eventually(() => expect(told().slice(9)).toEqual([other.id]));
  await expectState(id, { state: "cancelled" });
});

test("a pause and a resumption tell of the subscription once, not of each delivery", async () => {
  answer(500);
  const { id } = await subscribe(fixture, "/holds");
  for (let index = 0; index < 5; index += 1) await createContact(fixture);
  await eventually(() => expect(told()).toHaveLength(10));
  await dashboard(fixture, "POST", `/subscriptions/${id}/pause`);
  await eventually(() => expect(told().slice(10)).toEqual([{ subscription: id }]));
  await expectState(id, { state: "held" });
  await dashboard(fixture, "POST", `/subscriptions/${id}/resume`);
  await eventually(() => expect(told().slice(11)).toEqual([{ subscription: id }]));
  await expectState(id, { state: "waiting", run: 2 });
});

test("what arrives at its first attempt costs no change", async () => {
  answer(204);
  const { id } = await subscribe(fixture, "/arrives");
  await createContact(fixture);
  await eventually(() => expect(postsTo(fixture, "/arrives")).toHaveLength(1));
  await eventually(() => expectState(id, { state: "delivered" }));
  const rows = await fixture.database.dataSource.query(
    "SELECT id FROM changes WHERE kind = 'delivery.updated' AND (subscription_id = ? OR delivery_id IN (SELECT id FROM deliveries WHERE subscription_id = ?))",
    [id, id],
  );
  expect(rows).toEqual([]);
});
