import { expect, test } from "vitest";
import { hashToken } from "../../../core/secrets.ts";
import { requireUserId } from "../../../core/services/accounts/actor.ts";
import {
  createMember,
  setPassword,
  switchSessionAccount,
} from "../../../core/services/accounts/users.ts";
import {
  asSystem,
  createTestAccount,
  testPassword,
  type TestAccount,
} from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { checksum, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);

const session = async (cookie: string, method = "GET", body?: unknown): Promise<TestAnswer> =>
  await fixture.api.call(method, "/dashboard/api/session", { cookie, body });

async function newLogin(account: TestAccount, cookie?: string): Promise<string> {
  const answer = await fixture.api.call("POST", "/dashboard/api/session", {
    ...(cookie === undefined ? {} : { cookie }),
    body: { email: account.email, password: testPassword },
  });
  expect(answer.status).toBe(200);
  return String(answer.headers.getSetCookie()[0]?.split(";")[0]);
}

test("a session id from elsewhere is not adopted, and every login has a new one", async () => {
  const planted = `parley_session=${"p".repeat(43)}`;
  expect((await session(planted)).status).toBe(401);
  const first = await newLogin(fixture.account, planted);
  expect(first).not.toBe(planted);
  expect((await session(planted)).status).toBe(401);
  const second = await newLogin(fixture.account, first);
  expect(second).not.toBe(first);
  expect((await session(second)).status).toBe(200);
});

test("without a cookie, with an empty or a wrong one, every route but the login is 401", async () => {
  for (const cookie of ["", "parley_session=", "parley_session=x", "other=1"]) {
    const answer = await session(cookie);
    expect([answer.status, answer.json.error.code]).toEqual([401, "session_required"]);
    expect(answer.headers.get("www-authenticate")).toBeNull();
  }
});

test("a logout ends the session and clears its cookie; a second one is 401", async () => {
  const cookie = await newLogin(fixture.account);
  const other = await newLogin(fixture.account);
  const out = await session(cookie, "DELETE");
  expect([out.status, out.json]).toEqual([200, { success: true, data: null }]);
  expect(out.headers.getSetCookie()).toEqual([
    "parley_session=; Path=/; HttpOnly; SameSite=Lax; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
  ]);
  expect((await session(cookie)).status).toBe(401);
  expect((await session(cookie, "DELETE")).status).toBe(401);
  expect((await session(other)).status).toBe(200);
});

test.each([
  ["the person is disabled", "UPDATE users SET disabled_at = NOW() WHERE id = ?", "userId"],
  ["the account is disabled", "UPDATE accounts SET disabled_at = NOW() WHERE id = ?", "accountId"],
  [
    "the membership is disabled",
    "UPDATE memberships SET disabled_at = NOW() WHERE user_id = ?",
    "userId",
  ],
  ["the membership ends", "DELETE FROM memberships WHERE user_id = ?", "userId"],
] as const)("when %s, the session is refused at once", async (_, sql, whose) => {
  const account = await createTestAccount(fixture.database.dataSource);
  const paths = ["session", "subscriptions", "deliveries", "notifications", "api-keys"];
  const codes = async () =>
    await Promise.all(
      paths.map(async (path) => {
        const { cookie } = account;
        const answer = await fixture.api.call("GET", `/dashboard/api/${path}`, { cookie });
        return answer.json.error?.code ?? answer.status;
      }),
    );
  expect(new Set(await codes())).toEqual(new Set([200]));
  await fixture.query(sql, [account[whose]]);
  expect(new Set(await codes())).toEqual(new Set(["session_required"]));
});

test("a new password ends every login of the person", async () => {
  const account = await createTestAccount(fixture.database.dataSource);
  const second = await newLogin(account);
  await asSystem(fixture.database.dataSource, account.accountId, (tx) =>
    setPassword(tx, account.userId, "$argon2id$new"),
  );
  for (const cookie of [account.cookie, second]) expect((await session(cookie)).status).toBe(401);
});

const lastSession = "WHERE user_id = ? ORDER BY created_at DESC LIMIT 1";

test("an unused session ends after its 14 days", async () => {
  const account = await createTestAccount(fixture.database.dataSource);
  await fixture.query(`UPDATE sessions SET expires_at = UTC_TIMESTAMP(3) ${lastSession}`, [
    account.userId,
  ]);
  expect((await session(account.cookie)).status).toBe(401);
});

