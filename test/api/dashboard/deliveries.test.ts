import { beforeAll, expect, test } from "vitest";
import { deliveryStates } from "../../../core/model/workflow/delivery.ts";
import {
  createTestAccount,
  createTestSubscription,
  type TestAccount,
} from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { startTestApi } from "../../support/api.ts";
import { insertRow, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const settings = { TEMPORAL_UI_URL: "http://127.0.0.1:8233/" };
const fixture = useFixture(async () => await startApiFixture(settings));
let other: TestAccount;
let hooks: number[] = [];
interface Row {
  id: number;
  event_id: string;
  subscription_id: number;
  state: string;
  event_type: string;
}

beforeAll(async () => {
  other = await createTestAccount(fixture.database.dataSource);
  const { dataSource } = fixture.database;
  const make = async (accountId: number, events: string[]) =>
    (await createTestSubscription(dataSource, accountId, { url: "http://127.0.0.1:9/", events }))
      .id;
  hooks = [
    await make(fixture.account.accountId, ["*"]),
    await make(fixture.account.accountId, ["contact.created"]),
  ];
  await make(other.accountId, ["*"]);
  for (const { apiKey } of [fixture.account, other]) {
    for (let index = 0; index < 6; index += 1) {
      const body = { phone: `3460000000${index}`, name: "Ana" };
      await fixture.api.call("POST", "/api/v1/contacts", { apiKey, body });
      await fixture.api.call("POST", "/api/v1/contacts", {
        apiKey,
        body: { ...body, name: "Ana M." },
      });
    }
  }
});

const get = async (path: string, account = fixture.account): Promise<TestAnswer> =>
  await fixture.api.call("GET", `/dashboard/api/deliveries${path}`, { cookie: account.cookie });

const all = async (): Promise<Row[]> => (await get("?limit=100")).json.data;

test("the log holds the account's deliveries, newest first, in pages that add up", async () => {
  const rows = await all();
  expect(rows).toHaveLength(18);
  expect(rows.map(({ id }) => id)).toEqual(rows.map(({ id }) => id).toSorted((a, b) => b - a));
  const seen: number[] = [];
  for (let next = "", pages = 1; pages < 5; pages += 1) {
    const { data, meta } = (await get(`?limit=5${next}`)).json;
    seen.push(...(data as Row[]).map(({ id }) => id));
    const last = pages === 4 ? null : seen.at(-1);
    expect(meta).toStrictEqual({
      total: 18,
      total_at_least: false,
      limit: 5,
      next: last,
    });
    next = `&before_id=${last}`;
  }
  expect(seen).toEqual(rows.map(({ id }) => id));
});

test("each filter, and filters together, answer what a plain scan would", async () => {
  const rows = await all();
  const [first] = rows;
  await fixture.query("UPDATE deliveries SET state = 'delivered' WHERE id % 3 = 0");
  const now = await all();
  const filters: [string, (row: Row) => boolean][] = [
    [`subscription_id=${hooks[1]}`, (row) => row.subscription_id === hooks[1]],
    ["state=delivered", (row) => row.state === "delivered"],
    ["state=queued", (row) => row.state === "queued"],
    ["event_type=contact.updated", (row) => row.event_type === "contact.updated"],
    [`event_id=${first?.event_id}`, (row) => row.event_id === first?.event_id],
    [`event_id=${first?.event_id.toUpperCase()}`, (row) => row.event_id === first?.event_id],
    [
      `subscription_id=${hooks[0]}&state=delivered&event_type=contact.created`,
      (row) =>
        row.subscription_id === hooks[0] &&
        row.state === "delivered" &&
        row.event_type === "contact.created",
    ],
    ["event_type=test.ping", () => false],
    ["subscription_id=999999", () => false],
  ];
  for (const [query, wanted] of filters) {
    const answer = await get(`?limit=100&${query}`);
    const expected = now.filter(wanted);
    expect([query, answer.json.data, answer.json.meta.total]).toEqual([
      query,
      expected,
      expected.length,
    ]);
  }
  await fixture.query("UPDATE deliveries SET state = 'queued'");
});

test.each([
  "since=yesterday",
  "until=2026-03-02",
  `search=${"x".repeat(255)}`,
  "state=lost",
  "state=queued&state=held",
  "event_type=contact.*",
  "event_id=abc",
  "subscription_id=0",
  "subscription_id=-1",
  "subscription_id=abc",
  "subscription_id=1e3",
  "limit=0",
])("the filter %s is 400", async (query) => {
  const answer = await get(`?${query}`);
  expect([answer.status, answer.json.error.code]).toEqual([400, "validation_error"]);
});

test("every state can be asked for", async () => {
  for (const state of deliveryStates) expect((await get(`?state=${state}`)).status).toBe(200);
});

test("another account's subscription and event filter nothing in, and its delivery is 404", async () => {
  const [theirs] = (await get("", other)).json.data as Row[];
  for (const query of [
    `subscription_id=${theirs?.subscription_id}`,
    `event_id=${theirs?.event_id}`,
  ]) {
    const answer = await get(`?${query}`);
    expect([answer.json.data, answer.json.meta.total]).toEqual([[], 0]);
  }
  expect((await get(`/${theirs?.id}`)).status).toBe(404);
});

test("a delivery is read with its envelope, its link to Temporal UI and every attempt in order", async () => {
  const [row] = await all();
  const id = Number(row?.id);
  const attempt = {
    account_id: fixture.account.accountId,
    delivery_id: id,
    manual: 0,
    started_at: "2026-03-02 14:05:11.214",
    request_url: "http://127.0.0.1:9/",
  };
  const failed = {
    status_code: 500,
    duration_ms: 12,
    response_excerpt: "<b>no</b>",
    ip: "127.0.0.1",
  };
  const headers = { response_headers: JSON.stringify({ "content-type": "text/html" }) };
  await insertRow(fixture, "delivery_attempts", {
    ...attempt,
    run: 2,
    seq: 1,
    number: 1,
    manual: 1,
  });
  await insertRow(fixture, "delivery_attempts", {
    ...attempt,
    run: 1,
    seq: 2,
    number: 2,
    error_class: "timeout",
    posts: 2,
  });
  await insertRow(fixture, "delivery_attempts", {
    ...attempt,
    run: 1,
    seq: 1,
    number: 1,
    ...failed,
    ...headers,
  });
  const answer = await get(`/${id}`);
  const nothing = {
    duration_ms: null,
    status_code: null,
    error_class: null,
    request_headers: null,
    response_headers: null,
    response_excerpt: null,
    ip: null,
  };
  const common = {
    posts: 1,
    manual: false,
    started_at: "2026-03-02T14:05:11.214Z",
    request_url: attempt.request_url,
  };
  const [stored] = await fixture.query<{ body: Buffer }>(
    "SELECT body FROM events WHERE id = UUID_TO_BIN(?)",
    [row?.event_id],
  );
  expect(answer.json.data).toStrictEqual({
    ...row,
    body: stored?.body.toString("utf8"),
    waits_ms: [30_000, 120_000, 600_000, 3_600_000, 21_600_000, 86_400_000],
    event: {
      event_id: row?.event_id,
      event_type: row?.event_type,
      occurred_at: expect.any(String),
      data: expect.objectContaining({ source: "api", phone: "34600000005" }),
    },
    attempts: [
      {
        ...nothing,
        ...common,
        run: 1,
        seq: 1,
        number: 1,
        ...failed,
        response_headers: { "content-type": "text/html" },
      },
      { ...nothing, ...common, run: 1, seq: 2, number: 2, error_class: "timeout", posts: 2 },
      { ...nothing, ...common, run: 2, seq: 1, number: 1, manual: true },
    ],
    attempts_total: 3,
  });
  const { workflow_id, workflow_url } = answer.json.data;
  expect(workflow_url).toBe(`http://127.0.0.1:8233/namespaces/default/workflows/${workflow_id}`);
  const installation = { id: "k7m2qx", hasPlainNames: false };
  const named = await startTestApi(
    fixture.database,
    { ...settings, RETRY_WAITS_MS: "100,200,300,400,500,600" },
    installation,
  );
  const path = `/dashboard/api/deliveries/${id}`;
  const { data } = (await named.call("GET", path, { cookie: fixture.account.cookie })).json;
  expect(data.waits_ms).toEqual([100, 200, 300, 400, 500, 600]);
  expect(data.workflow_id).toBe(`k7m2qx-${workflow_id}`);
  expect(data.workflow_url).toBe(
    `http://127.0.0.1:8233/namespaces/default/workflows/k7m2qx-${workflow_id}`,
  );
  await named.stop();
  await fixture.query(
    "UPDATE events SET body = NULL, erased_at = NOW() WHERE id = UUID_TO_BIN(?)",
    [row?.event_id],
  );
  expect((await get(`/${id}`)).json.data).toMatchObject({ event: null, body: null });
});

test("a delivery with many attempts is read with its newest 100, and all of them by the page", async () => {
  const [row] = (await get("?event_type=contact.updated&limit=1&offset=2")).json.data;
  const headers = JSON.stringify({ "x-fill": "x".repeat(15_000) });
  await fixture.query("DELETE FROM delivery_attempts WHERE delivery_id = ?", [row.id]);
  await fixture.query(
    `INSERT INTO delivery_attempts (account_id, delivery_id, run, seq, number, started_at, request_url, response_headers)
     WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 229)
     SELECT ?, ?, 1 + i DIV 50, 1 + i % 50, 6, NOW(3), 'https://x/', ? FROM n`,
    [fixture.account.accountId, row.id, headers],
  );
  const places = (attempts: { run: number; seq: number }[]) =>
    attempts.map(({ run, seq }) => (run - 1) * 50 + seq - 1);
  const from = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);
  const whole = await get(`/${row.id}`);
  expect(whole.text.length).toBeLessThan(100 * 16_000);
  expect(whole.json.data.attempts_total).toBe(230);
  expect(places(whole.json.data.attempts)).toEqual(from(130, 100));
  const page = await get(`/${row.id}/attempts?limit=100&offset=200`);
  expect(page.json.meta).toEqual({ total: 230, total_at_least: false, limit: 100, offset: 200 });
  expect(places(page.json.data)).toEqual(from(0, 30).toReversed());
  expect(page.json.data.at(-1)).toStrictEqual({
    ...whole.json.data.attempts[0],
    run: 1,
    seq: 1,
  });
});

