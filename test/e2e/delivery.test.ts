import { afterEach, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import {
  createContact,
  dashboard,
  deliveriesOf,
  postsTo,
  publishSample,
  startDeliveryFixture,
  subscribe,
} from "./delivery-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDeliveryFixture);

afterEach(async () => {
  fixture.sink.answer = (_, response) => void response.writeHead(204).end();
  await fixture.database.dataSource.query("UPDATE subscriptions SET state = 'deleted'");
});

test("a receiver that only fails gets six attempts of the same bytes, then people are told", async () => {
  fixture.sink.answer = (_, response) => void response.writeHead(500).end("broken");
  const { id } = await subscribe(fixture, "/fails");
  await createContact(fixture);
  const [delivery] = await eventually(async () => {
    const rows = await deliveriesOf(fixture, id);
    expect(rows).toMatchObject([{ state: "discarded" }]);
    return rows;
  });
  const posts = postsTo(fixture, "/fails");
  expect(posts.map(({ headers }) => headers["x-service-attempt"])).toEqual([
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
  ]);
  expect(new Set(posts.map(({ headers }) => headers["x-service-event-id"])).size).toBe(1);
  expect(new Set(posts.map(({ body }) => body.toString("hex"))).size).toBe(1);

  const { json } = await dashboard(fixture, "GET", `/deliveries/${delivery.id}`);
  expect(json.data.attempts).toHaveLength(6);
  expect(json.data).toMatchObject({ state: "discarded", attempts_made: 6, discard_at: null });
  expect(json.data.attempts[5]).toMatchObject({
    number: 6,
    manual: false,
    posts: 1,
    status_code: 500,
    response_excerpt: "broken",
  });
  const { data } = (await dashboard(fixture, "GET", "/notifications")).json;
  const told = data.filter((one: { subscription_id: number }) => one.subscription_id === id);
  expect(told).toMatchObject([
    { kind: "delivery_discarded", delivery_id: delivery.id, read_at: null },
    { kind: "delivery_exhausted_warning", delivery_id: delivery.id, read_at: null },
  ]);
});

test("a receiver that recovers gets no attempt after the one that succeeded", async () => {
  fixture.sink.answer = (posted, response) => {
    response.writeHead(posted.headers["x-service-attempt"] === "3" ? 200 : 500).end();
  };
  const { id } = await subscribe(fixture, "/recovers");
  await createContact(fixture);
  await eventually(async () => {
    expect(await deliveriesOf(fixture, id)).toMatchObject([{ state: "delivered" }]);
  });
  expect(postsTo(fixture, "/recovers")).toHaveLength(3);
});

test("each subscription gets what its patterns and channels select, and nothing else", async () => {
  const filters = {
    "/all": { events: ["*"] },
    "/messages": { events: ["message.*"] },
    "/one": { events: ["message.received"] },
    "/whatsapp": { events: ["*"], channels: ["whatsapp"] },
    "/instagram": { events: ["*"], channels: ["instagram"] },
    "/contacts": { events: ["contact.*"], channels: ["instagram"] },
  };
  for (const [path, filter] of Object.entries(filters)) await subscribe(fixture, path, filter);
  await publishSample(fixture, "message.received");
  await publishSample(fixture, "message.sent");
  await publishSample(fixture, "conversation.closed");
  await createContact(fixture);
  const received = (path: string) =>
    postsTo(fixture, path)
      .map(({ headers }) => String(headers["x-service-event"]))
      .toSorted();
  const sent = ["contact.created", "conversation.closed", "message.received", "message.sent"];
  await eventually(() => {
    expect(received("/all")).toEqual(sent);
    expect(received("/messages")).toEqual(["message.received", "message.sent"]);
    expect(received("/one")).toEqual(["message.received"]);
    expect(received("/whatsapp")).toEqual(sent);
    // What carries no channel passes every channel filter.
    expect(received("/instagram")).toEqual(["contact.created", "conversation.closed"]);
    expect(received("/contacts")).toEqual(["contact.created"]);
  });
});

test("test.ping reaches the one subscription it was asked for, whatever that selects", async () => {
  const asked = await subscribe(fixture, "/pinged", { events: ["appointment.created"] });
  await subscribe(fixture, "/other", { events: ["*"] });
  const answer = await dashboard(fixture, "POST", `/subscriptions/${asked.id}/test`);
  expect(answer.status).toBe(202);
  const [post] = await eventually(() => {
    expect(postsTo(fixture, "/pinged")).toHaveLength(1);
    return postsTo(fixture, "/pinged");
  });
  expect(JSON.parse(String(post?.body))).toMatchObject({
    event_id: answer.json.data.event_id,
    event_type: "test.ping",
    data: { subscription_id: asked.id, triggered_by_user_id: fixture.account.userId },
  });
  expect(await deliveriesOf(fixture, asked.id)).toMatchObject([
    { id: answer.json.data.delivery_id },
  ]);
  expect(postsTo(fixture, "/other")).toEqual([]);
});

test("a receiver that never answers fails its attempt after 8 s", async () => {
  let held = 0;
  let endedByWorker = 0;
  fixture.sink.answer = (posted, response) => {
    const { path, headers } = posted;
    const isFirst = path === "/hangs" && headers["x-service-attempt"] === "1";
    if (!isFirst) return void response.writeHead(204).end();
    held += 1;
    response.on("close", () => (endedByWorker += 1));
  };
  const { id } = await subscribe(fixture, "/hangs");
  await createContact(fixture);
  await eventually(async () => {
    expect(await deliveriesOf(fixture, id)).toMatchObject([{ state: "delivered" }]);
  });
  const [delivery] = await deliveriesOf(fixture, id);
  const { json } = await dashboard(fixture, "GET", `/deliveries/${delivery.id}`);
  expect(json.data.attempts).toMatchObject([
    { number: 1, error_class: "timeout", status_code: null, posts: 1 },
    { number: 2, error_class: null, status_code: 204 },
  ]);
  expect(json.data.attempts[0].duration_ms).toBeGreaterThanOrEqual(7_990);
  // The receiver still holds its answer.
  expect([held, endedByWorker]).toEqual([1, 1]);
});

test("deleting a subscription ends its 1,200 open deliveries, and none goes out any more", async () => {
  const { dataSource } = fixture.database;
  fixture.sink.answer = (_, response) => void response.writeHead(500).end();
  const { id } = await subscribe(fixture, "/deleted");
  const other = await subscribe(fixture, "/kept", { events: ["appointment.created"] });
  const insert = `INSERT INTO deliveries (account_id, event_id, subscription_id, event_type, state)
    SELECT ?, UNHEX(REPLACE(UUID(), '-', '')), ?, 'contact.created', ? FROM events e1, events e2,
      (SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7
       UNION SELECT 8) many, information_schema.collations LIMIT ?`;
  const { accountId } = fixture.account;
  await dataSource.query(insert, [accountId, id, "waiting", 1_100]);
  await dataSource.query(insert, [accountId, id, "held", 100]);
  await dataSource.query(insert, [accountId, id, "delivered", 5]);
  await dataSource.query(insert, [accountId, other.id, "waiting", 5]);
  expect((await dashboard(fixture, "DELETE", `/subscriptions/${id}`)).status).toBe(200);

  const countOf = async (subscriptionId: number) =>
    await dataSource.query(
      "SELECT state, reason, COUNT(*) AS n FROM deliveries WHERE subscription_id = ? GROUP BY 1, 2 ORDER BY 1",
      [subscriptionId],
    );
  const handle = fixture.temporal.workflow.getHandle(`cancel-deliveries-subscription-${id}-v2`);
  expect(await eventually(() => handle.result())).toEqual({ cancelled: 1_200 });
  expect(await countOf(id)).toEqual([
    { state: "cancelled", reason: "subscription_deleted", n: 1_200 },
    { state: "delivered", reason: null, n: 5 },
  ]);
  expect(await countOf(other.id)).toEqual([{ state: "waiting", reason: null, n: 5 }]);
  const { events } = await handle.fetchHistory();
  const batches = events?.filter((event) => event.activityTaskCompletedEventAttributes);
  // An activity makes as many steps of 500 as it can, so the history stays short.
  expect(batches?.length).toBeLessThanOrEqual(3);
});

test("a delivery that waits when its subscription is deleted is not posted again", async () => {
  fixture.sink.answer = (_, response) => void response.writeHead(500).end();
  const { id } = await subscribe(fixture, "/leaves");
  await createContact(fixture);
  await eventually(() => expect(postsTo(fixture, "/leaves").length).toBeGreaterThan(0));
  await dashboard(fixture, "DELETE", `/subscriptions/${id}`);
  const sent = postsTo(fixture, "/leaves").length;
  const [delivery] = await eventually(async () => {
    const rows = await deliveriesOf(fixture, id);
    expect(rows).toMatchObject([{ state: "cancelled", reason: "subscription_deleted" }]);
    return rows;
  });
  const handle = fixture.temporal.workflow.getHandle(delivery.workflow_id);
  expect(await handle.result()).toEqual({ state: "cancelled" });
  // One may have been on its way when the subscription went.
  expect(postsTo(fixture, "/leaves").length).toBeLessThanOrEqual(sent + 1);
  expect((await handle.describe()).status.name).toBe("COMPLETED");
});
