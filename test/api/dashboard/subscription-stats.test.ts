import { expect, test } from "vitest";
import { eventTypes } from "../../../core/model/event-types.ts";
import { sampleEvent, serializeEvent } from "../../../core/model/events.ts";
import { verifySignature, verifyStandard } from "../../../core/signature.ts";
import { createTestAccount, createTestSubscription } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { insertRow, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
const hourMs = 3_600_000;
const url = "http://127.0.0.1:9/hook";

const get = async (path: string, cookie = fixture.account.cookie): Promise<TestAnswer> =>
  await fixture.api.call("GET", `/dashboard/api${path}`, { cookie });

async function subscribe(accountId = fixture.account.accountId) {
  return await createTestSubscription(fixture.database.dataSource, accountId, { url });
}

interface Answer {
  hoursAgo?: number;
  status?: number | null;
  ms?: number | null;
}

let deliveryId = 1_000;

/** An attempt as the worker writes it down. @returns the delivery that it is of */
async function attempt(
  subscriptionId: number,
  { hoursAgo = 0, status = 200, ms = 20 }: Answer = {},
): Promise<number> {
  const startedHour = Math.floor(Date.now() / hourMs) - hoursAgo;
  deliveryId += 1;
  await insertRow(fixture, "delivery_attempts", {
    account_id: fixture.account.accountId,
    delivery_id: deliveryId,
    subscription_id: subscriptionId,
    run: 1,
    seq: 1,
    number: 1,
    started_at: new Date(startedHour * hourMs + 60_000),
    started_hour: startedHour,
    duration_ms: ms,
    status_code: ms === null ? null : status,
    error_class: ms === null || status === 200 ? null : status === null ? "timeout" : "http_status",
    request_url: url,
  });
  return deliveryId;
}

test("a subscription that was never posted to has 24 empty hours, no p95 and no error", async () => {
  const { id } = await subscribe();
  const { data } = (await get(`/subscriptions/${id}/stats`)).json;
  expect(data).toMatchObject({
    subscription_id: id,
    attempts: 0,
    failed: 0,
    p95_ms: null,
    last_error: null,
    sampled: false,
  });
  expect(data.hours).toHaveLength(24);
  expect(data.hours.at(-1)).toMatchObject({
    starts_at: new Date(Math.floor(Date.now() / hourMs) * hourMs).toISOString(),
    attempts: 0,
  });
});

test("attempts count in the hour they started, failures beside them, for 24 hours; one under way does not yet", async () => {
  const { id } = await subscribe();
  await attempt(id);
  await attempt(id, { status: 500 });
  await attempt(id, { ms: null });
  await attempt(id, { hoursAgo: 23, status: 301 });
  await attempt(id, { hoursAgo: 24, status: 500 });
  const { data } = (await get(`/subscriptions/${id}/stats`)).json;
  const counts = data.hours.map((hour: { attempts: number; failed: number }) => [
    hour.attempts,
    hour.failed,
  ]);
  expect(counts).toEqual([[1, 1], ...Array.from({ length: 22 }, () => [0, 0]), [2, 1]]);
  expect([data.attempts, data.failed]).toEqual([3, 2]);
});

test("the p95 is that of the answers: who does not answer has none", async () => {
  const { id } = await subscribe();
  for (let ms = 1; ms <= 20; ms += 1) await attempt(id, { ms, hoursAgo: ms });
  await attempt(id, { status: null, ms: 8_000 });
  const { data } = (await get(`/subscriptions/${id}/stats`)).json;
  expect([data.p95_ms, data.attempts]).toEqual([19, 21]);
});

test("the last error is the newest failed attempt, with its delivery", async () => {
  const { id } = await subscribe();
  await attempt(id, { hoursAgo: 5, status: 410 });
  const newest = await attempt(id, { hoursAgo: 2, status: null, ms: 8_000 });
  await attempt(id);
  const { data } = (await get(`/subscriptions/${id}/stats`)).json;
  expect(data.last_error).toEqual({
    delivery_id: newest,
    at: expect.stringMatching(/Z$/),
    status_code: null,
    error_class: "timeout",
  });
});

test("the newest five finished attempts decide about failing, over days and without those under way", async () => {
  const { id } = await subscribe();
  const failing = async () => (await get(`/subscriptions/${id}/stats`)).json.data.failing;
  const old = await attempt(id, { hoursAgo: 60, status: 500 });
  for (let index = 0; index < 3; index += 1) await attempt(id, { hoursAgo: 50, status: 500 });
  expect(await failing()).toBe(false);
  await attempt(id, { hoursAgo: 40, status: null, ms: 8_000 });
  await attempt(id, { ms: null });
  expect(await failing()).toBe(true);
  const { data } = (await get(`/subscriptions/${id}/stats`)).json;
  expect([data.attempts, data.last_error.error_class]).toEqual([0, "timeout"]);
  expect(data.last_error.delivery_id).toBeGreaterThan(old);
  await attempt(id);
  expect(await failing()).toBe(false);
});

test("of an hour the newest 100 attempts are looked at, and it says so", async () => {
  const { id } = await subscribe();
  await attempt(id, { status: 500 });
  for (let index = 0; index < 100; index += 1) await attempt(id);
  const { data } = (await get(`/subscriptions/${id}/stats`)).json;
  expect([data.attempts, data.failed, data.sampled]).toEqual([100, 0, true]);
});

test("the list has every subscription of the account in one answer, and nobody else's", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const theirs = await subscribe(other.accountId);
  const [one, two] = [await subscribe(), await subscribe()];
  await attempt(one.id, { status: 500 });
  const { data } = (await get("/subscriptions/stats")).json;
  const list = (await get("/subscriptions")).json.data as { id: number }[];
  expect(data.map((row: { subscription_id: number }) => row.subscription_id)).toEqual(
    list.map(({ id }) => id),
  );
  expect(data.slice(0, 2)).toMatchObject([
    { subscription_id: two.id, attempts: 0 },
    { subscription_id: one.id, failed: 1 },
  ]);
  expect((await get(`/subscriptions/${theirs.id}/stats`)).status).toBe(404);
});

