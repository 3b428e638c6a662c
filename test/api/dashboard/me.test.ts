import { afterEach, beforeEach, expect, test } from "vitest";
import { changeOwnPassword } from "../../../core/services/accounts/own-sessions.ts";
import type { NotificationPreference } from "../../../core/model/notification-preferences.ts";
import { createTestAccount, testPassword } from "../../support/accounts.ts";
import { startTestApi, type TestAnswer, type TestApi } from "../../support/api.ts";
import { transaction } from "../../../db/transaction.ts";
import {
  addMember,
  createTeam,
  loginAs,
  outcomeOf,
  passwordHashOf,
  sessionOf,
  whoIs,
  type TestPerson,
} from "./people-fixture.ts";
import { checksum, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
/** One API per test, so that each starts with an unused throttle. */
let api: TestApi;
let accountId: number;
let me: TestPerson;
const newPassword = "a much better password";
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

beforeEach(async () => {
  api = await startTestApi(fixture.database);
  const { account, member } = await createTeam(fixture);
  accountId = account.accountId;
  me = member;
});

afterEach(async () => await api.stop());

async function call(
  method: string,
  path: string,
  { body, cookie = me.cookie }: { body?: unknown; cookie?: string } = {},
): Promise<TestAnswer> {
  return await api.call(method, `/dashboard/api/me${path}`, { cookie, body });
}

const changePassword = async (body: object = {}, cookie = me.cookie) =>
  await call("POST", "/password", {
    cookie,
    body: { current_password: testPassword, new_password: newPassword, ...body },
  });
const login = async (password: string) =>
  await api.call("POST", "/dashboard/api/session", { body: { email: me.email, password } });
const sessions = async (cookie = me.cookie, query = "") =>
  await call("GET", `/sessions${query}`, { cookie });
const idOf = async (cookie: string) => {
  const rows = (await sessions(cookie)).json.data as { id: number; current: boolean }[];
  return Number(rows.find(({ current }) => current)?.id);
};

test("a person reads and changes their own name and language, and nothing else", async () => {
  const view = {
    id: me.userId,
    name: "Member",
    email: me.email,
    email_confirmed: true,
    locale: null,
  };
  const read = await call("GET", "");
  expect([read.status, read.json.data]).toEqual([200, view]);
  const changed = await call("PATCH", "", { body: { name: " Bea ", locale: "es" } });
  expect([changed.status, changed.json.data]).toEqual([
    200,
    { ...view, name: "Bea", locale: "es" },
  ]);
  expect((await call("GET", "")).json.data).toEqual(changed.json.data);
  expect((await whoIs(api, me.cookie)).json.data.user).toEqual(changed.json.data);
  const reset = await call("PATCH", "", { body: { locale: null } });
  expect(reset.json.data).toEqual({ ...view, name: "Bea" });
  expect((await call("PATCH", "", { body: {} })).json.data).toEqual(reset.json.data);
  const [others] = await fixture.query("SELECT COUNT(*) AS n FROM users WHERE name = 'Bea'");
  expect(Number(others?.["n"])).toBe(1);
});

test.each<[unknown, string]>([
  [{ name: "" }, "body.name too_small"],
  [{ name: "x".repeat(201) }, "body.name too_big"],
  [{ name: null }, "body.name invalid_type"],
  [{ locale: "fr" }, "body.locale invalid_value"],
  [{ email: "other@example.com" }, "body.email unknown_field"],
  [{ role: "admin" }, "body.role unknown_field"],
])("a change of oneself to %j is refused", async (body, issue) => {
  const answer = await call("PATCH", "", { body });
  expect([answer.status, outcomeOf(answer)]).toEqual([400, "validation_error"]);
  const details = answer.json.error.details as { path: string; code: string }[];
  expect(details.map(({ path, code }) => `${path} ${code}`)).toEqual([issue]);
});

test("mails are turned on with a mail server and a proved address only, and off at any time", async () => {
  const change = async (on: boolean) =>
    await call("PATCH", "/notification-preferences", {
      body: { preferences: [{ kind: "conversation_handed_off", email: on }] },
    });
  const wantsMail = (answer: TestAnswer) =>
    (answer.json.data as NotificationPreference[]).find(
      ({ kind }) => kind === "conversation_handed_off",
    )?.email;
  const off = await change(true);
  expect([off.status, outcomeOf(off)]).toEqual([409, "mail_off"]);
  await api.stop();
  api = await startTestApi(fixture.database, { SMTP_URL: "smtp://127.0.0.1:9" });
  const on = await change(true);
  expect([on.status, wantsMail(on)]).toEqual([200, true]);
  await fixture.query("UPDATE users SET unconfirmed_account_id = ? WHERE id = ?", [
    accountId,
    me.userId,
  ]);
  const unproved = await change(true);
  expect([unproved.status, outcomeOf(unproved)]).toEqual([409, "email_unconfirmed"]);
  expect(wantsMail(await change(false))).toBe(false);
});

test("a new password ends every login, in every account, and gives the caller a new one", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const elsewhere = (await addMember(fixture, other, { email: me.email })).cookie;
  const second = await loginAs(fixture, me, accountId);
  const answer = await changePassword();
  expect([answer.status, answer.json.data]).toEqual([200, null]);
  for (const cookie of [me.cookie, second, elsewhere]) {
    expect((await whoIs(api, cookie)).status).toBe(401);
  }
  const [line = ""] = answer.headers.getSetCookie();
  expect(line).toMatch(/^parley_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Expires=/);
  expect((await whoIs(api, sessionOf(answer))).json.data.account.id).toBe(accountId);
  expect((await whoIs(api, other.cookie)).status).toBe(200);
  expect((await login(testPassword)).status).toBe(401);
  expect((await login(newPassword)).status).toBe(200);
});

