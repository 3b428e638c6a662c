import { expect, test } from "vitest";
import {
  createTestAccount,
  createTestSubscription,
  testSecretBox,
} from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { secretContext } from "../../../core/services/subscriptions/subscriptions.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const url = "http://127.0.0.1:9/hook";

async function call(
  method: string,
  path: string,
  body?: unknown,
  cookie = fixture.account.cookie,
): Promise<TestAnswer> {
  return await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
}

/** An account of its own, so that nothing here counts for another test. */
async function newAdmin() {
  const account = await createTestAccount(fixture.database.dataSource);
  return { ...account, call: (m: string, p: string, b?: unknown) => call(m, p, b, account.cookie) };
}

async function create(body: object = {}): Promise<TestAnswer> {
  return await call("POST", "/subscriptions", { url, events: ["*"], ...body });
}

async function grep(text: string): Promise<string[]> {
  const columns = await fixture.query<{ t: string; c: string }>(
    "SELECT table_name AS t, column_name AS c FROM information_schema.columns WHERE table_schema = DATABASE()",
  );
  const found: string[] = [];
  for (const { t, c } of columns) {
    const sql = `SELECT 1 FROM ${t} WHERE LOCATE(CAST(? AS BINARY), CAST(\`${c}\` AS BINARY)) > 0 LIMIT 1`;
    if ((await fixture.query(sql, [text])).length > 0) found.push(`${t}.${c}`);
  }
  return found;
}

test("an agent reads of a subscription's URL the host alone, in the list and by itself", async () => {
  const { call: asAdmin, accountId, userId } = await newAdmin();
  const secretUrl = "http://127.0.0.1:9/hook/secret?token=secret";
  const made = await asAdmin("POST", "/subscriptions", { url: secretUrl, events: ["*"] });
  const { id } = made.json.data;
  const read = async () => [
    (await asAdmin("GET", "/subscriptions")).json.data[0].url,
    (await asAdmin("GET", `/subscriptions/${id}`)).json.data.url,
  ];
  expect([made.json.data.url, ...(await read())]).toEqual([secretUrl, secretUrl, secretUrl]);
  const member = [accountId, userId];
  await fixture.query(
    "UPDATE memberships SET role = 'agent' WHERE account_id = ? AND user_id = ?",
    member,
  );
  expect(await read()).toEqual(["http://127.0.0.1:9/…", "http://127.0.0.1:9/…"]);
});

test("a new subscription answers its view and, this once, its secret", async () => {
  const made = await create({
    name: " CRM ",
    events: ["contact.*", "test.ping", "contact.*"],
    channels: ["whatsapp", "whatsapp"],
  });
  expect(made.status).toBe(201);
  const { secret, ...view } = made.json.data;
  expect(made.json).toStrictEqual({
    success: true,
    data: {
      id: expect.any(Number),
      name: "CRM",
      url,
      events: ["contact.*", "test.ping"],
      channels: ["whatsapp"],
      auto_disable: false,
      max_concurrency: null,
      state: "active",
      disabled_reason: null,
      created_at: timestamp,
      updated_at: view.created_at,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    },
  });
  expect((await call("GET", `/subscriptions/${view.id}`)).json.data).toStrictEqual(view);
  const list = await call("GET", "/subscriptions?limit=1");
  expect(list.json).toStrictEqual({
    success: true,
    data: [view],
    meta: { total: expect.any(Number), total_at_least: false, limit: 1, offset: 0 },
  });
  for (const path of [`/subscriptions/${view.id}`, "/subscriptions", "/deliveries", "/api-keys"]) {
    expect((await call("GET", path)).text).not.toContain("whsec_");
  }
  expect(await grep(secret)).toEqual([]);
  expect(await grep(secret.slice("whsec_".length))).toEqual([]);
  const [row] = await fixture.query<{ sealed: string; key_id: string }>(
    "SELECT sealed, key_id FROM subscription_secrets WHERE subscription_id = ?",
    [view.id],
  );
  const context = secretContext(fixture.account.accountId, view.id);
  expect(testSecretBox.open(row?.sealed ?? "", context)).toBe(secret);
  expect(() => testSecretBox.open(row?.sealed ?? "", secretContext(99, view.id))).toThrow(
    "cannot be opened",
  );
  expect(row?.key_id).toBe("test");
});