test("the samples are those of the catalogue, signed for this subscription; the secret is not told", async () => {
  const { id, secret } = await subscribe();
  const answer = await get(`/subscriptions/${id}/samples`);
  expect(answer.text).not.toContain(secret);
  const samples = answer.json.data as {
    event_type: (typeof eventTypes)[number];
    headers: Record<string, string>;
    body: string;
  }[];
  expect(samples.map(({ event_type }) => event_type)).toEqual([...eventTypes]);
  for (const { event_type, headers, body } of samples) {
    expect(body).toBe(serializeEvent(sampleEvent(event_type)));
    expect(headers).toMatchObject({ "X-Service-Event": event_type, "X-Service-Attempt": "1" });
    const bytes = Buffer.from(body, "utf8");
    expect(verifySignature(headers["X-Service-Signature"], secret, bytes)).toBe(true);
    const claim = {
      secrets: [secret],
      id: headers["webhook-id"],
      timestamp: headers["webhook-timestamp"],
      signature: headers["webhook-signature"],
      body: bytes,
      nowSeconds: Date.now() / 1_000,
    };
    expect(verifyStandard(claim)).toBe(true);
  }
});

test("within a day of a change of the secret, the old one signs the samples along", async () => {
  const { id, secret } = await subscribe();
  const cookie = fixture.account.cookie;
  const path = `/dashboard/api/subscriptions/${id}/rotate-secret`;
  const rotated = await fixture.api.call("POST", path, { cookie });
  const [sample] = (await get(`/subscriptions/${id}/samples`)).json.data;
  const bytes = Buffer.from(sample.body, "utf8");
  const service = sample.headers["X-Service-Signature"];
  expect(verifySignature(service, rotated.json.data.secret, bytes)).toBe(true);
  expect(verifySignature(service, secret, bytes)).toBe(false);
  expect(sample.headers["webhook-signature"].split(" ")).toHaveLength(2);
});
