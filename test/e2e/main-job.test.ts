import { beforeAll, expect, test } from "vitest";
import { verifySignature, verifyStandard } from "../../core/signature.ts";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { startTestApi } from "../support/api.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startSink } from "../support/sink.ts";
import { createNamespace, startTestWorker } from "../support/worker.ts";
import { useFixture } from "../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
const api = useFixture(async () => await startTestApi(database));
useFixture(
  async () =>
    await startTestWorker(database, await createNamespace(), {
      waitsMs: [200, 200, 200, 200, 200, 200],
    }),
);
const sink = useFixture(startSink);
let account: TestAccount;

beforeAll(async () => {
  account = await createTestAccount(database.dataSource);
});

test("a contact created through the API reaches a receiver, signed over the raw bytes", async () => {
  const { cookie, apiKey } = account;
  const made = await api.call("POST", "/dashboard/api/subscriptions", {
    cookie,
    body: { url: `${sink.url}/hook`, events: ["contact.*"], channels: null },
  });
  expect(made.status).toBe(201);
  const { secret } = made.json.data;

  const created = await api.call("POST", "/api/v1/contacts", {
    apiKey,
    body: { phone: "5215512345678", name: "Ana" },
  });
  expect(created.status).toBe(201);
  const [post] = await eventually(() => {
    expect(sink.posts).toHaveLength(1);
    return sink.posts;
  });
  const headers = post?.headers ?? {};
  const body = post?.body ?? Buffer.alloc(0);
  expect(headers["x-service-event"]).toBe("contact.created");
  expect(headers["x-service-attempt"]).toBe("1");
  expect(verifySignature(String(headers["x-service-signature"]), secret, body)).toBe(true);
  expect(JSON.parse(body.toString())).toMatchObject({
    event_id: headers["x-service-event-id"],
    event_type: "contact.created",
    data: { contact_id: created.json.data.id, source: "api" },
  });
  const claim = {
    secrets: [secret],
    id: String(headers["webhook-id"]),
    timestamp: String(headers["webhook-timestamp"]),
    signature: String(headers["webhook-signature"]),
    body,
    nowSeconds: Date.now() / 1000,
  };
  expect(verifyStandard(claim)).toBe(true);

  const again = await api.call("POST", "/api/v1/contacts", {
    apiKey,
    body: { phone: "5215512345678", name: "Ana" },
  });
  expect(again.status).toBe(200);
  const id = Number(created.json.data.id);
  await api.call("PATCH", `/api/v1/contacts/${id}`, { apiKey, body: { email: "Ana@Example.com" } });
  const second = await eventually(() => {
    expect(sink.posts).toHaveLength(2);
    return sink.posts[1];
  });
  expect(JSON.parse(String(second?.body))).toMatchObject({
    event_type: "contact.updated",
    data: { contact_id: id, changed_fields: ["email"], previous_values: { email: null } },
  });
});
