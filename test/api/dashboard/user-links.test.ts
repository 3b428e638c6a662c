import { beforeEach, expect, test } from "vitest";
import { acceptLink } from "../../../core/services/accounts/accept-link.ts";
import { hashToken } from "../../../core/secrets.ts";
import {
  asSystem,
  createTestAccount,
  testPassword,
  type TestAccount,
} from "../../support/accounts.ts";
import { startTestApi, type TestAnswer } from "../../support/api.ts";
import {
  addMember,
  outcomeOf,
  passwordHashOf,
  sessionOf,
  tokenOf,
  whoIs,
} from "./people-fixture.ts";
import { checksum, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let account: TestAccount;
let email: string;
let count = 0;
const password = "the password they chose";
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
  email = `invited${(count += 1)}@example.com`;
});

async function invite(body: object = {}, cookie = account.cookie): Promise<TestAnswer> {
  return await fixture.api.call("POST", "/dashboard/api/invitations", {
    cookie,
    body: { email, role: "agent", ...body },
  });
}

const publicUrl = () => fixture.api.deps.config.publicUrl;
const invited = async (body: object = {}, cookie = account.cookie) =>
  tokenOf(await invite(body, cookie), publicUrl());
const pending = async () =>
  await fixture.api.call("GET", "/dashboard/api/invitations", { cookie: account.cookie });
const withdraw = async (id: number) =>
  await fixture.api.call("DELETE", `/dashboard/api/invitations/${id}`, { cookie: account.cookie });
const read = async (token: string) =>
  await fixture.api.call("POST", "/dashboard/api/links/read", { body: { token } });
const accept = async (token: string, body: object = {}) =>
  await fixture.api.call("POST", "/dashboard/api/links/accept", {
    body: { token, password, ...body },
  });
const login = async (given: string) =>
  await fixture.api.call("POST", "/dashboard/api/session", { body: { email, password: given } });
const memberships = async () =>
  await fixture.query(
    "SELECT m.account_id, m.role FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.email = ? ORDER BY m.id",
    [email],
  );
/** Every way in which the API says that a link opens nothing reads like the one for any other token. */
async function expectClosed(token: string): Promise<void> {
  for (const ask of [read, accept]) {
    const [unknown, answer] = [await ask("x".repeat(43)), await ask(token)];
    expect([answer.status, outcomeOf(answer)]).toEqual([404, "link_not_found"]);
    const { request_id: _, ...error } = answer.json.error;
    expect(unknown.json.error).toMatchObject(error);
  }
}

test("an invitation is a link shown this once; the database keeps the hash of its token", async () => {
  const answer = await invite({ email: ` ${email.toUpperCase()} `, role: "admin", name: " Bea " });
  const token = tokenOf(answer, publicUrl());
  const { url, ...view } = answer.json.data;
  expect(view).toStrictEqual({
    id: expect.any(Number),
    mail: null,
    email,
    role: "admin",
    name: "Bea",
    expires_at: timestamp,
    created_at: timestamp,
  });
  expect(Date.parse(view.expires_at) - Date.parse(view.created_at)).toBe(7 * 86_400_000);
  const list = await pending();
  expect(list.json).toStrictEqual({
    success: true,
    data: [view],
    meta: { total: 1, total_at_least: false, limit: 50, offset: 0 },
  });
  expect(list.text).not.toContain(token);
  const [row] = await fixture.query(
    "SELECT *, token_hash = UNHEX(SHA2(?, 256)) AS hashed FROM user_links WHERE id = ?",
    [token, view.id],
  );
  expect(row).toMatchObject({ hashed: 1, created_by_user_id: account.userId });
  expect(String(url)).not.toContain("?");
});

test("over https the link is an https one", async () => {
  const secure = await startTestApi(fixture.database, { PUBLIC_URL: "https://parley.example/" });
  const answer = await secure.call("POST", "/dashboard/api/invitations", {
    cookie: account.cookie.replace("parley_session", "__Host-parley_session"),
    headers: { host: "evil.example" },
    body: { email, role: "agent" },
  });
  const token = tokenOf(answer, "https://parley.example");
  expect((await read(token)).status).toBe(200);
  await secure.stop();
});

