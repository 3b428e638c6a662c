import { afterEach, expect, test } from "vitest";
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
  async () => await startDeliveryFixture([50, 50, 50, 600_000, 50, 600_000]),
);

afterEach(async () => {
  fixture.sink.answer = (_, response) => void response.writeHead(204).end();
  await fixture.database.dataSource.query("UPDATE subscriptions SET state = 'deleted'");
});

/** A delivery whose first four attempts failed, or all six. */
async function failing(path: string, attempts = 4) {
  fixture.sink.answer = (_, response) => void response.writeHead(503).end();
  const { id } = await subscribe(fixture, path);
  await createContact(fixture);
  await untilMade(id, 4);
  const [delivery] = await deliveriesOf(fixture, id);
  if (attempts === 4) return { id, delivery };
  await act(delivery.id, "retry");
  return { id, delivery: (await untilMade(id, 6))[0] };
}

async function untilMade(id: number, attempts: number) {
  return await eventually(async () => {
    const rows = await deliveriesOf(fixture, id);
    expect(rows).toMatchObject([{ state: "waiting", attempts_made: attempts }]);
    return rows;
  });
}

const act = async (id: number, action: string, body?: unknown) =>
  await dashboard(fixture, "POST", `/deliveries/${id}/${action}`, body);

const attemptsOf = async (id: number): Promise<[number, number, number, boolean][]> => {
  const { json } = await dashboard(fixture, "GET", `/deliveries/${id}`);
  return json.data.attempts.map((one: Record<string, never>) => [
    one["run"],
    one["seq"],
    one["number"],
    one["manual"],
  ]);
};

const waitMs = (moment: string) => Date.parse(moment) - Date.now();

test("retry now in the fourth wait makes attempt 5 at once, and the wait after it is the fifth", async () => {
  const { id, delivery } = await failing("/fourth");
  expect(waitMs(delivery.next_attempt_at)).toBeGreaterThan(500_000);
  expect((await act(delivery.id, "retry")).status).toBe(202);
  const [after] = await untilMade(id, 6);
  expect((await attemptsOf(delivery.id)).slice(4)).toEqual([
    [1, 5, 5, true],
    [1, 6, 6, false],
  ]);
  expect(waitMs(after.discard_at)).toBeGreaterThan(500_000);
});

test("retry now in the last wait posts number 6 again and leaves one timer", async () => {
  const { id, delivery } = await failing("/last", 6);
  expect((await act(delivery.id, "retry")).status).toBe(202);
  const [after] = await untilMade(id, 7);
  expect(after.discard_at).toBe(delivery.discard_at);
  expect((await attemptsOf(delivery.id)).at(-1)).toEqual([1, 7, 6, true]);
  const handle = fixture.temporal.workflow.getHandle(delivery.workflow_id);
  const { events = [] } = await handle.fetchHistory();
  const long = (events ?? []).filter(
    (event) => Number(event.timerStartedEventAttributes?.startToFireTimeout?.seconds ?? 0) > 500,
  );
  // The one of the fourth wait, cut by the first retry, and the last.
  expect(long).toHaveLength(2);
});

test("retry now while an attempt runs posts nothing more", async () => {
  const { delivery } = await failing("/under-way");
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  fixture.sink.answer = (_, response) => {
    void opened.then(() => response.writeHead(204).end());
  };
  await act(delivery.id, "retry");
  await eventually(() => expect(postsTo(fixture, "/under-way")).toHaveLength(5));
  expect((await act(delivery.id, "retry")).status).toBe(202);
  await outboxIsEmpty();
  open();
  const handle = fixture.temporal.workflow.getHandle(delivery.workflow_id);
  expect(await handle.result()).toEqual({ state: "delivered" });
  expect(postsTo(fixture, "/under-way")).toHaveLength(5);
  expect((await act(delivery.id, "retry")).status).toBe(409);
});

const outboxIsEmpty = async () =>
  await eventually(async () =>
    expect(await fixture.database.dataSource.query("SELECT id FROM outbox")).toEqual([]),
  );

test("cancel ends the delivery and its run at once, whatever it waits for", async () => {
  const { id, delivery } = await failing("/cancelled");
  expect((await act(delivery.id, "cancel", { reason: "wrong receiver" })).status).toBe(200);
  const handle = fixture.temporal.workflow.getHandle(delivery.workflow_id);
  expect(await handle.result()).toEqual({ state: "cancelled" });
  expect(await deliveriesOf(fixture, id)).toMatchObject([
    { state: "cancelled", reason: "cancelled_by_operator", attempts_made: 4 },
  ]);
});

