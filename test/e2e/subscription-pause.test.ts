import { beforeEach, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import {
  createContact,
  dashboard,
  deliveriesOf,
  postsTo,
  startDeliveryFixture,
  subscribe,
} from "./delivery-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(
  async () => await startDeliveryFixture([50, 600_000, 50, 50, 50, 600_000]),
);

beforeEach(async () => {
  fixture.sink.answer = (_, response) => void response.writeHead(204).end();
  await fixture.database.dataSource.query("UPDATE subscriptions SET state = 'deleted'");
});

const expectRows = async (id: number, rows: object[]) =>
  await eventually(async () => {
    const found = await deliveriesOf(fixture, id);
    expect(found).toMatchObject(rows);
    return found;
  });

const set = async (id: number, verb: string) => {
  const answer = await dashboard(fixture, "POST", `/subscriptions/${id}/${verb}`);
  expect(answer.status).toBe(200);
};

const numbersOf = (path: string) =>
  postsTo(fixture, path).map(({ headers }) => headers["x-service-attempt"]);

test("paused in a wait and resumed after it: goes on with the same number in a new run", async () => {
  fixture.sink.answer = (_, response) => void response.writeHead(500).end();
  const { id } = await subscribe(fixture, "/wait");
  await createContact(fixture);
  const [delivery] = await expectRows(id, [{ state: "waiting", attempts_made: 2 }]);
  await set(id, "pause");
  await expectRows(id, [{ state: "held", next_attempt_at: delivery.next_attempt_at }]);
  await fixture.database.dataSource.query(
    "UPDATE deliveries SET next_attempt_at = NOW() - INTERVAL 2 DAY WHERE id = ?",
    [delivery.id],
  );
  fixture.sink.answer = (_, response) => void response.writeHead(204).end();
  await set(id, "resume");
  await expectRows(id, [{ state: "delivered", run: 2, first_number: 3, attempts_made: 1 }]);
  expect(numbersOf("/wait")).toEqual(["1", "2", "3"]);
  // The old run still sleeps; told to go on, it finds the newer one.
  const old = fixture.temporal.workflow.getHandle(delivery.workflow_id);
  await old.signal("retryNow");
  expect(await old.result()).toEqual({ state: "superseded" });
  expect(numbersOf("/wait")).toEqual(["1", "2", "3"]);
});

test("resumed before the end of its wait it sleeps on, and a retry now wakes it", async () => {
  fixture.sink.answer = (_, response) => void response.writeHead(500).end();
  const { id } = await subscribe(fixture, "/sleeps");
  await createContact(fixture);
  const [before] = await expectRows(id, [{ state: "waiting", attempts_made: 2 }]);
  await set(id, "pause");
  await expectRows(id, [{ state: "held" }]);
  await set(id, "resume");
  const { next_attempt_at } = before;
  const [after] = await expectRows(id, [{ state: "waiting", run: 2, next_attempt_at }]);
  const handle = fixture.temporal.workflow.getHandle(after.workflow_id);
  await eventually(async () => expect((await handle.describe()).status.name).toBe("RUNNING"));
  expect(numbersOf("/sleeps")).toEqual(["1", "2"]);
  fixture.sink.answer = (_, response) => void response.writeHead(204).end();
  const retry = await dashboard(fixture, "POST", `/deliveries/${after.id}/retry`);
  expect(retry.status).toBe(202);
  expect(await handle.result()).toEqual({ state: "delivered" });
  expect(numbersOf("/sleeps")).toEqual(["1", "2", "3"]);
});

test("what happens while it is paused arrives after the resumption, and nothing before", async () => {
  const { id } = await subscribe(fixture, "/meanwhile");
  await set(id, "pause");
  for (let index = 0; index < 5; index += 1) await createContact(fixture);
  await expectRows(
    id,
    Array.from({ length: 5 }, () => ({ state: "held", workflow_id: null })),
  );
  expect(numbersOf("/meanwhile")).toEqual([]);
  await set(id, "resume");
  await expectRows(
    id,
    Array.from({ length: 5 }, () => ({ state: "delivered", run: 2 })),
  );
  expect(numbersOf("/meanwhile")).toEqual(["1", "1", "1", "1", "1"]);
});

test("after a pause no attempt starts, however many are on their way", async () => {
  fixture.sink.answer = (_, response) => void response.writeHead(500).end();
  const { id } = await subscribe(fixture, "/stops");
  for (let index = 0; index < 20; index += 1) await createContact(fixture);
  await set(id, "pause");
  const { dataSource } = fixture.database;
  const [{ late }] = await eventually(async () => {
    const rows = await deliveriesOf(fixture, id);
    expect(new Set(rows.map(({ state }: { state: string }) => state))).toEqual(new Set(["held"]));
    return await dataSource.query(
      `SELECT COUNT(*) AS late FROM delivery_attempts a JOIN deliveries d ON d.id = a.delivery_id
         JOIN subscriptions s ON s.id = d.subscription_id
        WHERE s.id = ? AND a.started_at > s.updated_at + INTERVAL 1 SECOND`,
      [id],
    );
  });
  expect(Number(late)).toBe(0);
});

test("disabled: open ones are held, new ones skipped; enabled again, the held ones go on", async () => {
  fixture.sink.answer = (_, response) => void response.writeHead(500).end();
  const { id } = await subscribe(fixture, "/disabled");
  await createContact(fixture);
  await expectRows(id, [{ state: "waiting", attempts_made: 2 }]);
  const patch = async (state: string) =>
    await dashboard(fixture, "PATCH", `/subscriptions/${id}`, { state });
  expect((await patch("disabled")).status).toBe(200);
  await expectRows(id, [{ state: "held", reason: "subscription_disabled" }]);
  await createContact(fixture);
  await expectRows(id, [{ state: "skipped" }, { state: "held" }]);
  await patch("active");
  await expectRows(id, [{ state: "skipped" }, { state: "waiting", run: 2, first_number: 3 }]);
});
