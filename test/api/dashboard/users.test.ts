import { beforeEach, expect, test } from "vitest";
import { updateMember } from "../../../core/services/accounts/members.ts";
import { transaction } from "../../../db/transaction.ts";
import {
  asSystem,
  createTestAccount,
  testPassword,
  type TestAccount,
} from "../../support/accounts.ts";
import { startTestApi, type TestAnswer } from "../../support/api.ts";
import {
  addMember,
  createTeam,
  loginAs,
  outcomeOf,
  whileLocked,
  whoIs,
  type TestPerson,
} from "./people-fixture.ts";
import { checksum, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let account: TestAccount;
let member: TestPerson;
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

beforeEach(async () => {
  ({ account, member } = await createTeam(fixture));
});

const list = async (cookie = account.cookie, query = "") =>
  await fixture.api.call("GET", `/dashboard/api/users${query}`, { cookie });

async function change(id: number, body: unknown, cookie = account.cookie): Promise<TestAnswer> {
  return await fixture.api.call("PATCH", `/dashboard/api/users/${id}`, { cookie, body });
}

const login = async (email: string, account_id?: number, api = fixture.api) =>
  await api.call("POST", "/dashboard/api/session", {
    body: { email, password: testPassword, ...(account_id === undefined ? {} : { account_id }) },
  });

test("an agent reads who is in the account, by name, and nobody of another account", async () => {
  await addMember(fixture, await createTestAccount(fixture.database.dataSource), { name: "Alien" });
  const answer = await list(member.cookie);
  expect(answer.status).toBe(200);
  const common = {
    email_confirmed: true,
    disabled_at: null,
    last_seen_at: timestamp,
    created_at: timestamp,
  };
  expect(answer.json).toStrictEqual({
    success: true,
    data: [
      { id: account.userId, name: "Admin", email: account.email, role: "admin", ...common },
      { id: member.userId, name: "Member", email: member.email, role: "agent", ...common },
    ],
    meta: { total: 2, total_at_least: false, limit: 50, offset: 0 },
  });
  const second = await list(member.cookie, "?limit=1&offset=1");
  expect(second.json.data).toStrictEqual([answer.json.data[1]]);
  expect(second.json.meta).toStrictEqual({ total: 2, total_at_least: false, limit: 1, offset: 1 });
  expect((await list(member.cookie, "?limit=101")).status).toBe(400);
});

test("who has no login in this account was not seen in it", async () => {
  await fixture.query("DELETE FROM sessions WHERE user_id = ?", [member.userId]);
  const elsewhere = await createTestAccount(fixture.database.dataSource);
  await addMember(fixture, elsewhere, { email: member.email });
  expect((await list()).json.data[1]).toMatchObject({ id: member.userId, last_seen_at: null });
});

test("a new role counts at once, in logins that are open too", async () => {
  const keys = async () =>
    await fixture.api.call("GET", "/dashboard/api/api-keys", { cookie: member.cookie });
  expect((await keys()).status).toBe(403);
  const promoted = await change(member.userId, { role: "admin" });
  expect([promoted.status, promoted.json.data]).toEqual([
    200,
    (await list()).json.data.find(({ id }: { id: number }) => id === member.userId),
  ]);
  expect(promoted.json.data.role).toBe("admin");
  expect((await keys()).status).toBe(200);
  await change(member.userId, { role: "agent" });
  expect((await keys()).status).toBe(403);
});

test("a disabled person is out at once in every process, and cannot log in", async () => {
  const second = await startTestApi(fixture.database);
  const apis = [fixture.api, second];
  const another = await loginAs(fixture, member, account.accountId);
  const disabled = await change(member.userId, { disabled: true });
  expect([disabled.status, disabled.json.data.disabled_at]).toEqual([200, timestamp]);
  for (const api of apis) {
    for (const cookie of [member.cookie, another]) {
      expect(outcomeOf(await whoIs(api, cookie))).toBe("session_required");
    }
    expect(outcomeOf(await login(member.email, undefined, api))).toBe("login_failed");
    expect(outcomeOf(await login(member.email, account.accountId, api))).toBe("login_failed");
  }
  await second.stop();
  const again = await change(member.userId, { disabled: true });
  expect(again.json.data).toStrictEqual({ ...disabled.json.data, last_seen_at: null });
  const enabled = await change(member.userId, { disabled: false });
  expect(enabled.json.data.disabled_at).toBeNull();
  expect((await login(member.email)).status).toBe(200);
  // A login that was ended does not come back.
  expect((await whoIs(fixture.api, member.cookie)).status).toBe(401);
});

test("an admin closes their own account to a person and no other", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const { cookie, userId } = await addMember(fixture, other, {
    email: member.email,
    role: "admin",
  });
  await change(userId, { disabled: true });
  expect((await whoIs(fixture.api, member.cookie)).status).toBe(401);
  const there = await whoIs(fixture.api, cookie);
  expect(there.json.data).toMatchObject({
    role: "admin",
    account: { id: other.accountId },
    accounts: [{ id: other.accountId }],
  });
  const move = await fixture.api.call("PATCH", "/dashboard/api/session", {
    cookie,
    body: { account_id: account.accountId },
  });
  expect(outcomeOf(move)).toBe("account_not_found");
  expect((await login(member.email)).json.data.account.id).toBe(other.accountId);
  expect(outcomeOf(await login(member.email, account.accountId))).toBe("login_failed");
  expect((await list(other.cookie)).json.data).toContainEqual(
    expect.objectContaining({ id: userId, disabled_at: null, role: "admin" }),
  );
});