test("a new person chooses a password, is logged in, and the link has done its work", async () => {
  const token = await invited({ name: "Bea", role: "admin" });
  expect((await read(token)).json.data).toStrictEqual({
    kind: "invitation",
    email,
    name: "Bea",
    account_name: account.email,
    expires_at: timestamp,
    needs_password: "new",
    proves_email: false,
  });
  const answer = await accept(token);
  expect(answer.status).toBe(200);
  expect(answer.json.data).toMatchObject({
    user: { name: "Bea", email, locale: null },
    role: "admin",
    account: { id: account.accountId },
    accounts: [{ id: account.accountId, role: "admin" }],
  });
  const cookies = answer.headers.getSetCookie().map((line) => line.split("=")[0]);
  expect(cookies).toEqual(["parley_session", "parley_device"]);
  expect((await whoIs(fixture.api, sessionOf(answer))).json.data).toEqual(answer.json.data);
  await expectClosed(token);
  expect((await pending()).json.meta.total).toBe(0);
  expect((await login(password)).status).toBe(200);
});

test.each([
  [{ name: "Bea" }, { name: " Beatriz " }, "Beatriz"],
  [{ name: null }, { name: "Beatriz" }, "Beatriz"],
  [{}, {}, null],
])("invited with %j and accepted with %j, a person is called %j", async (sent, own, name) => {
  const answer = await accept(await invited(sent), own);
  expect(answer.json.data.user.name).toBe(name ?? email.split("@")[0]);
});

test("a new password of fewer than ten characters is refused, and the link stays open", async () => {
  const token = await invited();
  const short = await accept(token, { password: "x".repeat(9) });
  expect([short.status, short.json.error.details]).toEqual([
    400,
    [{ path: "body.password", code: "too_small", message: "Use at least 10 characters." }],
  ]);
  expect((await accept(token, { password: "x".repeat(10) })).status).toBe(200);
});

test("a person who exists proves their password; an invitation never sets it", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  email = other.email;
  const token = await invited({ name: "Renamed" });
  const before = await checksum(fixture);
  for (const body of [{}, { name: "Mine" }, { password: "short" }]) {
    const refused = await accept(token, { existing: true, ...body });
    expect([refused.status, outcomeOf(refused)]).toEqual([401, "login_failed"]);
    expect(refused.headers.getSetCookie()).toEqual([]);
  }
  expect(await checksum(fixture)).toBe(before);
  const hash = await passwordHashOf(fixture, other.userId);
  const answer = await accept(token, { password: testPassword, name: "Ignored" });
  expect(answer.json.data).toMatchObject({
    user: { id: other.userId, name: "Admin" },
    role: "agent",
    account: { id: account.accountId },
    accounts: [{ id: other.accountId }, { id: account.accountId }],
  });
  expect(await passwordHashOf(fixture, other.userId)).toBe(hash);
  expect((await whoIs(fixture.api, other.cookie)).status).toBe(200);
  await expectClosed(token);
});

test("with an invitation a password is guessed ten times and no more, here and at the login", async () => {
  const api = await startTestApi(fixture.database);
  ({ email } = await createTestAccount(fixture.database.dataSource));
  const token = await invited();
  const guess = async (body: object) =>
    outcomeOf(
      await api.call("POST", "/dashboard/api/links/accept", {
        body: { token, existing: true, ...body },
      }),
    );
  for (let index = 0; index < 10; index += 1) {
    expect(await guess({ password: `guess ${index}` })).toBe("login_failed");
  }
  expect(await guess({ password: testPassword })).toBe("rate_limited");
  const body = { email, password: testPassword };
  expect(outcomeOf(await api.call("POST", "/dashboard/api/session", { body }))).toBe(
    "rate_limited",
  );
  await api.stop();
});