test("the attempts of a delivery that is another account's, or none, are not found", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const [row] = await all();
  expect((await get(`/${row?.id}/attempts`, other)).status).toBe(404);
  expect((await get("/999999/attempts")).json.error.code).toBe("delivery_not_found");
  expect((await get(`/${row?.id}/attempts?limit=101`)).status).toBe(400);
});

test("a row tells whom it is about, also after a merge, and what came back last in its run", async () => {
  const [row] = (await get("?event_type=contact.updated&limit=4")).json.data.slice(3);
  expect(row).toMatchObject({
    contact: { id: expect.any(Number), name: "Ana M." },
    conversation_id: null,
    last_answer: null,
  });
  const attempt = {
    account_id: fixture.account.accountId,
    delivery_id: row.id,
    number: 1,
    started_at: "2026-03-02 14:05:11.214",
    request_url: "http://127.0.0.1:9/",
    error_class: "http_status",
  };
  const old = { run: 1, seq: 2, status_code: 410, duration_ms: 9 };
  const last = { run: 2, seq: 1, status_code: 500, duration_ms: 312 };
  await insertRow(fixture, "delivery_attempts", { ...attempt, ...old });
  await insertRow(fixture, "delivery_attempts", { ...attempt, ...last });
  await fixture.query("UPDATE deliveries SET run = 2, attempts_made = 1 WHERE id = ?", [row.id]);
  const other = await fixture.api.call("POST", "/api/v1/contacts", {
    apiKey: fixture.account.apiKey,
    body: { email: "ana@example.com", name: "Ana Ruiz" },
  });
  await fixture.query("UPDATE contacts SET merged_into_id = ? WHERE id = ?", [
    other.json.data.id,
    row.contact.id,
  ]);
  expect((await get(`/${row.id}`)).json.data).toMatchObject({
    contact: { id: other.json.data.id, name: "Ana Ruiz" },
    last_answer: { status_code: 500, error_class: "http_status", duration_ms: 312 },
  });
});