test.each(["a login", "a move"])(
  "%s that begins while the person is disabled is refused",
  async (what) => {
    const other = await createTestAccount(fixture.database.dataSource);
    const { cookie, userId } = await addMember(fixture, other, { email: member.email });
    const membership = [account.accountId, userId];
    const answer = await whileLocked(
      fixture,
      [
        [
          "UPDATE memberships SET disabled_at = NOW() WHERE account_id = ? AND user_id = ?",
          membership,
        ],
        ["DELETE FROM sessions WHERE account_id = ? AND user_id = ?", membership],
      ],
      async () =>
        what === "a login"
          ? await login(member.email, account.accountId)
          : await fixture.api.call("PATCH", "/dashboard/api/session", {
              cookie,
              body: { account_id: account.accountId },
            }),
    );
    expect(outcomeOf(answer)).toBe(what === "a login" ? "login_failed" : "account_not_found");
    const left = "SELECT 1 FROM sessions WHERE account_id = ? AND user_id = ?";
    expect(await fixture.query(left, membership)).toEqual([]);
  },
);

test("nobody changes their own role or disables themselves; their own name they may", async () => {
  const before = await checksum(fixture);
  for (const body of [{ role: "agent" }, { disabled: true }, { disabled: true, name: "X" }]) {
    const refused = await change(account.userId, body);
    expect([refused.status, outcomeOf(refused)]).toEqual([409, "own_membership"]);
  }
  const same = await change(account.userId, { role: "admin", disabled: false, name: "Admin" });
  expect(same.status).toBe(200);
  expect(await checksum(fixture)).toBe(before);
  const renamed = await change(account.userId, { role: "admin", name: " Ada " });
  expect([renamed.status, renamed.json.data.name]).toEqual([200, "Ada"]);
});

test.each([{ role: "agent" }, { disabled: true }] as const)(
  "of two admins who set %j on each other at once, one stays",
  async (patch) => {
    const { dataSource } = fixture.database;
    for (let round = 0; round < 5; round += 1) {
      const team = await createTeam(fixture, "admin");
      const { accountId } = team.account;
      const ids = [team.account.userId, team.member.userId];
      const changes = ids.map((userId, index) => {
        const actor = { type: "user", userId, accountId, role: "admin" } as const;
        return transaction(dataSource, { actor }, (tx) =>
          updateMember(tx, Number(ids[1 - index]), patch),
        );
      });
      const results = await Promise.allSettled(changes);
      const refusals = results.filter((result) => result.status === "rejected");
      expect(refusals).toMatchObject([{ reason: { code: "last_admin" } }]);
      const [admins] = await fixture.query<{ n: number }>(
        "SELECT COUNT(*) AS n FROM memberships WHERE account_id = ? AND role = 'admin' AND disabled_at IS NULL",
        [accountId],
      );
      expect(Number(admins?.n)).toBe(1);
    }
  },
);

