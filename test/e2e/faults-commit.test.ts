import { beforeAll, expect, test } from "vitest";
import { startMysqlProxy } from "../../tools/faults/mysql-proxy.ts";
import { callApi } from "../support/api.ts";
import { createContact, freshPhone } from "../support/contact-load.ts";
import { eventually } from "../support/eventually.ts";
import { createProcessFixture } from "../support/process-fixture.ts";
import { attemptOf, settleLedger } from "../support/ledger.ts";
import type { TestProcess } from "../support/process.ts";
import { useFixture } from "../support/use-fixture.ts";

/** The statement by which a transaction shows that it publishes an event. */
const publishes = "INSERT INTO outbox";

const fixture = useFixture(createProcessFixture);
const proxy = useFixture(async () => await startMysqlProxy(fixture.database.url));
let apiKey: string;
let apiUrl: string;

beforeAll(async () => {
  apiKey = fixture.account.apiKey;
  const [api] = await Promise.all([startApi(), fixture.startWorker(throughProxy())]);
  apiUrl = api.url;
});

test("an event whose api process dies right after the commit is delivered once", async () => {
  const api = await startApi();
  const phone = freshPhone();
  const killed = proxy.trapCommit({
    of: publishes,
    when: "after",
    act: () => process.kill(api.pid, "SIGKILL"),
  });
  const call = await createContact(api.url, apiKey, phone);
  await killed;
  expect(call.status, "a broken connection").toBe(0);
  await expectOneEffect(phone);
});

test("a call that lost the answer to its COMMIT reads 503; a retry with its key has the one effect's answer", async () => {
  const phone = freshPhone();
  const headers = { "Idempotency-Key": "lost-commit" };
  const lost = proxy.trapCommit({ of: publishes, when: "after" });
  const call = await createContact(apiUrl, apiKey, phone, headers);
  await lost;
  expect(call).toMatchObject({ status: 503, code: "service_unavailable", retryAfter: "5" });

  const retry = await callApi(apiUrl, "POST", "/api/v1/contacts", {
    apiKey,
    headers,
    body: { phone },
  });
  expect(retry.status).toBe(201);
  expect(retry.headers.get("idempotent-replayed")).toBe("true");
  await expectOneEffect(phone);
});

test("without a key, the retry of an upsert that lost the answer to its COMMIT changes nothing more", async () => {
  const phone = freshPhone();
  const lost = proxy.trapCommit({ of: publishes, when: "after" });
  expect(await createContact(apiUrl, apiKey, phone)).toMatchObject({ status: 503 });
  await lost;
  expect(await createContact(apiUrl, apiKey, phone)).toMatchObject({ status: 200 });
  await expectOneEffect(phone);
});

test("an outcome whose COMMIT lost its answer is not posted for again", async () => {
  const phone = freshPhone();
  const lost = proxy.trapCommit({
    of: "STRAIGHT_JOIN delivery_attempts",
    when: "after",
  });
  expect(await createContact(apiUrl, apiKey, phone)).toMatchObject({ status: 201 });
  await lost;
  await expectOneEffect(phone);
});

async function startApi(): Promise<TestProcess & { url: string }> {
  return await fixture.startApi(throughProxy());
}

function throughProxy(): Record<string, string> {
  return { DATABASE_URL: proxy.url };
}

/** One contact, one event, one post, and all that came before is still in order. */
async function expectOneEffect(phone: string): Promise<void> {
  const { database, sink } = fixture;
  const events = await eventually(async () => {
    const rows = await database.dataSource.query<{ id: number; event: string; type: string }[]>(
      `SELECT c.id, BIN_TO_UUID(e.id) AS event, e.type FROM contacts c
         LEFT JOIN events e ON e.contact_id = c.id WHERE c.phone = ?`,
      [phone],
    );
    expect(rows.map(({ type }) => type)).toEqual(["contact.created"]);
    return rows;
  });
  expect(await settleLedger(fixture, [])).toBe(0);
  const posts = sink.posts.filter(
    ({ headers }) => headers["x-service-event-id"] === events[0]?.event,
  );
  expect(posts.map(attemptOf)).toEqual([1]);
}
