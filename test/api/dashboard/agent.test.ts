import { beforeEach, expect, test } from "vitest";
import { agentSettings } from "../../../core/model/agent.ts";
import { openProviderKey } from "../../../core/services/agent/providers.ts";
import { AgentProvider } from "../../../db/entities/agent.ts";
import { createTestAccount, testSecretBox, type TestAccount } from "../../support/accounts.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { createTeam, outcomeOf, type TestPerson } from "./people-fixture.ts";

const fixture = useFixture(startApiFixture);
let admin: TestAccount;
let luis: TestPerson;

beforeEach(async () => {
  ({ account: admin, member: luis } = await createTeam(fixture));
});

type Who = Pick<TestPerson, "cookie">;
const call = async (method: string, path: string, { cookie }: Who, body?: unknown) =>
  await fixture.api.call(method, `/dashboard/api/agent${path}`, { cookie, body });
const audit = async (account: TestAccount) => {
  const sql =
    "SELECT action, details FROM audit_log WHERE account_id = ? AND action LIKE 'agent%' ORDER BY id";
  return await fixture.query<{ action: string; details: unknown }>(sql, [account.accountId]);
};
const key = "sk-0123456789abcdef-WXYZ";
const addProvider = async (body: object = {}) => {
  const given = { kind: "openai", model: "gpt-5-mini", api_key: key, ...body };
  const answer = await call("POST", "/providers", admin, given);
  expect([answer.status, answer.json.error ?? null]).toEqual([201, null]);
  return answer.json.data;
};

test("an agent that was never set up shows the defaults, and answers once it is switched on", async () => {
  const defaults = agentSettings.parse({});
  const nothing = {
    enabled: false,
    draft: defaults,
    published: defaults,
    published_number: 0,
    version: 0,
    differs: false,
    versions: 0,
    providers: 0,
    knowledge_items: 0,
    cases: { total: 0, failed: 0, unrun: 0 },
    open_gaps: 0,
  };
  expect((await call("GET", "", luis)).json.data).toStrictEqual(nothing);
  const on = await call("PATCH", "", admin, { enabled: true });
  expect(on.json.data).toStrictEqual({
    ...nothing,
    enabled: true,
    version: 1,
    published_number: 1,
    versions: 1,
  });
  expect(await audit(admin)).toEqual([{ action: "agent.enabled", details: {} }]);
});

test("a changed draft waits until it is published, as a version that can be restored", async () => {
  const patch = { blocked_words: ["refund"], quiet_seconds: 2 };
  const changed = (await call("PATCH", "", admin, patch)).json.data;
  expect(changed).toMatchObject({ differs: true, draft: patch, published: { quiet_seconds: 4 } });
  const published = (await call("POST", "/publish", admin)).json.data;
  expect(published).toMatchObject({ differs: false, published_number: 2, published: patch });
  // The same settings make no further version.
  expect((await call("POST", "/publish", admin)).json.data).toEqual(published);
  const versions = (await call("GET", "/versions", luis)).json;
  expect(versions.meta.total).toBe(2);
  expect(versions.data).toMatchObject([
    { number: 2, settings: patch, published_by_user_id: admin.userId },
    { number: 1, settings: { quiet_seconds: 4 } },
  ]);
  const restored = (await call("POST", `/versions/${versions.data[1].id}/restore`, admin)).json
    .data;
  expect(restored).toMatchObject({
    differs: true,
    draft: { blocked_words: [] },
    published_number: 2,
  });
  expect((await audit(admin)).map(({ action }) => action)).toEqual([
    "agent.updated",
    "agent.published",
    "agent.restored",
  ]);
  expect(outcomeOf(await call("POST", "/versions/999999/restore", admin))).toBe(
    "agent_version_not_found",
  );
});

test("a draft that a colleague changed is neither overwritten, nor published, nor replaced", async () => {
  const { version } = (await call("GET", "", admin)).json.data;
  const first = (await call("PATCH", "", admin, { quiet_seconds: 2, version })).json.data;
  const [{ id }] = (await call("GET", "/versions", admin)).json.data;
  const stale = { version };
  for (const [method, path, body] of [
    ["PATCH", "", { quiet_seconds: 9, ...stale }],
    ["POST", "/publish", stale],
    ["POST", `/versions/${id}/restore`, stale],
  ] as const) {
    const answer = await call(method, path, admin, body);
    expect([path, answer.status, outcomeOf(answer)]).toEqual([path, 409, "draft_changed"]);
  }
  expect((await call("GET", "", admin)).json.data).toEqual(first);
  const published = await call("POST", "/publish", admin, { version: first.version });
  expect(published.json.data).toMatchObject({ differs: false, published: { quiet_seconds: 2 } });
});

test("of 20 admins who change the draft that they read, exactly one does", async () => {
  const { version } = (await call("GET", "", admin)).json.data;
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      return await call("PATCH", "", admin, { quiet_seconds: index % 4, version });
    }),
  );
  // The default is 4 seconds, so each of them changes the draft.
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter((answer) => outcomeOf(answer) === "draft_changed")).toHaveLength(19);
});