test("an attempt shows no signature, and its whole URL to admins only", async () => {
  const { dataSource } = fixture.database;
  const account = await createTestAccount(dataSource, { role: "agent" });
  await createTestSubscription(dataSource, account.accountId, { url: "http://127.0.0.1:9/" });
  await fixture.api.call("POST", "/api/v1/contacts", {
    apiKey: account.apiKey,
    body: { phone: "34600000099", name: "Ana" },
  });
  const { id } = (await get("", account)).json.data[0];
  const sent = {
    "X-Service-Event": "contact.created",
    "X-Service-Signature": `sha256=${"a".repeat(64)}`,
    "webhook-signature": "v1,c2lnbmVk",
  };
  await insertRow(fixture, "delivery_attempts", {
    account_id: account.accountId,
    delivery_id: id,
    run: 1,
    seq: 1,
    number: 1,
    started_at: "2026-03-02 14:05:11.214",
    request_url: "http://127.0.0.1:9/hook/secret?token=secret",
    request_headers: JSON.stringify(sent),
  });
  const attempt = async () => (await get(`/${id}`, account)).json.data.attempts[0];
  const request_headers = {
    "X-Service-Event": "contact.created",
    "X-Service-Signature": "(hidden)",
    "webhook-signature": "(hidden)",
  };
  const masked = { request_url: "http://127.0.0.1:9/…", request_headers };
  expect(await attempt()).toMatchObject(masked);
  await fixture.query("UPDATE memberships SET role = 'admin' WHERE account_id = ?", [
    account.accountId,
  ]);
  const request_url = "http://127.0.0.1:9/hook/secret?token=secret";
  expect(await attempt()).toMatchObject({ request_url, request_headers });
});