test("automatic disabling is chosen for each subscription, and changed alone", async () => {
  const { id, ...made } = (await create({ auto_disable: true })).json.data;
  expect(made.auto_disable).toBe(true);
  const changed = await call("PATCH", `/subscriptions/${id}`, { auto_disable: false });
  expect(changed.json.data).toMatchObject({ url: made.url, auto_disable: false });
  expect((await call("GET", `/subscriptions/${id}`)).json.data.auto_disable).toBe(false);
});

test("the number of POSTs at once is chosen for each subscription, up to the installation's", async () => {
  const { id, ...made } = (await create({ max_concurrency: 50 })).json.data;
  expect(made.max_concurrency).toBe(50);
  const patch = async (body: object) => await call("PATCH", `/subscriptions/${id}`, body);
  expect((await patch({ max_concurrency: 1 })).json.data).toMatchObject({
    url: made.url,
    max_concurrency: 1,
  });
  expect((await patch({ name: "Another" })).json.data.max_concurrency).toBe(1);
  expect((await patch({ max_concurrency: null })).json.data.max_concurrency).toBeNull();
  // The installation may have allowed more when it was chosen.
  await fixture.query("UPDATE subscriptions SET max_concurrency = 200 WHERE id = ?", [id]);
  expect((await patch({ name: "More" })).json.data).toMatchObject({
    name: "More",
    max_concurrency: 200,
  });
  await call("DELETE", `/subscriptions/${id}`);
});

test("without a name it is called by its host, which is cut to what a name may be", async () => {
  expect((await create()).json.data.name).toBe("127.0.0.1:9");
  const host = `${Array.from({ length: 4 }, () => "a".repeat(55)).join(".")}.invalid`;
  const long = await create({ url: `https://${host}/` });
  expect([long.status, long.json.data.name]).toEqual([201, host.slice(0, 200)]);
  expect(long.json.data.channels).toBeNull();
});

test.each<[object, string[]]>([
  [{ events: [] }, ["body.events empty_events"]],
  [{ channels: [] }, ["body.channels empty_channels"]],
  [
    { events: ["message.x", "Contact.*", "*.*", "", 5] },
    [
      "body.events.0 unknown_event_pattern",
      "body.events.1 unknown_event_pattern",
      "body.events.2 unknown_event_pattern",
      "body.events.3 unknown_event_pattern",
      "body.events.4 invalid_type",
    ],
  ],
  [
    { channels: ["web", "sms"] },
    ["body.channels.0 unknown_channel", "body.channels.1 unknown_channel"],
  ],
  [{ events: "*" }, ["body.events invalid_type"]],
  [{ events: null }, ["body.events invalid_type"]],
  [{ name: "" }, ["body.name too_small"]],
  [{ name: "x".repeat(201) }, ["body.name too_big"]],
  [{ url: "" }, ["body.url too_small"]],
  [{ max_concurrency: 0 }, ["body.max_concurrency too_small"]],
  [{ max_concurrency: -1 }, ["body.max_concurrency too_small"]],
  [{ max_concurrency: 1.5 }, ["body.max_concurrency invalid_type"]],
  [{ max_concurrency: "5" }, ["body.max_concurrency invalid_type"]],
  [{ max_concurrency: 301 }, ["body.max_concurrency too_big"]],
  [{ max_concurrency: 51 }, ["body.max_concurrency above_installation"]],
  [
    { url: 5, id: 7, secret: "x" },
    ["body.id unknown_field", "body.secret unknown_field", "body.url invalid_type"],
  ],
  [{ url: `https://x.example/${"a".repeat(2_048)}` }, ["body.url too_big"]],
])("%j is refused, on POST and on PATCH", async (body, issues) => {
  const { id } = (await create()).json.data;
  const before = await fixture.count("subscriptions", "audit_log");
  for (const answer of [await create(body), await call("PATCH", `/subscriptions/${id}`, body)]) {
    expect([answer.status, answer.json.error.code]).toEqual([400, "validation_error"]);
    const details = answer.json.error.details as { path: string; code: string }[];
    expect(details.map(({ path, code }) => `${path} ${code}`).toSorted()).toEqual(issues);
  }
  expect(await fixture.count("subscriptions", "audit_log")).toEqual(before);
  await call("DELETE", `/subscriptions/${id}`);
});

test("channel web is refused with the hint how it is spelled here; url and events are required", async () => {
  const hint = await create({ channels: ["web"] });
  expect(hint.json.error.details[0].message).toBe("Web chat is spelled `web_widget` here.");
  const empty = await call("POST", "/subscriptions", {});
  expect(empty.json.error.details).toEqual(
    ["url", "events"].map((name) => ({
      path: `body.${name}`,
      code: "required",
      message: "This field is required.",
    })),
  );
});

