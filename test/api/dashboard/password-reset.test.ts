import { Writable } from "node:stream";
import { beforeEach, expect, test } from "vitest";
import { createApp } from "../../../api/app.ts";
import { createDeps } from "../../../api/create-deps.ts";
import { listen } from "../../../api/http/listen.ts";
import { createLog } from "../../../core/log.ts";
import { createRegistry } from "../../../core/metrics.ts";
import { createTestAccount, testPassword, type TestAccount } from "../../support/accounts.ts";
import { callApi, testConfig, type TestAnswer, plainInstallation } from "../../support/api.ts";
import {
  addMember,
  createTeam,
  loginAs,
  outcomeOf,
  passwordHashOf,
  sessionOf,
  tokenOf,
  whileLocked,
  whoIs,
  type TestPerson,
} from "./people-fixture.ts";
import { checksum, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let account: TestAccount;
let member: TestPerson;
const password = "the password they chose";
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

beforeEach(async () => {
  ({ account, member } = await createTeam(fixture));
});

async function reset(id = member.userId, cookie = account.cookie): Promise<TestAnswer> {
  return await fixture.api.call("POST", `/dashboard/api/users/${id}/password-reset`, { cookie });
}

const resetToken = async () => tokenOf(await reset(), fixture.api.deps.config.publicUrl);
const read = async (token: string) =>
  await fixture.api.call("POST", "/dashboard/api/links/read", { body: { token } });
const accept = async (token: string, body: object = {}) =>
  await fixture.api.call("POST", "/dashboard/api/links/accept", {
    body: { token, password, ...body },
  });
const login = async (given: string) =>
  await fixture.api.call("POST", "/dashboard/api/session", {
    body: { email: member.email, password: given },
  });

async function expectClosed(token: string): Promise<void> {
  const hash = await passwordHashOf(fixture, member.userId);
  for (const answer of [await read(token), await accept(token)]) {
    expect([answer.status, outcomeOf(answer)]).toEqual([404, "link_not_found"]);
  }
  expect(await passwordHashOf(fixture, member.userId)).toBe(hash);
}

test("a reset link sets a new password, ends every login and starts one", async () => {
  const second = await loginAs(fixture, member, account.accountId);
  const made = await reset();
  const token = tokenOf(made, fixture.api.deps.config.publicUrl);
  expect(Object.keys(made.json.data)).toEqual(["url", "expires_at"]);
  expect(Date.parse(made.json.data.expires_at) - Date.now()).toBeCloseTo(86_400_000, -5);
  expect((await whoIs(fixture.api, member.cookie)).status).toBe(200);
  expect((await read(token)).json.data).toStrictEqual({
    kind: "password_reset",
    email: member.email,
    name: "Member",
    account_name: account.email,
    expires_at: timestamp,
    needs_password: "new",
    proves_email: false,
  });
  const answer = await accept(token, { name: "Ignored" });
  expect(answer.status).toBe(200);
  expect(answer.json.data).toMatchObject({
    user: { id: member.userId, name: "Member" },
    role: "agent",
    account: { id: account.accountId },
  });
  for (const cookie of [member.cookie, second]) {
    expect((await whoIs(fixture.api, cookie)).status).toBe(401);
  }
  expect((await whoIs(fixture.api, sessionOf(answer))).status).toBe(200);
  expect((await login(testPassword)).status).toBe(401);
  expect((await login(password)).status).toBe(200);
  await expectClosed(token);
});

test("a short password is refused, and the link stays open", async () => {
  const token = await resetToken();
  const short = await accept(token, { password: "x".repeat(9) });
  expect([short.status, short.json.error.details[0].path]).toEqual([400, "body.password"]);
  expect((await accept(token)).status).toBe(200);
});

test("a reset link used twice at once sets one password", async () => {
  const token = await resetToken();
  const passwords = ["the first password", "the second password"];
  const answers = await Promise.all(passwords.map((one) => accept(token, { password: one })));
  const outcomes = answers.map(outcomeOf);
  expect(outcomes.toSorted()).toEqual(["200", "link_not_found"]);
  expect((await login(String(passwords[outcomes.indexOf("200")]))).status).toBe(200);
});

test("a newer link ends an older one, and so does a password that the person changed themselves", async () => {
  const [first, second] = [await resetToken(), await resetToken()];
  await expectClosed(first);
  expect((await read(second)).status).toBe(200);
  const changed = await fixture.api.call("POST", "/dashboard/api/me/password", {
    cookie: member.cookie,
    body: { current_password: testPassword, new_password: "their very own password" },
  });
  expect(changed.status).toBe(200);
  await expectClosed(second);
});

test("of a person of another account too no link is made: it would let an admin in there", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  await addMember(fixture, other, { email: member.email });
  const before = await checksum(fixture);
  const refused = await reset();
  expect([refused.status, outcomeOf(refused)]).toEqual([409, "member_elsewhere"]);
  expect(await checksum(fixture)).toBe(before);
  // Both may be open again tomorrow, with the password that an admin here has chosen today.
  await fixture.query("UPDATE memberships SET disabled_at = NOW() WHERE account_id = ?", [
    other.accountId,
  ]);
  await fixture.query("UPDATE accounts SET disabled_at = NOW() WHERE id = ?", [other.accountId]);
  expect(outcomeOf(await reset())).toBe("member_elsewhere");
});

