import { beforeEach, expect, test } from "vitest";
import { hashToken } from "../../../core/secrets.ts";
import { releaseEmail } from "../../../core/services/accounts/email-confirmation.ts";
import {
  asSystem,
  createTestAccount,
  testPassword,
  type TestAccount,
} from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { outcomeOf, tokenOf } from "./people-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let account: TestAccount;
let email: string;
let count = 0;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
  email = `claimed${(count += 1)}@example.com`;
});

async function invited(cookie = account.cookie): Promise<string> {
  const body = { email, role: "agent" };
  const answer = await fixture.api.call("POST", "/dashboard/api/invitations", { cookie, body });
  return tokenOf(answer, fixture.api.deps.config.publicUrl);
}

const read = async (token: string) =>
  await fixture.api.call("POST", "/dashboard/api/links/read", { body: { token } });
const accept = async (token: string, body: { password: string; existing?: boolean }) =>
  await fixture.api.call("POST", "/dashboard/api/links/accept", { body: { token, ...body } });
const login = async (password: string, cookie?: string) =>
  await fixture.api.call("POST", "/dashboard/api/session", {
    body: { email, password },
    ...(cookie === undefined ? {} : { cookie }),
  });

/** The device cookie that an answer sets, as a `Cookie` header. */
function deviceOf(answer: TestAnswer): string {
  const line = answer.headers.getSetCookie().find((one) => one.startsWith("parley_device="));
  return String(line?.split(";")[0]);
}

/** The session cookie that an answer sets, as a `Cookie` header. */
function sessionOf(answer: TestAnswer): string {
  const line = answer.headers.getSetCookie().find((one) => one.startsWith("parley_session="));
  return String(line?.split(";")[0]);
}

test("a link tells nothing about a login with its address, and its opener does not get the address", async () => {
  const owner = await createTestAccount(fixture.database.dataSource);
  const unknown = (await read(await invited())).json.data;
  ({ email } = owner);
  const token = await invited();
  const known = (await read(token)).json.data;
  const same = { email: "", expires_at: "" };
  expect({ ...known, ...same }).toEqual({ ...unknown, ...same });
  // What the admin who made the link would do.
  const opened = await accept(token, { password: "of the admin's choice" });
  expect(opened.json.data.accounts).toMatchObject([{ id: account.accountId }]);
  expect(opened.json.data.user.id).not.toBe(owner.userId);
  expect((await login(testPassword)).json.data.accounts).toMatchObject([{ id: owner.accountId }]);
  expect((await login("of the admin's choice")).json.data.accounts).toMatchObject([
    { id: account.accountId },
  ]);
});

test("an address that somebody took in one account is free for its owner in every other", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const squatted = await accept(await invited(), { password: "of the squatter's choice" });
  const squatter = squatted.json.data.user.id;
  const [member] = (
    await fixture.api.call("GET", "/dashboard/api/users", { cookie: account.cookie })
  ).json.data.filter((row: { id: number }) => row.id === squatter);
  expect(member).toMatchObject({ email, email_confirmed: false });
  const token = await invited(other.cookie);
  const refused = await accept(token, { password: "of the squatter's choice", existing: true });
  expect(outcomeOf(refused)).toBe("login_failed");
  const joined = await accept(token, { password: "the owner's own choice" });
  expect(joined.json.data).toMatchObject({
    user: { email },
    accounts: [{ id: other.accountId }],
  });
  const accountsOf = async (given: string) =>
    (await login(given)).json.data.accounts.map(({ id }: { id: number }) => id);
  expect(await accountsOf("of the squatter's choice")).toEqual([account.accountId]);
  expect(await accountsOf("the owner's own choice")).toEqual([other.accountId]);
});

test("an address that has the same password in two accounts opens the account that is named", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const password = "the same in both";
  await accept(await invited(), { password });
  await accept(await invited(other.cookie), { password });
  for (const { accountId } of [account, other]) {
    const body = { email, password, account_id: accountId };
    const { json } = await fixture.api.call("POST", "/dashboard/api/session", { body });
    expect(json.data.accounts).toMatchObject([{ id: accountId }]);
  }
  const stranger = await createTestAccount(fixture.database.dataSource);
  const body = { email, password, account_id: stranger.accountId };
  const refused = await fixture.api.call("POST", "/dashboard/api/session", { body });
  expect(outcomeOf(refused)).toBe("login_failed");
});