test("a wrong current password changes nothing, and neither does the same one again", async () => {
  const before = await checksum(fixture);
  const wrong = await changePassword({ current_password: "wrong" });
  expect([wrong.status, outcomeOf(wrong)]).toEqual([422, "wrong_password"]);
  const same = await changePassword({ new_password: testPassword });
  expect([same.status, same.json.error.details]).toEqual([
    400,
    [{ path: "body.new_password", code: "same_password", message: "Choose another password." }],
  ]);
  // The same one, guessed wrong, tells nothing of whether it was right.
  const guess = await changePassword({ current_password: newPassword });
  expect(guess.json.error).toEqual({ ...wrong.json.error, request_id: expect.any(String) });
  expect(await checksum(fixture)).toBe(before);
  expect((await whoIs(api, me.cookie)).status).toBe(200);
});

test.each<[object, string[]]>([
  [{ new_password: "x".repeat(9) }, ["body.new_password too_small"]],
  [{ new_password: "x".repeat(1_001) }, ["body.new_password too_big"]],
  [{ current_password: "x".repeat(1_001) }, ["body.current_password too_big"]],
  [
    { current_password: "", new_password: 1 },
    ["body.current_password too_small", "body.new_password invalid_type"],
  ],
  [{ user_id: 1 }, ["body.user_id unknown_field"]],
])("a password change with %j is refused and repeats nothing", async (body, issues) => {
  const answer = await changePassword(body);
  expect([answer.status, outcomeOf(answer)]).toEqual([400, "validation_error"]);
  const details = answer.json.error.details as { path: string; code: string }[];
  expect(details.map(({ path, code }) => `${path} ${code}`)).toEqual(issues);
  expect(answer.text).not.toContain("xxx");
});