test("a link made before the person joined another account opens nothing after", async () => {
  const token = await resetToken();
  const other = await createTestAccount(fixture.database.dataSource);
  const invitation = await fixture.api.call("POST", "/dashboard/api/invitations", {
    cookie: other.cookie,
    body: { email: member.email, role: "admin" },
  });
  const joined = await accept(tokenOf(invitation, fixture.api.deps.config.publicUrl), {
    password: testPassword,
  });
  expect(joined.status).toBe(200);
  await expectClosed(token);
  expect((await whoIs(fixture.api, sessionOf(joined))).status).toBe(200);
});

test("a link used while the person joins another account opens nothing either", async () => {
  const token = await resetToken();
  const other = await createTestAccount(fixture.database.dataSource);
  const hash = await passwordHashOf(fixture, member.userId);
  const answer = await whileLocked(
    fixture,
    [
      ["SELECT id FROM users WHERE id = ? FOR SHARE", [member.userId]],
      [
        "INSERT INTO memberships (account_id, user_id, role) VALUES (?, ?, 'admin')",
        [other.accountId, member.userId],
      ],
    ],
    () => accept(token),
  );
  expect(outcomeOf(answer)).toBe("link_not_found");
  expect(await passwordHashOf(fixture, member.userId)).toBe(hash);
});

test("a person does not join another account with a password that a link has just replaced", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const invitation = await fixture.api.call("POST", "/dashboard/api/invitations", {
    cookie: other.cookie,
    body: { email: member.email, role: "agent" },
  });
  const answer = await whileLocked(
    fixture,
    [["UPDATE users SET password_hash = '$argon2id$new' WHERE id = ?", [member.userId]]],
    () =>
      accept(tokenOf(invitation, fixture.api.deps.config.publicUrl), { password: testPassword }),
  );
  expect(outcomeOf(answer)).toBe("login_failed");
  const joined = "SELECT 1 FROM memberships WHERE account_id = ? AND user_id = ?";
  expect(await fixture.query(joined, [other.accountId, member.userId])).toEqual([]);
});

test("nobody makes a link for themselves: with a stolen cookie it would replace the password", async () => {
  const refused = await reset(account.userId);
  expect([refused.status, outcomeOf(refused)]).toEqual([409, "own_membership"]);
});

