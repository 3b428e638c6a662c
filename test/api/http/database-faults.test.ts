import { connect } from "node:net";
import { expect, test } from "vitest";
import { generateApiKey } from "../../../core/secrets.ts";
import type { TestAnswer } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { useGatedApi } from "./gated-api.ts";

const { fixture, gate, gated, api, create, list } = useGatedApi();

const unavailable = (answer: TestAnswer) => {
  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toBe("5");
  expect(answer.json).toStrictEqual({
    success: false,
    error: {
      code: "service_unavailable",
      message: "The service cannot use its database right now. Try again in a few seconds.",
      details: null,
      request_id: answer.headers.get("x-request-id"),
    },
  });
};

test("with the database away calls are 503 with Retry-After, and work again when it is back", async () => {
  expect((await list()).status).toBe(200);
  gate.shut();
  unavailable(await list());
  unavailable(await create({ email: "away@x.co" }));
  unavailable(await create({ email: "away@x.co" }, { "idempotency-key": "away" }));
  unavailable(await api.call("GET", "/api/v1/contacts", { apiKey: generateApiKey() }));
  unavailable(await api.call("GET", "/dashboard/api/session", { cookie: fixture.account.cookie }));
  const login = { email: fixture.account.email, password: "x" };
  unavailable(await api.call("POST", "/dashboard/api/session", { body: login }));
  const ready = await api.call("GET", "/readyz");
  expect([ready.status, ready.headers.get("retry-after"), ready.json]).toEqual([
    503,
    "5",
    { status: "not_ready", version: expect.any(String), database: "service_unavailable" },
  ]);
  expect((await api.call("GET", "/healthz")).status).toBe(200);
  gate.open();
  expect((await list()).status).toBe(200);
  expect((await create({ email: "back@x.co" }, { "idempotency-key": "away" })).status).toBe(201);
  expect((await api.call("GET", "/readyz")).status).toBe(200);
});

test("a malformed key is refused without asking the database, which is away", async () => {
  gate.shut();
  const answer = await api.call("GET", "/api/v1/contacts", { apiKey: `parley_${"a".repeat(38)}` });
  gate.open();
  expect([answer.status, answer.json.error.code]).toEqual([401, "invalid_api_key"]);
});

async function killConnections(): Promise<void> {
  const rows = await fixture.query<{ id: number }>(
    "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()",
  );
  // Gone meanwhile is as good as killed.
  for (const { id } of rows) await fixture.query(`KILL ${id}`).catch(() => undefined);
}

test("connections killed under load cost 503s at most: what was answered 201 is there, once", async () => {
  const answers: TestAnswer[] = [];
  const load = Array.from({ length: 8 }, async (_, lane) => {
    for (let index = 0; index < 15; index += 1) {
      answers.push(await create({ email: `kill-${lane}-${index}@x.co` }));
    }
  });
  await killConnections();
  await killConnections();
  await Promise.all(load);
  const statuses = new Set(answers.map(({ status }) => status));
  expect([201, 503]).toEqual(expect.arrayContaining([...statuses]));
  const made = answers
    .filter(({ status }) => status === 201)
    .map(({ json }) => Number(json.data.id));
  const [row] = await fixture.query<{ n: number; events: number }>(
    `SELECT COUNT(*) AS n, (SELECT COUNT(*) FROM events e WHERE e.contact_id IN (SELECT id FROM contacts WHERE email LIKE 'kill-%')) AS events
       FROM contacts WHERE email LIKE 'kill-%'`,
  );
  expect(Number(row?.n)).toBeGreaterThanOrEqual(made.length);
  expect(Number(row?.events)).toBe(Number(row?.n));
  await eventually(async () => expect((await list()).status).toBe(200));
});

test("connections that the server ended for idleness are replaced without a failed call", async () => {
  const ids = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const runner = gated.dataSource.createQueryRunner();
      const [row] = await runner.manager.query<{ id: number }[]>("SELECT CONNECTION_ID() AS id");
      await runner.query("SET SESSION wait_timeout = 1");
      // Kept until all ten have theirs, so that no two are the same.
      return { id: Number(row?.id), runner };
    }),
  );
  await Promise.all(ids.map(({ runner }) => runner.release()));
  const open = async () =>
    await fixture.query("SELECT id FROM information_schema.processlist WHERE id IN (?)", [
      ids.map(({ id }) => id),
    ]);
  expect(await open()).toHaveLength(10);
  await eventually(async () => expect(await open()).toEqual([]));
  const answers = await Promise.all(Array.from({ length: 12 }, list));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

test("an error of ours is 500 and tells nothing of its cause", async () => {
  await fixture.query("RENAME TABLE contact_tags TO contact_tags_gone");
  await create({ email: "before@x.co" });
  const read = await list();
  await fixture.query("RENAME TABLE contact_tags_gone TO contact_tags");
  expect(read.status).toBe(500);
  expect(read.json).toStrictEqual({
    success: false,
    error: {
      code: "internal_error",
      message:
        "Something failed on our side. Tell us the request_id of this answer if it happens again.",
      details: null,
      request_id: read.headers.get("x-request-id"),
    },
  });
  for (const name of ["server", "x-powered-by", "retry-after"])
    expect(read.headers.get(name)).toBeNull();
  expect((await list()).status).toBe(200);
});

test("a failure on the way leaves nothing half written, and its Idempotency-Key free", async () => {
  const before = await fixture.count("contacts", "events", "idempotency_keys");
  await fixture.query("RENAME TABLE events TO events_gone");
  const failed = await create({ email: "half@x.co" }, { "idempotency-key": "half" });
  await fixture.query("RENAME TABLE events_gone TO events");
  expect(failed.status).toBe(500);
  expect(await fixture.count("contacts", "events", "idempotency_keys")).toEqual(before);
  const again = await create({ email: "half@x.co" }, { "idempotency-key": "half" });
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, null]);
});

test("a row that stays locked is 503 within 11 s, and nothing is tried any more", async () => {
  const { json } = await create({ email: "locked@x.co" });
  const runner = fixture.database.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query("SELECT id FROM contacts WHERE email = 'locked@x.co' FOR UPDATE");
  const startedAt = performance.now();
  const body = { email: "locked@x.co", name: "Late" };
  const refused = await create(body, { "idempotency-key": "locked" });
  expect(performance.now() - startedAt).toBeLessThan(11_000);
  unavailable(refused);
  await runner.rollbackTransaction();
  await runner.release();
  const path = `/api/v1/contacts/${json.data.id}`;
  const read = await api.call("GET", path, { apiKey: fixture.account.apiKey });
  expect(read.json.data.name).toBe("locked@x.co");
  const again = await create(body, { "idempotency-key": "locked" });
  expect([again.status, again.json.data.name]).toEqual([200, "Late"]);
});

test("a caller who goes away in the middle of a body is no failure of the database", async () => {
  const { port } = new URL(api.url);
  const socket = connect(Number(port), "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(
    `POST /api/v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${fixture.account.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"email"`,
  );
  await list();
  socket.destroy();
  await eventually(async () => {
    const { values } = await api.deps.metrics.requests.get();
    const aborted = values.filter(({ labels }) => labels["status"] === 408);
    expect(aborted).toHaveLength(1);
  });
});