test("cancel while a POST is under way that succeeds: cancelled, and the log has its outcome", async () => {
  const { id, delivery } = await failing("/raced");
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  fixture.sink.answer = (_, response) => {
    void opened.then(() => response.writeHead(204).end());
  };
  await act(delivery.id, "retry");
  await eventually(() => expect(postsTo(fixture, "/raced")).toHaveLength(5));
  expect((await act(delivery.id, "cancel", { reason: "x" })).status).toBe(200);
  open();
  const handle = fixture.temporal.workflow.getHandle(delivery.workflow_id);
  expect(await handle.result()).toEqual({ state: "cancelled" });
  expect(await deliveriesOf(fixture, id)).toMatchObject([{ state: "cancelled" }]);
  const { json } = await dashboard(fixture, "GET", `/deliveries/${delivery.id}`);
  expect(json.data.attempts.at(-1)).toMatchObject({ number: 5, status_code: 204 });
});

test("a redelivery sends the same id and bytes as run 2, from attempt 1", async () => {
  const { id } = await subscribe(fixture, "/again");
  await createContact(fixture);
  const [first] = await eventually(async () => {
    const rows = await deliveriesOf(fixture, id);
    expect(rows).toMatchObject([{ state: "delivered" }]);
    return rows;
  });
  const answers = await Promise.all([act(first.id, "redeliver"), act(first.id, "redeliver")]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 409]));
  await eventually(async () =>
    expect(await deliveriesOf(fixture, id)).toMatchObject([{ state: "delivered", run: 2 }]),
  );
  const posts = postsTo(fixture, "/again");
  expect(posts).toHaveLength(2);
  expect(posts.map(({ headers }) => headers["x-service-attempt"])).toEqual(["1", "1"]);
  expect(new Set(posts.map(({ headers }) => headers["x-service-event-id"]))).toEqual(
    new Set([first.event_id]),
  );
  expect(new Set(posts.map(({ body }) => body.toString("hex"))).size).toBe(1);
  expect(await attemptsOf(first.id)).toEqual([
    [1, 1, 1, false],
    [2, 1, 1, false],
  ]);
  const handle = fixture.temporal.workflow.getHandle(`${first.workflow_id}-r2`);
  expect(await handle.result()).toEqual({ state: "delivered" });
});

// A redelivery is a run of its own: that the receiver gets the event twice then is what was asked for.
test.each([
  { old: 204, now: 503, state: "waiting", error: "http_status" },
  { old: 503, now: 204, state: "delivered", error: null },
])(
  "cancelled and redelivered during a POST: its late $old leaves the new run $state",
  async ({ old, now, state, error }) => {
    const path = `/late-${old}`;
    const { id, delivery } = await failing(path);
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    fixture.sink.answer = ({ headers }, response) => {
      if (headers["x-service-attempt"] !== "5") response.writeHead(now).end();
      else void opened.then(() => response.writeHead(old).end());
    };
    await act(delivery.id, "retry");
    await eventually(() => expect(postsTo(fixture, path)).toHaveLength(5));
    expect((await act(delivery.id, "cancel", { reason: "hangs" })).status).toBe(200);
    expect((await act(delivery.id, "redeliver")).status).toBe(202);
    const made = now === 204 ? 1 : 4;
    const before = await eventually(async () => {
      const rows = await deliveriesOf(fixture, id);
      expect(rows).toMatchObject([{ state, run: 2, attempts_made: made }]);
      return rows;
    });
    open();
    const first = fixture.temporal.workflow.getHandle(delivery.workflow_id);
    expect(await first.result()).toEqual({ state: "superseded" });
    expect(await deliveriesOf(fixture, id)).toEqual(before);
    const { json } = await dashboard(fixture, "GET", `/deliveries/${delivery.id}`);
    const ends = json.data.attempts.map((one: Record<string, unknown>) => [
      one["run"],
      one["seq"],
      one["status_code"],
    ]);
    expect(ends[4]).toEqual([1, 5, old]);
    expect(ends.slice(5)).toEqual(Array.from({ length: made }, (_, index) => [2, index + 1, now]));
    const [health] = await fixture.database.dataSource.query(
      `SELECT d.last_error_class AS error, h.subscription_id IS NOT NULL AS failing FROM deliveries d
         LEFT JOIN subscription_health h ON h.subscription_id = d.subscription_id WHERE d.id = ?`,
      [delivery.id],
    );
    expect(health).toEqual({ error, failing: now === 204 ? 0 : 1 });
  },
);