test("a person who came to be after the form was read keeps their password", async () => {
  const token = await invited();
  const other = await createTestAccount(fixture.database.dataSource);
  await addMember(fixture, other, { email });
  const proof = { password: "new", passwordHash: "$argon2id$theirs", name: null } as const;
  await asSystem(fixture.database.dataSource, 0, (tx) => acceptLink(tx, hashToken(token), proof));
  expect(await memberships()).toEqual([
    { account_id: other.accountId, role: "agent" },
    { account_id: account.accountId, role: "agent" },
  ]);
  expect((await login(testPassword)).status).toBe(200);
});

test("a password that has changed since it was checked proves nothing", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  ({ email } = other);
  const token = await invited();
  const candidate = { userId: other.userId, passwordHash: "$argon2id$theirs-before" };
  const use = asSystem(fixture.database.dataSource, 0, (tx) =>
    acceptLink(tx, hashToken(token), { password: "existing", candidate }),
  );
  await expect(use).rejects.toMatchObject({ code: "login_failed" });
  expect(await memberships()).toHaveLength(1);
});

test("a disabled person does not get in by an invitation", async () => {
  expect.hasAssertions();
  const other = await createTestAccount(fixture.database.dataSource);
  ({ email } = other);
  const token = await invited();
  await fixture.query("UPDATE users SET disabled_at = NOW() WHERE id = ?", [other.userId]);
  await expectClosed(token);
});

test("an invitation used twice at once makes one person and one membership", async () => {
  for (let round = 0; round < 3; round += 1) {
    email = `twice${round}@example.com`;
    const token = await invited();
    const answers = await Promise.all([accept(token), accept(token)]);
    expect(answers.map(outcomeOf).toSorted()).toEqual(["200", "link_not_found"]);
    expect(await memberships()).toEqual([{ account_id: account.accountId, role: "agent" }]);
  }
});

test("a person who exists joins once with an invitation used twice at once", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  ({ email } = other);
  const token = await invited();
  const own = { password: testPassword };
  const answers = await Promise.all([accept(token, own), accept(token, own)]);
  expect(answers.map(outcomeOf).toSorted()).toEqual(["200", "link_not_found"]);
  expect(await memberships()).toHaveLength(2);
});

test("invited by two accounts at once, each has a person of its own", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const tokens = [await invited(), await invited({}, other.cookie)];
  const answers = await Promise.all(tokens.map((token) => accept(token)));
  expect(answers.map(outcomeOf)).toEqual(["200", "200"]);
  expect(await memberships()).toHaveLength(2);
  const users = await fixture.query(
    "SELECT unconfirmed_account_id AS account FROM users WHERE email = ? ORDER BY 1",
    [email],
  );
  expect(users).toEqual([{ account: account.accountId }, { account: other.accountId }]);
});

test("a member is not invited again, not even a disabled one, and not by another link", async () => {
  const token = await invited();
  const member = await addMember(fixture, account, { email });
  const late = await accept(token, { password: testPassword });
  expect([late.status, outcomeOf(late)]).toEqual([409, "already_member"]);
  await fixture.query("UPDATE memberships SET disabled_at = NOW() WHERE user_id = ?", [
    member.userId,
  ]);
  const before = await checksum(fixture);
  const again = await invite({ email: email.toUpperCase() });
  expect([again.status, outcomeOf(again)]).toEqual([409, "already_member"]);
  expect(outcomeOf(await accept(token, { password: testPassword }))).toBe("already_member");
  expect(await checksum(fixture)).toBe(before);
});

test("a second invitation of an email ends the first, in this account alone", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const [first, elsewhere] = [await invited(), await invited({}, other.cookie)];
  const second = await invited({ role: "admin" });
  await expectClosed(first);
  expect((await pending()).json.data).toMatchObject([{ email, role: "admin" }]);
  expect((await read(elsewhere)).status).toBe(200);
  expect((await accept(second)).json.data.role).toBe("admin");
});