test("PATCH changes what is sent and nothing else", async () => {
  const { secret: _, ...made } = (await create({ name: "P", channels: ["facebook"] })).json.data;
  const patch = async (body: object) => await call("PATCH", `/subscriptions/${made.id}`, body);
  expect((await patch({ name: "Q" })).json.data).toStrictEqual({
    ...made,
    name: "Q",
    updated_at: timestamp,
  });
  expect((await patch({ channels: null })).json.data).toMatchObject({
    name: "Q",
    channels: null,
    events: ["*"],
  });
  const last = await patch({ url: "http://127.0.0.1:10/other", events: ["message.*"] });
  expect(last.json.data).toMatchObject({
    url: "http://127.0.0.1:10/other",
    events: ["message.*"],
    channels: null,
  });
  expect((await call("GET", `/subscriptions/${made.id}`)).text).toBe(last.text);
});

test("PATCH with nothing new changes nothing: no version, no moment, no audit row", async () => {
  const { secret: _, ...made } = (await create({ name: "N", channels: ["facebook", "whatsapp"] }))
    .json.data;
  const row = () => fixture.query("SELECT * FROM subscriptions WHERE id = ?", [made.id]);
  const before = [await row(), await fixture.count("audit_log")];
  const { name, events, channels } = made;
  for (const body of [{}, { name: " N " }, { name, url, events, channels }]) {
    const answer = await call("PATCH", `/subscriptions/${made.id}`, body);
    expect([answer.status, answer.json.data]).toStrictEqual([200, made]);
  }
  expect([await row(), await fixture.count("audit_log")]).toEqual(before);
});

test("an account has 20 at most, also when 30 are made at once; a deleted one makes room", async () => {
  const admin = await newAdmin();
  const make = () => admin.call("POST", "/subscriptions", { url, events: ["*"] });
  const answers = await Promise.all(Array.from({ length: 30 }, make));
  const made = answers.filter(({ status }) => status === 201);
  expect(made).toHaveLength(20);
  for (const refused of answers.filter(({ status }) => status !== 201)) {
    expect(refused.status).toBe(400);
    expect(refused.json.error.details).toEqual([
      {
        path: "body",
        code: "too_many_subscriptions",
        message: "An account has at most 20 subscriptions. Delete one first.",
      },
    ]);
  }
  expect((await admin.call("DELETE", `/subscriptions/${made[0]?.json.data.id}`)).status).toBe(200);
  expect((await make()).status).toBe(201);
  expect((await make()).status).toBe(400);
});

test("a deleted subscription is gone, its deliveries stay readable, and a workflow is asked to end them", async () => {
  const admin = await newAdmin();
  const { dataSource } = fixture.database;
  const { id } = await createTestSubscription(dataSource, admin.accountId, { url });
  await fixture.api.call("POST", "/api/v1/contacts", {
    apiKey: admin.apiKey,
    body: { email: "a@x.co" },
  });
  const deleted = await admin.call("DELETE", `/subscriptions/${id}`);
  expect(deleted.json).toStrictEqual({ success: true, data: { id } });
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["PATCH", "", {}],
    ["DELETE", "", undefined],
    ["POST", "/test", undefined],
    ["POST", "/rotate-secret", undefined],
  ] as const) {
    const gone = await admin.call(method, `/subscriptions/${id}${path}`, body);
    expect([gone.status, gone.json.error.code]).toEqual([404, "subscription_not_found"]);
  }
  expect((await admin.call("GET", "/subscriptions")).json.data).toEqual([]);
  const log = await admin.call("GET", `/deliveries?subscription_id=${id}`);
  expect(log.json.data).toMatchObject([{ subscription_id: id, event_type: "contact.created" }]);
  expect((await admin.call("GET", `/deliveries/${log.json.data[0].id}`)).status).toBe(200);
  const requests = await fixture.query<{ command: Record<string, unknown> }>(
    "SELECT command FROM outbox WHERE account_id = ? AND kind = 'request'",
    [admin.accountId],
  );
  expect(requests).toMatchObject([
    {
      command: {
        op: "start",
        workflow: "cancelDeliveries",
        input: { accountId: admin.accountId, subscriptionId: id },
      },
    },
  ]);
  await fixture.api.call("POST", "/api/v1/contacts", {
    apiKey: admin.apiKey,
    body: { email: "b@x.co" },
  });
  expect((await admin.call("GET", "/deliveries")).json.meta.total).toBe(1);
});