test("with a stolen cookie a password is guessed ten times and no more, here and at the login", async () => {
  for (let index = 0; index < 10; index += 1) {
    expect(outcomeOf(await changePassword({ current_password: `guess ${index}` }))).toBe(
      "wrong_password",
    );
  }
  const refused = await changePassword();
  expect([refused.status, outcomeOf(refused)]).toEqual([429, "rate_limited"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(60);
  expect((await login("another guess")).status).toBe(429);
  expect((await whoIs(api, me.cookie)).status).toBe(200);
});

test("of two changes at once, the one that was checked against the old password first wins", async () => {
  const candidate = { userId: me.userId, passwordHash: await passwordHashOf(fixture, me.userId) };
  const actor = { type: "user", userId: me.userId, accountId, role: "agent" } as const;
  const results = await Promise.allSettled(
    ["$argon2id$1", "$argon2id$2"].map((passwordHash) =>
      transaction(fixture.database.dataSource, { actor }, (tx) =>
        changeOwnPassword(tx, candidate, { passwordHash, userAgent: null }),
      ),
    ),
  );
  const refusals = results.filter((result) => result.status === "rejected");
  expect(refusals).toMatchObject([{ reason: { code: "wrong_password" } }]);
  const left = await fixture.query("SELECT 1 FROM sessions WHERE user_id = ?", [me.userId]);
  expect(left).toHaveLength(1);
});

test("a password change leaves who, when and from where, and neither password", async () => {
  await changePassword();
  const rows = await fixture.query(
    "SELECT * FROM audit_log WHERE account_id = ? AND action LIKE 'user.%'",
    [accountId],
  );
  expect(rows).toMatchObject([
    {
      actor_type: "user",
      actor_id: me.userId,
      action: "user.password_changed",
      target_type: "user",
      target_id: me.userId,
      details: null,
      ip: expect.stringContaining("127.0.0.1"),
    },
  ]);
});

test("a person sees their own open logins, the last used first, and no token", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const elsewhere = (await addMember(fixture, other, { email: me.email })).cookie;
  const expired = await loginAs(fixture, me, accountId);
  await fixture.query("UPDATE sessions SET expires_at = NOW() WHERE id = ?", [await idOf(expired)]);
  const answer = await sessions();
  const view = {
    id: expect.any(Number),
    ip: null,
    user_agent: "test",
    created_at: timestamp,
    last_seen_at: timestamp,
  };
  expect(answer.json).toStrictEqual({
    success: true,
    data: [
      { ...view, id: await idOf(elsewhere), current: false },
      { ...view, id: await idOf(me.cookie), current: true },
    ],
    meta: { total: 2, total_at_least: false, limit: 50, offset: 0 },
  });
  const page = await sessions(me.cookie, "?limit=1&offset=1");
  expect(page.json.data).toStrictEqual([answer.json.data[1]]);
  expect((await sessions(me.cookie, "?offset=-1")).status).toBe(400);
});

test("a login shows where it came from", async () => {
  const cookie = sessionOf(
    await api.call("POST", "/dashboard/api/session", {
      headers: { "user-agent": "Firefox" },
      body: { email: me.email, password: testPassword },
    }),
  );
  expect((await sessions(cookie)).json.data[0]).toMatchObject({
    current: true,
    user_agent: "Firefox",
    ip: expect.stringContaining("127.0.0.1"),
  });
});

test("a person ends one of their logins at once, also the one in use, and nobody else's", async () => {
  const second = await loginAs(fixture, me, accountId);
  const id = await idOf(second);
  const stranger = await createTestAccount(fixture.database.dataSource);
  const theirs = await call("DELETE", `/sessions/${id}`, { cookie: stranger.cookie });
  expect([theirs.status, outcomeOf(theirs)]).toEqual([404, "session_not_found"]);
  const ended = await call("DELETE", `/sessions/${id}`);
  expect([ended.status, ended.json.data]).toEqual([200, { id }]);
  expect((await whoIs(api, second)).status).toBe(401);
  expect(outcomeOf(await call("DELETE", `/sessions/${id}`))).toBe("session_not_found");
  expect((await call("DELETE", `/sessions/${await idOf(me.cookie)}`)).status).toBe(200);
  expect((await whoIs(api, me.cookie)).status).toBe(401);
});

test("a person ends every login but this one", async () => {
  const others = [await loginAs(fixture, me, accountId), await loginAs(fixture, me, accountId)];
  const stranger = await createTestAccount(fixture.database.dataSource);
  const answer = await call("DELETE", "/sessions");
  expect([answer.status, answer.json.data]).toEqual([200, { ended: 2 }]);
  for (const cookie of others) expect((await whoIs(api, cookie)).status).toBe(401);
  for (const cookie of [me.cookie, stranger.cookie]) {
    expect((await whoIs(api, cookie)).status).toBe(200);
  }
  expect((await call("DELETE", "/sessions")).json.data).toEqual({ ended: 0 });
});