test("a disabled person gets no link, and one made before opens nothing", async () => {
  const token = await resetToken();
  for (const sql of [
    "UPDATE memberships SET disabled_at = NOW() WHERE user_id = ?",
    "UPDATE users SET disabled_at = NOW() WHERE id = ?",
  ]) {
    await fixture.query(sql, [member.userId]);
    const refused = await reset();
    expect([refused.status, outcomeOf(refused)]).toEqual([409, "user_disabled"]);
    await expectClosed(token);
    await fixture.query("UPDATE memberships SET disabled_at = NULL WHERE user_id = ?", [
      member.userId,
    ]);
  }
});

test("a link dies after a day, and with the rights of the admin who made it", async () => {
  const token = await resetToken();
  await fixture.query("UPDATE memberships SET role = 'agent' WHERE user_id = ?", [account.userId]);
  await expectClosed(token);
  await fixture.query("UPDATE memberships SET role = 'admin' WHERE user_id = ?", [account.userId]);
  expect((await read(token)).status).toBe(200);
  await fixture.query("UPDATE user_links SET expires_at = NOW() WHERE user_id = ?", [
    member.userId,
  ]);
  await expectClosed(token);
});

test("invitations and resets leave who, what, whom and from where, and no token or password", async () => {
  await fixture.query("DELETE FROM audit_log");
  const lines: string[] = [];
  const config = testConfig(fixture.database, { LOG_LEVEL: "trace" });
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
  const listening = await listen(createApp(deps), "127.0.0.1", 0);
  const call = async (method: string, path: string, body?: unknown) =>
    await callApi(`http://127.0.0.1:${listening.port}`, method, `/dashboard/api${path}`, {
      cookie: account.cookie,
      body,
    });
  const email = "audit-canary@example.com";
  const withdrawn = await call("POST", "/invitations", { email, role: "agent" });
  await call("DELETE", `/invitations/${withdrawn.json.data.id}`);
  const invitation = await call("POST", "/invitations", { email, role: "admin", name: "Canary" });
  const tokens = [tokenOf(invitation, deps.config.publicUrl)];
  const joined = await call("POST", "/links/accept", { token: tokens[0], password });
  const newId = Number(joined.json.data.user.id);
  const link = await call("POST", `/users/${newId}/password-reset`);
  tokens.push(tokenOf(link, deps.config.publicUrl));
  await call("POST", "/links/read", { token: tokens[1] });
  await call("POST", "/links/accept", { token: tokens[1], password: `${password} 2` });
  await call("POST", "/links/accept", { token: tokens[1], password: `${password} 3` });
  await listening.stop();
  const rows = await fixture.query<Record<string, unknown>>("SELECT * FROM audit_log ORDER BY id");
  const [withdrawnId, invitationId] = [withdrawn.json.data.id, invitation.json.data.id];
  const admin = account.userId;
  const link_id = expect.any(Number);
  const expected: [number, string, number, unknown][] = [
    [admin, "invitation.created", withdrawnId, { role: "agent" }],
    [admin, "invitation.revoked", withdrawnId, null],
    [admin, "invitation.created", invitationId, { role: "admin" }],
    [newId, "invitation.accepted", invitationId, { role: "admin" }],
    [admin, "user.password_reset_created", newId, { link_id }],
    [newId, "user.password_reset", newId, { link_id, created_by_user_id: admin }],
  ];
  expect(rows).toEqual(
    expected.map(([actor_id, action, target_id, details]) => ({
      id: expect.any(Number),
      account_id: account.accountId,
      actor_type: "user",
      actor_id,
      action,
      target_type: action.split(".")[0],
      target_id,
      details,
      ip: expect.stringContaining("127.0.0.1"),
      request_id: expect.any(String),
      created_at: expect.any(Date),
    })),
  );
  const written = JSON.stringify(rows) + lines.join("");
  for (const secret of [...tokens, password, email, "Canary", "argon2"]) {
    expect(written).not.toContain(secret);
  }
  expect(lines.length).toBeGreaterThanOrEqual(8);
});