test("over HTTP too: the second of two admins who demote each other is refused", async () => {
  const team = await createTeam(fixture, "admin");
  const answers = await Promise.all([
    change(team.member.userId, { role: "agent" }, team.account.cookie),
    change(team.account.userId, { role: "agent" }, team.member.cookie),
  ]);
  const outcomes = answers.map(outcomeOf);
  expect(outcomes).toContain("200");
  // Who was demoted before they were let in is an agent by then.
  expect(["last_admin", "forbidden_role"]).toContain(outcomes.find((one) => one !== "200"));
});

test("an admin who is disabled, here or everywhere, is no admin that stays", async () => {
  const { dataSource } = fixture.database;
  const [here, everywhere] = [
    await addMember(fixture, account, { role: "admin" }),
    await addMember(fixture, account, { role: "admin" }),
  ];
  const demote = () =>
    asSystem(dataSource, account.accountId, (tx) =>
      updateMember(tx, account.userId, { role: "agent" }),
    );
  await change(here.userId, { disabled: true });
  await fixture.query("UPDATE users SET disabled_at = NOW() WHERE id = ?", [everywhere.userId]);
  await expect(demote()).rejects.toMatchObject({ code: "last_admin" });
  // Neither is the role of one who is disabled what keeps an account going.
  expect((await change(here.userId, { role: "agent" })).status).toBe(200);
  expect((await change(here.userId, { role: "admin", disabled: false })).status).toBe(200);
  await expect(demote()).resolves.toMatchObject({ role: "agent" });
});

test("who is disabled in the whole installation reads as disabled", async () => {
  await fixture.query("UPDATE users SET disabled_at = NOW(3) WHERE id = ?", [member.userId]);
  expect((await list()).json.data[1].disabled_at).toEqual(timestamp);
});

test("the name of a person of several accounts is theirs to change", async () => {
  expect((await change(member.userId, { name: "Bea" })).json.data.name).toBe("Bea");
  const other = await createTestAccount(fixture.database.dataSource);
  await addMember(fixture, other, { email: member.email });
  await fixture.query("UPDATE memberships SET disabled_at = NOW() WHERE account_id = ?", [
    other.accountId,
  ]);
  const before = await checksum(fixture);
  const refused = await change(member.userId, { name: "Boss", role: "admin" });
  expect([refused.status, outcomeOf(refused)]).toEqual([409, "member_elsewhere"]);
  expect(await checksum(fixture)).toBe(before);
  const role = await change(member.userId, { name: "Bea", role: "admin" });
  expect(role.json.data).toMatchObject({ name: "Bea", role: "admin" });
});

test.each<[unknown, string]>([
  [{ role: "owner" }, "body.role invalid_value"],
  [{ disabled: "yes" }, "body.disabled invalid_type"],
  [{ name: " " }, "body.name too_small"],
  [{ name: "x".repeat(201) }, "body.name too_big"],
  [{ email: "other@example.com" }, "body.email unknown_field"],
  [{ password: "correct horse" }, "body.password unknown_field"],
])("a change to %j is refused", async (body, issue) => {
  const answer = await change(member.userId, body);
  expect([answer.status, outcomeOf(answer)]).toEqual([400, "validation_error"]);
  const details = answer.json.error.details as { path: string; code: string }[];
  expect(details.map(({ path, code }) => `${path} ${code}`)).toEqual([issue]);
});

test("each change leaves who, what, whom, from where; what changes nothing leaves no trace", async () => {
  const audit = async () =>
    await fixture.query("SELECT * FROM audit_log WHERE account_id = ? ORDER BY id", [
      account.accountId,
    ]);
  const before = (await audit()).length;
  await change(member.userId, { role: "admin" });
  await change(member.userId, { role: "admin", disabled: true, name: "Bea" });
  await change(member.userId, { role: "admin", disabled: true });
  await change(member.userId, {});
  const row = {
    id: expect.any(Number),
    account_id: account.accountId,
    actor_type: "user",
    actor_id: account.userId,
    action: "user.updated",
    target_type: "user",
    target_id: member.userId,
    ip: expect.stringContaining("127.0.0.1"),
    request_id: expect.any(String),
    created_at: expect.any(Date),
  };
  expect((await audit()).slice(before)).toEqual([
    { ...row, details: { role: "admin", role_before: "agent" } },
    { ...row, details: { disabled: true, name: "Bea" } },
  ]);
});
