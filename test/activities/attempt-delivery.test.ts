import { expect, test } from "vitest";
import { makeLoopMark, verifySignature, verifyStandard } from "../../core/signature.ts";
import {
  deleteSubscription,
  rotateSubscriptionSecret,
  updateSubscription,
} from "../../core/services/subscriptions/subscriptions.ts";
import { uuidToBytes } from "../../db/entities/columns.ts";
import { asSystem, testSecretBox } from "../support/accounts.ts";
import type { Posted } from "../support/sink.ts";
import {
  answerWith,
  createAttemptFixture,
  queueDelivery,
  readAttempts,
  readDelivery,
  readRow,
  type Queued,
} from "./attempt-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(createAttemptFixture);

async function storedBody({ eventId }: Queued): Promise<Buffer> {
  const row = await readRow<{ body: Buffer }>(fixture, "SELECT body FROM events WHERE id = ?", [
    uuidToBytes(eventId),
  ]);
  return row?.body ?? Buffer.alloc(0);
}

/** Whether the Standard Webhooks headers of a post fit one of these secrets. */
function fitsStandard(post: Posted | undefined, ...secrets: string[]): boolean {
  const { headers = {}, body = Buffer.alloc(0) } = post ?? {};
  return verifyStandard({
    secrets,
    id: String(headers["webhook-id"]),
    timestamp: String(headers["webhook-timestamp"]),
    signature: String(headers["webhook-signature"]),
    body,
    nowSeconds: Date.now() / 1_000,
  });
}

function fitsOurs(post: Posted | undefined, secret: string): boolean {
  const { headers = {}, body = Buffer.alloc(0) } = post ?? {};
  return verifySignature(String(headers["x-service-signature"]), secret, body);
}

test("an attempt carries exactly the documented headers", async () => {
  const queued = await queueDelivery(fixture);
  expect(await queued.attempt({ seq: 1 })).toEqual({ state: "delivered" });
  const [post] = fixture.sink.posts;
  expect(post?.headers).toEqual({
    host: `127.0.0.1:${fixture.sink.port}`,
    connection: "keep-alive",
    "content-length": String(post?.body.length),
    "content-type": "application/json",
    "user-agent": "Parley-Webhooks/1",
    "x-service-event": "contact.created",
    "x-service-event-id": queued.eventId,
    "x-service-signature": expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    "x-service-attempt": "1",
    "x-service-loop-guard": makeLoopMark(testSecretBox),
    "webhook-id": queued.eventId,
    "webhook-timestamp": expect.stringMatching(/^\d{10}$/),
    "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
  });
  expect(fitsOurs(post, queued.secret)).toBe(true);
  expect(fitsStandard(post, queued.secret)).toBe(true);
});

test("an attempt that succeeds is written down and ends its delivery", async () => {
  const queued = await queueDelivery(fixture);
  fixture.sink.answer = (_, response) => {
    response.writeHead(200, { "X-Seen": "yes", "Content-Type": "text/plain" }).end("thanks");
  };
  await queued.attempt({ seq: 1 });
  expect(await readDelivery(fixture, queued)).toEqual({
    state: "delivered",
    reason: null,
    attempts_made: 1,
    next_attempt_at: null,
    discard_at: null,
    finished_at: expect.any(Date),
    last_status_code: 200,
    last_error_class: null,
  });
  expect(await readAttempts(fixture, queued)).toEqual([
    expect.objectContaining({
      seq: 1,
      number: 1,
      manual: 0,
      posts: 1,
      duration_ms: expect.any(Number),
      status_code: 200,
      error_class: null,
      request_url: `${fixture.sink.url}${fixture.sink.posts[0]?.path}`,
      request_headers: expect.objectContaining({
        "X-Service-Attempt": "1",
        "X-Service-Signature": "(hidden)",
        "webhook-signature": "(hidden)",
      }),
      response_headers: expect.objectContaining({ "x-seen": "yes" }),
      response_excerpt: "thanks",
      ip: "127.0.0.1",
    }),
  ]);
});

test("an attempt that fails leaves the delivery waiting for the next", async () => {
  const queued = await queueDelivery(fixture);
  answerWith(fixture.sink, 500);
  const before = Date.now();
  const outcome = await queued.attempt({ seq: 1 });
  expect(outcome).toEqual({
    state: "waiting",
    waitMs: 30_000,
    nextAttemptAt: expect.any(String),
    statusCode: 500,
    errorClass: "http_status",
  });
  const row = await readDelivery(fixture, queued);
  expect(row).toMatchObject({ state: "waiting", attempts_made: 1, last_status_code: 500 });
  const due = row?.next_attempt_at?.getTime() ?? 0;
  expect(due).toBeGreaterThanOrEqual(before + 30_000);
  expect(due).toBeLessThanOrEqual(Date.now() + 30_000);
});

test("six attempts send identical bytes and the same id, each with its number", async () => {
  const queued = await queueDelivery(fixture);
  answerWith(fixture.sink, 503);
  for (let seq = 1; seq <= 6; seq += 1) await queued.attempt({ seq });
  const { posts } = fixture.sink;
  expect(posts.map(({ headers }) => headers["x-service-attempt"])).toEqual([
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
  ]);
  expect(new Set(posts.map(({ headers }) => headers["webhook-id"]))).toEqual(
    new Set([queued.eventId]),
  );
  const body = await storedBody(queued);
  expect(posts.every((post) => post.body.equals(body))).toBe(true);
  expect(posts.every((post) => fitsOurs(post, queued.secret))).toBe(true);
  expect(JSON.parse(body.toString())).toMatchObject({ event_id: queued.eventId });
});