test("a person whose address was released still opens each of their accounts by its name", async () => {
  const owner = await createTestAccount(fixture.database.dataSource);
  ({ email } = owner);
  const joined = await accept(await invited(), { password: testPassword, existing: true });
  expect(joined.json.data.accounts).toHaveLength(2);
  await asSystem(fixture.database.dataSource, 0, (tx) => releaseEmail(tx, email));
  for (const { accountId } of [owner, account]) {
    const body = { email, password: testPassword, account_id: accountId };
    const { json } = await fixture.api.call("POST", "/dashboard/api/session", { body });
    expect(json.data.account.id).toBe(accountId);
  }
  const stranger = await createTestAccount(fixture.database.dataSource);
  const body = { email, password: testPassword, account_id: stranger.accountId };
  const refused = await fixture.api.call("POST", "/dashboard/api/session", { body });
  expect(outcomeOf(refused)).toBe("login_failed");
});

test("a link that proves the address makes it the opener's, whoever took it before", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  await accept(await invited(), { password: "of the squatter's choice" });
  const token = await invited(other.cookie);
  await fixture.query("UPDATE user_links SET proves_email = 1 WHERE token_hash = ?", [
    hashToken(token),
  ]);
  expect((await read(token)).json.data).toMatchObject({
    needs_password: "new",
    proves_email: true,
  });
  const { user } = (await accept(token, { password: "the owner's own choice" })).json.data;
  const rows = await fixture.query(
    "SELECT id = ? AS own, unconfirmed_account_id AS account FROM users WHERE email = ? ORDER BY own",
    [user.id, email],
  );
  expect(rows).toEqual([
    { own: 0, account: account.accountId },
    { own: 1, account: 0 },
  ]);
  const third = await createTestAccount(fixture.database.dataSource);
  const again = await invited(third.cookie);
  const joined = await accept(again, { password: "the owner's own choice" });
  expect(joined.json.data.accounts).toMatchObject([
    { id: other.accountId },
    { id: third.accountId },
  ]);
});

test("a browser that knows one login with an address has no guesses of its own at another", async () => {
  const owner = await createTestAccount(fixture.database.dataSource);
  ({ email } = owner);
  const own = "of the squatter's choice";
  let cookie = deviceOf(await accept(await invited(), { password: own }));
  const statuses: number[] = [];
  for (let index = 0; index < 12; index += 1) {
    const guessed = await login(`guess ${index}`, cookie);
    statuses.push(guessed.status);
    // A login of one's own brings another cookie.
    const again = await login(own, cookie);
    if (again.status === 200) cookie = deviceOf(again);
  }
  // The password of the invitation was a guess at the owner's too.
  expect(statuses.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => 401));
  expect(statuses.slice(9)).toEqual([429, 429, 429]);
  expect((await login(testPassword, cookie)).status).toBe(429);
});

test("however many accounts took an address, who was here last gets in, and each changes the password", async () => {
  const people: { password: string; device: string; session: string }[] = [];
  for (let index = 0; index < 7; index += 1) {
    const { cookie } = await createTestAccount(fixture.database.dataSource);
    const password = `the password of person ${index}`;
    const answer = await accept(await invited(cookie), { password });
    people.push({ password, device: deviceOf(answer), session: sessionOf(answer) });
  }
  const [first, ...others] = people.map(({ password }) => password);
  expect((await login(others.at(-1) ?? "")).status).toBe(200);
  // Five are tried.
  expect((await login(first ?? "")).status).toBe(401);
  expect((await login(first ?? "", people[0]?.device)).status).toBe(200);
  expect((await login(first ?? "")).status).toBe(200);
  for (const { password, session } of people) {
    const body = { current_password: password, new_password: `${password}, a new one` };
    const changed = await fixture.api.call("POST", "/dashboard/api/me/password", {
      cookie: session,
      body,
    });
    expect([password, changed.status]).toEqual([password, 200]);
    expect((await login(body.new_password)).status).toBe(200);
  }
});

test("a person with two logins of one address uses both from one browser as often as they like", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const device = deviceOf(await accept(await invited(), { password: "the one in one account" }));
  await accept(await invited(other.cookie), { password: "the one in the other" });
  for (let index = 0; index < 12; index += 1) {
    expect((await login("the one in the other", device)).status).toBe(200);
  }
  expect((await login("the one in one account", device)).status).toBe(200);
});
