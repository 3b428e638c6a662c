import { defaultPayloadConverter } from "@temporalio/common";
import type { History } from "@temporalio/common/lib/proto-utils.js";
import { afterEach, expect, test } from "vitest";
import { cancel, retryNow } from "../../workflows/delivery-signals.ts";
import { eventually } from "../support/eventually.ts";
import { waitsOf } from "../workflows/fake-run.ts";
import {
  createContact,
  deliveriesOf,
  postsTo,
  startDeliveryFixture,
  subscribe,
} from "./delivery-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

type HistoryEvent = NonNullable<History["events"]>[number];

const fixture = useFixture(
  async () => await startDeliveryFixture([200, 600_000, 200, 200, 200, 600_000]),
);

afterEach(async () => {
  fixture.sink.answer = (_, response) => void response.writeHead(204).end();
  await fixture.database.dataSource.query("UPDATE subscriptions SET state = 'deleted'");
});

/** A delivery that has failed twice and waits ten minutes, and the run that makes it. */
async function failTwice(path: string) {
  fixture.sink.answer = (_, response) => void response.writeHead(503).end();
  const { id } = await subscribe(fixture, path);
  await createContact(fixture);
  const [delivery] = await eventually(async () => {
    const rows = await deliveriesOf(fixture, id);
    expect(rows).toMatchObject([{ state: "waiting", attempts_made: 2 }]);
    return rows;
  });
  const handle = fixture.temporal.workflow.getHandle(delivery.workflow_id);
  // MySQL knows of it first; who asks for a retry in Temporal UI sees a run that knows as well.
  await eventually(async () => expect(await waitsOf({ handle })).toHaveLength(2));
  return { id, delivery, handle };
}

async function idsWhere(query: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const run of fixture.temporal.workflow.list({ query })) ids.push(run.workflowId);
  return ids;
}

/** The words that Temporal UI shows on the bars of a run's timeline. */
function summariesOf(events: HistoryEvent[], of: (event: HistoryEvent) => unknown): unknown[] {
  return events
    .filter((event) => of(event))
    .map(({ userMetadata }) =>
      userMetadata?.summary ? defaultPayloadConverter.fromPayload(userMetadata.summary) : null,
    );
}

test("operators find a run by account, subscription, event type and how it stands", async () => {
  const { id, delivery, handle } = await failTwice("/searched");
  expect(delivery.workflow_id).toBe(`delivery-${delivery.event_id}-${id}`);
  const { accountId } = fixture.account;
  const mine = `SubscriptionId = "${id}" AND `;
  const after = (ms: number) => new Date(Date.parse(delivery.next_attempt_at) + ms).toISOString();
  const isFoundBy = async (query: string) => (await idsWhere(mine + query))[0];
  for (const query of [
    `AccountId = "${accountId}"`,
    'EventType = "contact.created"',
    'DeliveryState = "waiting"',
    "Attempt = 2",
    `NextAttemptAt > "${new Date().toISOString()}"`,
    // SQLite, where this server keeps them, compares them as texts: `.360` is not `.36` there.
    `NextAttemptAt BETWEEN "${after(-1)}" AND "${after(1)}"`,
    'ExecutionStatus = "Running"',
  ]) {
    await eventually(async () => {
      const { typedSearchAttributes: carried } = await handle.describe();
      // What the run carries is there to be read where a query does not find it.
      const found = { query, carried, id: await isFoundBy(query) };
      expect(found).toMatchObject({ query, id: delivery.workflow_id });
    });
  }
  expect(await isFoundBy("Attempt = 1")).toBeUndefined();
  await handle.signal(cancel);
  await handle.result();
  await eventually(async () =>
    expect(await isFoundBy('DeliveryState = "cancelled"')).toBe(delivery.workflow_id),
  );
  expect(await isFoundBy("NextAttemptAt IS NOT NULL")).toBeUndefined();
});

test("a run tells in words what it is, what it waits for and what came of its attempts", async () => {
  const { id, delivery, handle } = await failTwice("/told");
  const description = await handle.describe();
  expect(await description.staticSummary()).toBe(`contact.created to subscription ${id}`);
  const { currentDetails } = await handle.query<{ currentDetails: string }, []>(
    "__temporal_workflow_metadata",
  );
  expect(currentDetails).toBe(
    `Attempt 2 of 6 failed: HTTP 503; next at ${delivery.next_attempt_at}.`,
  );
  const { events } = await handle.fetchHistory();
  const timers = summariesOf(events ?? [], (event) => event.timerStartedEventAttributes);
  expect(timers).toEqual(["wait 200 ms before attempt 2", "wait 10 min before attempt 3"]);
  const activities = (event: HistoryEvent) => event.activityTaskScheduledEventAttributes;
  expect(summariesOf(events ?? [], activities)).toEqual(["attempt 2 of 6"]);

  await handle.signal(retryNow);
  await eventually(() => expect(postsTo(fixture, "/told").length).toBeGreaterThan(3));
  const later = await handle.fetchHistory();
  expect(summariesOf(later.events ?? [], activities)).toContain("attempt 3 of 6, by hand");
  await handle.signal(cancel);
});

test("retry now in Temporal UI posts the next number, marked as by hand", async () => {
  const { delivery, handle } = await failTwice("/by-hand");
  fixture.sink.answer = (_, response) => void response.writeHead(204).end();
  await handle.signal(retryNow);
  expect(await handle.result()).toEqual({ state: "delivered" });
  expect(postsTo(fixture, "/by-hand").map(({ headers }) => headers["x-service-attempt"])).toEqual([
    "1",
    "2",
    "3",
  ]);
  const rows = await fixture.database.dataSource.query(
    "SELECT number, manual FROM delivery_attempts WHERE delivery_id = ? ORDER BY seq",
    [delivery.id],
  );
  expect(rows).toEqual([
    { number: 1, manual: 0 },
    { number: 2, manual: 0 },
    { number: 3, manual: 1 },
  ]);
});

test.each(["signal", "request"])("a cancel %s in Temporal UI ends the delivery", async (way) => {
  const { id, handle } = await failTwice(`/cancelled-by-${way}`);
  await (way === "signal" ? handle.signal(cancel) : handle.cancel());
  expect(await handle.result()).toEqual({ state: "cancelled" });
  expect((await handle.describe()).status.name).toBe("COMPLETED");
  expect(await deliveriesOf(fixture, id)).toMatchObject([
    { state: "cancelled", reason: "cancelled_by_operator", next_attempt_at: null },
  ]);
});

test("a run that arrives at once is six events long", async () => {
  const { id } = await subscribe(fixture, "/short");
  await createContact(fixture);
  await eventually(async () => {
    expect(await deliveriesOf(fixture, id)).toMatchObject([{ state: "delivered" }]);
  });
  const [delivery] = await deliveriesOf(fixture, id);
  const handle = fixture.temporal.workflow.getHandle(delivery.workflow_id);
  expect(await handle.result()).toEqual({ state: "delivered" });
  const events = (await handle.fetchHistory()).events ?? [];
  // A busy worker may let a workflow task time out: scheduled, started, timed out, and all again.
  const late = events.filter((event) => event.workflowTaskTimedOutEventAttributes);
  expect(events.length - 3 * late.length).toBe(6);
});