test("a session in use slides: row and cookie last 14 days from now, written at most once an hour", async () => {
  const account = await createTestAccount(fixture.database.dataSource);
  const age = `UPDATE sessions SET last_seen_at = UTC_TIMESTAMP(3) - INTERVAL ? MINUTE, expires_at = UTC_TIMESTAMP(3) + INTERVAL 1 DAY ${lastSession}`;
  await fixture.query(age, [59, account.userId]);
  const quiet = await session(account.cookie);
  expect([quiet.status, quiet.headers.getSetCookie()]).toEqual([200, []]);
  await fixture.query(age, [61, account.userId]);
  const slid = await session(account.cookie);
  const [cookie = ""] = slid.headers.getSetCookie();
  expect(cookie.split(";")[0]).toBe(account.cookie);
  expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Expires=/);
  const [row] = await fixture.query<{ days: number }>(
    `SELECT TIMESTAMPDIFF(MINUTE, UTC_TIMESTAMP(3), expires_at) / 1440 AS days FROM sessions ${lastSession}`,
    [account.userId],
  );
  expect(Number(row?.days)).toBeCloseTo(14, 1);
  const again = await session(account.cookie);
  expect(again.headers.getSetCookie()).toEqual([]);
});

test("a person of two accounts moves between them; a foreign one is 404 and nothing moves", async () => {
  const [first, second, foreign] = await Promise.all(
    [1, 2, 3].map(() => createTestAccount(fixture.database.dataSource)),
  );
  if (!first || !second || !foreign) throw new Error("no accounts");
  await asSystem(fixture.database.dataSource, second.accountId, (tx) =>
    createMember(tx, { email: first.email, name: "ignored", passwordHash: "-", role: "agent" }),
  );
  const moved = await session(first.cookie, "PATCH", { account_id: second.accountId });
  expect(moved.status).toBe(200);
  expect(moved.json.data).toMatchObject({
    role: "agent",
    account: { id: second.accountId },
    accounts: [
      { id: first.accountId, role: "admin" },
      { id: second.accountId, role: "agent" },
    ],
  });
  expect((await session(first.cookie)).text).toBe(moved.text);
  const keys = await fixture.api.call("GET", "/dashboard/api/api-keys", { cookie: first.cookie });
  expect(keys.status).toBe(403);
  for (const account_id of [foreign.accountId, 99_999_999]) {
    const refused = await session(first.cookie, "PATCH", { account_id });
    expect([refused.status, refused.json.error.code]).toEqual([404, "account_not_found"]);
  }
  expect((await session(first.cookie)).json.data.account.id).toBe(second.accountId);
  expect((await session(first.cookie, "PATCH", { account_id: "x" })).status).toBe(400);
});

test("moving a login that ended meanwhile is 401", async () => {
  const account = await createTestAccount(fixture.database.dataSource);
  const hash = hashToken(account.cookie.slice("parley_session=".length));
  const move = () =>
    asSystem(fixture.database.dataSource, account.accountId, (tx) =>
      switchSessionAccount(tx, hash, account.accountId),
    );
  await expect(move()).resolves.toBeUndefined();
  await fixture.query("DELETE FROM sessions WHERE user_id = ?", [account.userId]);
  await expect(move()).rejects.toMatchObject({ code: "session_required" });
});

test("a login may name its account, only one of the person's own", async () => {
  const account = await createTestAccount(fixture.database.dataSource);
  const login = async (account_id: number) =>
    await fixture.api.call("POST", "/dashboard/api/session", {
      body: { email: account.email, password: testPassword, account_id },
    });
  expect((await login(account.accountId)).status).toBe(200);
  const refused = await login(fixture.account.accountId);
  expect([refused.status, refused.json.error.code]).toEqual([401, "login_failed"]);
});

test("what only people do is our bug where no person does it", () => {
  const person = { type: "user", userId: 7, accountId: 1, role: "agent" } as const;
  expect(requireUserId(person)).toBe(7);
  expect(() => requireUserId({ type: "system", accountId: 1 })).toThrow("system is no person");
});

test("no GET of the Dashboard or the API writes anything", async () => {
  const { cookie, apiKey } = fixture.account;
  const before = await checksum(fixture);
  const paths = [
    "session",
    "me",
    "me/sessions",
    "users",
    "invitations",
    "subscriptions",
    "subscriptions/1",
    "deliveries",
    "deliveries/1",
    "notifications",
    "api-keys",
  ];
  for (const path of paths) await fixture.api.call("GET", `/dashboard/api/${path}`, { cookie });
  for (const path of [
    "/api/v1/contacts",
    "/api/v1/contacts/1",
    "/docs",
    "/readyz",
    "/api/v1/openapi.json",
  ]) {
    await fixture.api.call("GET", path, { apiKey });
  }
  expect(await checksum(fixture)).toBe(before);
});