test("the bytes in MySQL arrive as they are: 5 MB, every byte value", async () => {
  const body = Buffer.alloc(5_000_000, Buffer.from(Array.from({ length: 256 }, (_, n) => n)));
  const queued = await queueDelivery(fixture, { body });
  expect(await queued.attempt({ seq: 1 })).toEqual({ state: "delivered" });
  expect(fixture.sink.posts[0]?.body.equals(body)).toBe(true);
  expect(fitsOurs(fixture.sink.posts[0], queued.secret)).toBe(true);
});

test("the next attempt goes to a URL changed between attempts", async () => {
  const queued = await queueDelivery(fixture);
  answerWith(fixture.sink, 500);
  await queued.attempt({ seq: 1 });
  await asSystem(fixture.database.dataSource, fixture.account.accountId, (tx) =>
    updateSubscription(tx, queued.subscriptionId, { url: `${fixture.sink.url}/moved?to=here` }),
  );
  await queued.attempt({ seq: 2 });
  expect(fixture.sink.posts[1]?.path).toBe("/moved?to=here");
  const [, second] = await readAttempts(fixture, queued);
  expect(second?.request_url).toBe(`${fixture.sink.url}/moved?to=here`);
});

test("after a rotation X-Service-Signature uses the new secret at once and webhook-signature both", async () => {
  const queued = await queueDelivery(fixture);
  answerWith(fixture.sink, 500);
  await queued.attempt({ seq: 1 });
  const fresh = await asSystem(fixture.database.dataSource, fixture.account.accountId, (tx) =>
    rotateSubscriptionSecret(tx, testSecretBox, queued.subscriptionId),
  );
  await queued.attempt({ seq: 2 });
  const [first, second] = fixture.sink.posts;
  expect(fitsOurs(first, queued.secret)).toBe(true);
  expect(fitsOurs(second, queued.secret)).toBe(false);
  expect(fitsOurs(second, fresh)).toBe(true);
  expect(String(second?.headers["webhook-signature"]).split(" ")).toHaveLength(2);
  expect(fitsStandard(second, queued.secret)).toBe(true);
  expect(fitsStandard(second, fresh)).toBe(true);

  await fixture.database.dataSource.query(
    "UPDATE subscription_secrets SET valid_until = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND WHERE subscription_id = ? AND valid_until IS NOT NULL",
    [queued.subscriptionId],
  );
  await queued.attempt({ seq: 3 });
  expect(fitsStandard(fixture.sink.posts[2], queued.secret)).toBe(false);
  expect(fitsStandard(fixture.sink.posts[2], fresh)).toBe(true);
});

test.each([
  { to: "paused", state: "held", reason: "subscription_paused", next: expect.any(Date) },
  { to: "disabled", state: "held", reason: "subscription_disabled", next: expect.any(Date) },
  { to: "deleted", state: "cancelled", reason: "subscription_deleted", next: null },
])("a subscription $to between attempts gets no more posts: $state", async (given) => {
  const queued = await queueDelivery(fixture);
  answerWith(fixture.sink, 500);
  await queued.attempt({ seq: 1 });
  if (given.to === "deleted") {
    await asSystem(fixture.database.dataSource, fixture.account.accountId, (tx) =>
      deleteSubscription(tx, queued.subscriptionId),
    );
  } else {
    await fixture.database.dataSource.query("UPDATE subscriptions SET state = ? WHERE id = ?", [
      given.to,
      queued.subscriptionId,
    ]);
  }
  expect(await queued.attempt({ seq: 2 })).toEqual({ state: given.state });
  expect(fixture.sink.posts).toHaveLength(1);
  expect(await readAttempts(fixture, queued)).toHaveLength(1);
  expect(await readDelivery(fixture, queued)).toMatchObject({
    state: given.state,
    reason: given.reason,
    next_attempt_at: given.next,
  });
});

test("an event whose bytes were erased is not sent any more", async () => {
  const queued = await queueDelivery(fixture);
  await fixture.database.dataSource.query("UPDATE events SET body = NULL WHERE id = ?", [
    uuidToBytes(queued.eventId),
  ]);
  expect(await queued.attempt({ seq: 1 })).toEqual({ state: "cancelled" });
  expect(fixture.sink.posts).toEqual([]);
  expect(await readDelivery(fixture, queued)).toMatchObject({
    state: "cancelled",
    reason: "erased",
  });
});

test("a run that a newer one has replaced does nothing", async () => {
  const queued = await queueDelivery(fixture);
  await fixture.database.dataSource.query("UPDATE deliveries SET run = 2 WHERE id = ?", [
    queued.deliveryId,
  ]);
  expect(await queued.attempt({ seq: 1 })).toEqual({ state: "superseded" });
  expect(await fixture.activities.discardDelivery(queued.run)).toBe("superseded");
  expect(await fixture.activities.cancelDelivery(queued.run)).toBe("superseded");
  expect(fixture.sink.posts).toEqual([]);
  expect(await readDelivery(fixture, queued)).toMatchObject({ state: "queued", attempts_made: 0 });
});
