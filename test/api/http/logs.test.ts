import { Writable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../../../core/log.ts";
import { createRegistry } from "../../../core/metrics.ts";
import { describeConfig, describeRiskyConfig } from "../../../core/config.ts";
import { createApp } from "../../../api/app.ts";
import { createDeps } from "../../../api/create-deps.ts";
import { listen, type Listening } from "../../../api/http/listen.ts";
import { testPassword } from "../../support/accounts.ts";
import { callApi, testConfig, type TestAnswer, plainInstallation } from "../../support/api.ts";
import { rawCall, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let listening: Listening;
let url: string;
const lines: string[] = [];
const canaries = {
  phone: "5215512349876",
  email: "canary-email@example.com",
  name: "Canary Name",
  search: "canary-search",
  path: "canary-path",
  password: "canary-password",
  target: "canary-target",
  header: "canary-header",
  userAgent: "canary-agent",
  idempotencyKey: "canary-idempotency",
  clientSecret: "canary-client-secret",
};

beforeAll(async () => {
  const config = testConfig(fixture.database, {
    LOG_LEVEL: "info",
    GOOGLE_CLIENT_SECRET: canaries.clientSecret,
  });
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString("utf8"));
      done();
    },
  });
  const log = createLog("api", config.logLevel, destination);
  const { dataSource } = fixture.database;
  const deps = createDeps({
    config,
    dataSource,
    installation: plainInstallation,
    log,
    registry: createRegistry(),
  });
  log.info({ config: describeConfig(config) }, "api.started");
  listening = await listen(createApp(deps), "127.0.0.1", 0);
  url = `http://127.0.0.1:${listening.port}`;
});

afterAll(async () => {
  await listening.stop();
});

async function call(
  method: string,
  path: string,
  body?: unknown,
  dashboard = false,
): Promise<TestAnswer> {
  const { apiKey, cookie } = fixture.account;
  return await callApi(url, method, path, {
    ...(dashboard ? { cookie } : { apiKey }),
    headers: {
      "user-agent": canaries.userAgent,
      "x-canary": canaries.header,
      ...(dashboard ? {} : { "idempotency-key": canaries.idempotencyKey }),
    },
    ...(body === undefined ? {} : { body }),
  });
}

/** Everything that a caller can send, on its way to every kind of answer. */
async function sendCanaries(): Promise<{ statuses: Set<number>; secrets: string[] }> {
  const { phone, email, name, search, path, password, target } = canaries;
  const hook = { url: `http://127.0.0.1:9/${target}`, events: ["*"], name };
  const answers = [
    await call("POST", "/api/v1/contacts", { phone, email, name }),
    await call("POST", "/api/v1/contacts", { phone, email, name: `${name} 2` }),
    await call("POST", "/api/v1/contacts", { phone: `${phone}x`, email: `${email} x`, [name]: 1 }),
    await call("POST", "/api/v1/contacts", `{"name":"${name}`),
    await call("GET", `/api/v1/contacts?search=${search}&${path}=1`),
    await call("GET", `/api/v1/contacts/${path}`),
    await call("GET", `/${path}`),
    await call("PUT", `/api/v1/contacts/${path}`),
    await callApi(url, "GET", "/api/v1/contacts", { apiKey: `${path}${name}` }),
    await call("POST", "/dashboard/api/subscriptions", hook, true),
    await call(
      "POST",
      "/dashboard/api/subscriptions",
      { ...hook, url: `http://${target}:x@y/` },
      true,
    ),
    await call("POST", "/dashboard/api/api-keys", { name, scopes: ["contacts:read"] }, true),
    await call("POST", "/dashboard/api/session", { email, password }),
    await call("POST", "/dashboard/api/session", {
      email: fixture.account.email,
      password: testPassword,
    }),
    await rawCall(url, "GET", `/api/v1/contacts/${phone}`, {
      headers: { authorization: "Basic x", "x-request-id": "known" },
    }),
  ];
  await fixture.query("RENAME TABLE contact_tags TO contact_tags_gone");
  const id = Number(answers[0]?.json.data.id);
  answers.push(await call("PATCH", `/api/v1/contacts/${id}`, { name: `${name} 3` }));
  answers.push(await call("GET", `/api/v1/contacts/${id}`));
  await fixture.query("RENAME TABLE contact_tags_gone TO contact_tags");
  await fixture.query(
    `ALTER TABLE contacts ADD CONSTRAINT no_canary CHECK (name NOT LIKE 'Canary Name 4%')`,
  );
  answers.push(await call("PATCH", `/api/v1/contacts/${id}`, { name: `${name} 4` }));
  const secrets = answers.flatMap(({ json, headers }) => [
    ...[json?.data?.secret, json?.data?.key].filter((one) => typeof one === "string"),
    ...headers.getSetCookie().map((line) => String(/=([^;]+)/.exec(line)?.[1])),
  ]);
  return { statuses: new Set(answers.map(({ status }) => status)), secrets };
}

test("nothing that a caller sends or is given occurs in any log line", async () => {
  const { statuses, secrets } = await sendCanaries();
  expect([...statuses].toSorted((a, b) => a - b)).toEqual([200, 201, 400, 401, 404, 405, 422, 500]);
  expect(secrets.length).toBeGreaterThanOrEqual(4);
  const log = lines.join("");
  const { apiKey, cookie, email } = fixture.account;
  const mysqlPassword = decodeURIComponent(new URL(fixture.database.url).password);
  const own = [apiKey, cookie.split("=")[1] ?? "", email, testPassword, mysqlPassword];
  for (const canary of [...Object.values(canaries), ...secrets, ...own]) {
    expect(canary.length).toBeGreaterThan(7);
    expect(log).not.toContain(canary);
  }
  expect(log).not.toMatch(/SELECT|INSERT|UPDATE contacts|whsec_|parley_[A-Za-z0-9]{20}|argon2/);
});

test("each request leaves one line with its id, route, status and time; a failure of ours one more", () => {
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const answered = entries.filter(({ msg }) => msg === "http.answered");
  const failed = entries.filter(({ msg }) => msg === "http.failed");
  expect(answered).toHaveLength(18);
  expect(failed).toHaveLength(3);
  const names = [
    "duration_ms",
    "error_code",
    "level",
    "method",
    "msg",
    "process",
    "request_id",
    "route",
    "status",
    "time",
  ];
  for (const entry of answered) expect(names).toEqual(expect.arrayContaining(Object.keys(entry)));
  for (const { err, level } of failed) {
    expect(level).toBe("error");
    expect(Object.keys(err as object).toSorted()).toEqual(["at", "code", "name"]);
    expect((err as { name: string }).name).toBe("QueryFailedError");
  }
  const known = answered.filter(({ request_id }) => request_id === "known");
  expect(known).toMatchObject([
    { route: "/api/v1/contacts/:id", status: 401, error_code: "invalid_api_key" },
  ]);
  expect(new Set(failed.map(({ request_id }) => request_id)).size).toBe(3);
});

test("https in public without a trusted proxy is warned of", () => {
  const risks = (settings: Record<string, string>) =>
    describeRiskyConfig(testConfig(fixture.database, settings));
  const PUBLIC_URL = "https://parley.example";
  expect(risks({ PUBLIC_URL })).toEqual([expect.stringContaining("TRUST_PROXY is off")]);
  expect(risks({ PUBLIC_URL, TRUST_PROXY: "true" })).toEqual([]);
  expect(risks({ PUBLIC_URL: "http://parley.example" })).toEqual([]);
  expect(risks({})).toEqual([]);
});