test("settings of another shape and stages of another account are refused", async () => {
  const refused = [
    { persona: { name: "Ana" } },
    { modes: { fax: "auto" } },
    { tools: ["hand_off"] },
    { unknown: true },
    { allowed_stage_ids: [999_999] },
  ];
  for (const body of refused) {
    const answer = await call("PATCH", "", admin, body);
    expect([answer.status, outcomeOf(answer)]).toEqual([400, "validation_error"]);
  }
  expect((await call("GET", "", admin)).json.data.published_number).toBe(0);
});

test("25 changes at once create one profile with one version", async () => {
  await Promise.all(
    Array.from({ length: 25 }, async (_, index) => {
      const body = { enabled: true, quiet_seconds: index % 15 };
      expect((await call("PATCH", "", admin, body)).status).toBe(200);
    }),
  );
  expect((await call("GET", "", admin)).json.data).toMatchObject({ versions: 1, enabled: true });
});

test("a provider's key is stored sealed, shown by its end alone, and opens for its row only", async () => {
  const made = await addProvider();
  expect(made).toMatchObject({ key_hint: "WXYZ", position: 0, base_url: null, input_price: 0 });
  const second = await addProvider({ kind: "anthropic", model: "claude-haiku", api_key: "short" });
  expect(second).toMatchObject({ key_hint: "", position: 1 });
  const listed = await call("GET", "/providers", admin);
  expect(listed.json.data).toEqual([made, second]);
  expect(JSON.stringify([listed.json, await audit(admin)])).not.toContain(key);
  const rows = await fixture.database.dataSource.manager.findBy(AgentProvider, {
    accountId: admin.accountId,
  });
  const [one, other] = rows;
  if (one === undefined || other === undefined) throw new Error("no rows");
  expect(one.sealed).not.toContain(key);
  expect(openProviderKey(testSecretBox, one)).toBe(key);
  expect(() =>
    openProviderKey(testSecretBox, Object.assign(one, { sealed: other.sealed })),
  ).toThrow(/opened/u);
});

test("a key stays with its address and kind, and a changed provider serves again at once", async () => {
  const { id } = await addProvider();
  await fixture.query(
    "UPDATE agent_providers SET failing_until = NOW(3) + INTERVAL 5 MINUTE, failure = 'quota' WHERE id = ?",
    [id],
  );
  const path = `/providers/${id}`;
  for (const body of [{ base_url: "https://elsewhere.example" }, { kind: "mistral" }]) {
    const answer = await call("PATCH", path, admin, body);
    expect(answer.json.error.details).toMatchObject([{ path: "body.api_key", code: "required" }]);
  }
  const other = { kind: "mistral", api_key: "another-key-0123456789" };
  expect((await call("PATCH", path, admin, other)).json.data).toMatchObject({
    kind: "mistral",
    key_hint: "6789",
    failing_until: null,
    failure: null,
  });
  expect((await call("PATCH", path, admin, { model: "m-2" })).json.data).toMatchObject({
    model: "m-2",
    key_hint: "6789",
  });
});

test("a server of one's own needs an address", async () => {
  const own = { kind: "openai_compatible", model: "m", api_key: "" };
  const without = await call("POST", "/providers", admin, own);
  expect(without.json.error.details).toMatchObject([{ path: "body.base_url", code: "required" }]);
  for (const url of [
    "ftp://models.example",
    "http://user:pass@models.example",
    "no url",
    "http://127.0.0.1:11434/v1",
  ]) {
    const answer = await call("POST", "/providers", admin, { ...own, base_url: url });
    expect([answer.status, outcomeOf(answer)]).toEqual([400, "validation_error"]);
  }
  const made = await addProvider({ ...own, base_url: "https://example.com/v1" });
  const away = await call("PATCH", `/providers/${made.id}`, admin, {
    base_url: null,
    api_key: "x",
  });
  expect(away.json.error.details).toMatchObject([{ path: "body.base_url", code: "required" }]);
});

test("providers are the admins', and those of another account are unknown", async () => {
  const { id } = await addProvider();
  expect((await call("GET", "/providers", luis)).status).toBe(403);
  const stranger = await createTestAccount(fixture.database.dataSource);
  expect((await call("GET", "/providers", stranger)).json.data).toEqual([]);
  for (const [method, body] of [
    ["PATCH", { model: "x" }],
    ["DELETE", undefined],
  ] as const) {
    const answer = await call(method, `/providers/${id}`, stranger, body);
    expect([answer.status, outcomeOf(answer)]).toEqual([404, "agent_provider_not_found"]);
  }
  expect((await call("DELETE", `/providers/${id}`, admin)).json.data).toEqual({ id });
  expect((await call("GET", "", admin)).json.data.providers).toBe(0);
});

test("an account has ten providers at most", async () => {
  for (let count = 0; count < 10; count += 1) await addProvider();
  const body = { kind: "openai", model: "m", api_key: key };
  const answer = await call("POST", "/providers", admin, body);
  expect(answer.json.error.details).toMatchObject([{ code: "too_many_providers" }]);
});
