import { beforeAll, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { createResource, createService } from "../booking/booking-fixture.ts";
import { insertRow, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(async () => await startApiFixture({ PUBLIC_URL: publicUrl }));
let resourceId: number;
let serviceId: number;
const publicUrl = "http://parley.example:8080";
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

beforeAll(async () => {
  resourceId = await createResource(fixture, fixture.account.accountId);
  serviceId = await createService(fixture, fixture.account.accountId);
});

async function call(
  method: string,
  path: string,
  body?: unknown,
  { cookie }: TestAccount = fixture.account,
): Promise<TestAnswer> {
  return await fixture.api.call(method, `/dashboard/api/booking-links${path}`, { cookie, body });
}

async function detailsOf(body: unknown): Promise<unknown[]> {
  const answer = await call("POST", "", body);
  expect(answer.status).toBe(400);
  return answer.json.error.details.map((one: { path: string; code: string }) => [
    one.path,
    one.code,
  ]);
}

async function audits(): Promise<unknown[]> {
  return await fixture.query(
    "SELECT action, target_id, details FROM audit_log WHERE account_id = ? AND target_type = 'booking_link' ORDER BY id",
    [fixture.account.accountId],
  );
}

test("a link is made, read, listed, changed, switched off and deleted; each change is in the audit log", async () => {
  const made = await call("POST", "", { title: " Consultations ", resource_id: resourceId });
  const { id, slug } = made.json.data;
  const view = {
    id,
    title: "Consultations",
    resource_id: resourceId,
    service_id: null,
    enabled: true,
    url: `${publicUrl}/book/${slug}`,
    slug: expect.stringMatching(/^[0-9A-Za-z]{26}$/),
    own_slug: null,
    created_at: timestamp,
    updated_at: timestamp,
  };
  expect([made.status, made.json]).toEqual([201, { success: true, data: view }]);
  expect((await call("GET", `/${id}`)).json.data).toEqual(made.json.data);
  expect((await call("GET", "?limit=1")).json).toEqual({
    success: true,
    data: [made.json.data],
    meta: { total: 1, total_at_least: false, limit: 1, offset: 0 },
  });
  const changed = await call("PATCH", `/${id}`, { enabled: false, service_id: serviceId });
  expect(changed.json.data).toEqual({ ...view, enabled: false, service_id: serviceId });
  // What is there already is no change.
  await call("PATCH", `/${id}`, { enabled: false });
  await call("PATCH", `/${id}`, {});
  expect((await call("DELETE", `/${id}`)).json).toEqual({ success: true, data: { id } });
  for (const method of ["GET", "PATCH", "DELETE"]) {
    const gone = await call(method, `/${id}`, method === "PATCH" ? {} : undefined);
    expect([gone.status, gone.json.error.code]).toEqual([404, "booking_link_not_found"]);
  }
  expect((await call("GET", "")).json.meta.total).toBe(0);
  expect(await audits()).toEqual([
    {
      action: "booking_link.created",
      target_id: id,
      details: {
        title: "Consultations",
        resource_id: resourceId,
        service_id: null,
        own_slug: null,
        enabled: true,
      },
    },
    {
      action: "booking_link.updated",
      target_id: id,
      details: { enabled: false, service_id: serviceId },
    },
    { action: "booking_link.deleted", target_id: id, details: { title: "Consultations" } },
  ]);
});

test("a link offers something of its own account that is not archived", async () => {
  const stranger = await createTestAccount(fixture.database.dataSource);
  const foreignResource = await createResource(fixture, stranger.accountId);
  const foreignService = await createService(fixture, stranger.accountId);
  const archived = await createResource(fixture, fixture.account.accountId);
  await fixture.query("UPDATE resources SET archived_at = NOW() WHERE id = ?", [archived]);
  const title = "x";
  const unknownResource = [["body.resource_id", "unknown_resource"]];
  const unknownService = [["body.service_id", "unknown_service"]];
  expect(await detailsOf({ title })).toEqual([
    ["body.resource_id", "resource_or_service_required"],
  ]);
  expect(await detailsOf({ title, resource_id: foreignResource })).toEqual(unknownResource);
  expect(await detailsOf({ title, resource_id: archived })).toEqual(unknownResource);
  expect(await detailsOf({ title, resource_id: 999_999 })).toEqual(unknownResource);
  expect(await detailsOf({ title, service_id: foreignService })).toEqual(unknownService);
  expect(await detailsOf({ title, service_id: 999_999 })).toEqual(unknownService);
  const made = await call("POST", "", { title, resource_id: resourceId });
  const emptied = await call("PATCH", `/${made.json.data.id}`, { resource_id: null });
  expect(emptied.json.error.details[0].code).toBe("resource_or_service_required");
});

test("a resource that does not give the service is refused", async () => {
  const { accountId } = fixture.account;
  const special = await createService(fixture, accountId, "Special");
  const giver = await createResource(fixture, accountId);
  await insertRow(fixture, "service_resources", {
    account_id: accountId,
    service_id: special,
    resource_id: giver,
  });
  const refused = await call("POST", "", {
    title: "x",
    resource_id: resourceId,
    service_id: special,
  });
  expect([refused.status, refused.json.error.code]).toEqual([422, "service_not_offered"]);
  const made = await call("POST", "", { title: "x", resource_id: giver, service_id: special });
  expect(made.status).toBe(201);
});

test.each([
  ["no title", { resource_id: 1 }, "body.title", "required"],
  ["a blank title", { title: " ", resource_id: 1 }, "body.title", "too_small"],
  ["a long title", { title: "x".repeat(201), resource_id: 1 }, "body.title", "too_big"],
  ["a text as id", { title: "x", resource_id: "1" }, "body.resource_id", "invalid_type"],
  ["an unknown field", { title: "x", resource_id: 1, slug: "mine" }, "body.slug", "unknown_field"],
])("%s is refused", async (_, body, path, code) => {
  expect(await detailsOf(body)).toEqual([[path, code]]);
});

test("an account has at most 100 links", async () => {
  const account = await createTestAccount(fixture.database.dataSource);
  const resource = await createResource(fixture, account.accountId);
  await fixture.query(
    `INSERT INTO booking_links (account_id, slug, title, resource_id)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
     SELECT ?, LPAD(i, 26, '0'), 'x', ? FROM n`,
    [account.accountId, resource],
  );
  const body = { title: "x", resource_id: resource };
  const answers = await Promise.all([1, 2, 3].map(() => call("POST", "", body, account)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.toSorted((one, other) => one - other)).toEqual([201, 400, 400]);
});

test("a link is switched off whatever has become of what it offers", async () => {
  const made = await call("POST", "", { title: "x", resource_id: resourceId });
  await fixture.query("UPDATE resources SET archived_at = NOW() WHERE id = ?", [resourceId]);
  const off = await call("PATCH", `/${made.json.data.id}`, { enabled: false });
  expect([off.status, off.json.data.enabled]).toEqual([200, false]);
  await fixture.query("UPDATE resources SET archived_at = NULL WHERE id = ?", [resourceId]);
});