test("a withdrawn invitation opens nothing; it is withdrawn once, and not once it is accepted", async () => {
  const answer = await invite();
  const { id } = answer.json.data;
  const withdrawn = await withdraw(id);
  expect([withdrawn.status, withdrawn.json.data]).toEqual([200, { id }]);
  await expectClosed(tokenOf(answer, publicUrl()));
  expect((await pending()).json.data).toEqual([]);
  expect(outcomeOf(await withdraw(id))).toBe("invitation_not_found");
  const second = await invite();
  await accept(tokenOf(second, publicUrl()));
  expect(outcomeOf(await withdraw(second.json.data.id))).toBe("invitation_not_found");
});

test.each([
  ["it is seven days old", "UPDATE user_links SET expires_at = NOW() WHERE created_by_user_id = ?"],
  ["its maker is no admin any more", "UPDATE memberships SET role = 'agent' WHERE user_id = ?"],
  ["its maker is disabled here", "UPDATE memberships SET disabled_at = NOW() WHERE user_id = ?"],
  ["its maker is a member no more", "DELETE FROM memberships WHERE user_id = ?"],
  ["its maker is disabled everywhere", "UPDATE users SET disabled_at = NOW() WHERE id = ?"],
])("an invitation opens nothing once %s, and is not listed", async (_, sql) => {
  const token = await invited({ role: "admin" });
  const colleague = await addMember(fixture, account, { role: "admin" });
  await fixture.query(sql, [account.userId]);
  await expectClosed(token);
  const list = await fixture.api.call("GET", "/dashboard/api/invitations", {
    cookie: colleague.cookie,
  });
  expect(list.json).toMatchObject({ data: [], meta: { total: 0 } });
});

test("an invitation opens nothing while its account is disabled", async () => {
  const token = await invited();
  const setTo = async (moment: Date | null) =>
    await fixture.query("UPDATE accounts SET disabled_at = ? WHERE id = ?", [
      moment,
      account.accountId,
    ]);
  await setTo(new Date());
  await expectClosed(token);
  await setTo(null);
  expect((await read(token)).status).toBe(200);
});

test.each<[object, string]>([
  [{ email: "nobody" }, "body.email invalid_email"],
  [{ email: null }, "body.email invalid_type"],
  [{ role: "owner" }, "body.role invalid_value"],
  [{ name: "" }, "body.name too_small"],
  [{ name: "x".repeat(201) }, "body.name too_big"],
  [{ account_id: 1 }, "body.account_id unknown_field"],
])("an invitation with %j is refused", async (body, issue) => {
  const before = await checksum(fixture);
  const answer = await invite(body);
  expect([answer.status, outcomeOf(answer)]).toEqual([400, "validation_error"]);
  const details = answer.json.error.details as { path: string; code: string }[];
  expect(details.map(({ path, code }) => `${path} ${code}`)).toEqual([issue]);
  expect(await checksum(fixture)).toBe(before);
});

test.each<[object, string]>([
  [{ token: "" }, "body.token too_small"],
  [{ token: "x".repeat(201) }, "body.token too_big"],
  [{ password: "" }, "body.password too_small"],
  [{ password: "x".repeat(1_001) }, "body.password too_big"],
  [{ role: "admin" }, "body.role unknown_field"],
])("a link is not used with %j", async (body, issue) => {
  const answer = await accept("x", body);
  expect([answer.status, outcomeOf(answer)]).toEqual([400, "validation_error"]);
  const details = answer.json.error.details as { path: string; code: string }[];
  expect(details.map(({ path, code }) => `${path} ${code}`)).toEqual([issue]);
});

test("an address has fifty tokens that open nothing; those that open something use nothing up", async () => {
  const api = await startTestApi(fixture.database);
  const token = await invited();
  const ask = async (given: string) =>
    outcomeOf(await api.call("POST", "/dashboard/api/links/read", { body: { token: given } }));
  for (let index = 0; index < 60; index += 1) expect(await ask(token)).toBe("200");
  for (let index = 0; index < 50; index += 1) {
    expect(await ask(`guess ${index}`)).toBe("link_not_found");
  }
  expect(await ask("guess")).toBe("rate_limited");
  expect(await ask(token)).toBe("rate_limited");
  await api.stop();
});
