import { beforeEach, expect, test } from "vitest";
import { confirmProvedEmail } from "../../../core/services/accounts/email-confirmation.ts";
import { createMember } from "../../../core/services/accounts/users.ts";
import { asSystem, createTestAccount, type TestAccount } from "../../support/accounts.ts";
import { addMember, outcomeOf, passwordHashOf, whileLocked } from "./people-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

// No mail server listens on this port, so mails stay queued.
const fixture = useFixture(async () => await startApiFixture({ SMTP_URL: "smtp://127.0.0.1:9" }));
let account: TestAccount;
let email: string;
let count = 0;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
  email = `linked${(count += 1)}@example.com`;
});

/** A person who claims `email` in an account of their own. */
async function claimEmail(): Promise<{ userId: number; accountId: number }> {
  const { dataSource } = fixture.database;
  const { accountId, userId: adminId } = await createTestAccount(dataSource);
  const passwordHash = await passwordHashOf(fixture, adminId);
  const person = { email, name: "Ana", role: "agent", passwordHash } as const;
  const { userId } = await asSystem(dataSource, accountId, (tx) => createMember(tx, person, false));
  return { userId, accountId };
}

async function forget(): Promise<void> {
  const body = { email };
  const answer = await fixture.api.call("POST", "/dashboard/api/links/forgotten-password", {
    body,
  });
  expect(answer.status).toBe(202);
}

/** The people who got a link since the last call. */
async function linked(): Promise<number[]> {
  const rows = await fixture.query<{ user_id: number }>(
    "SELECT l.user_id FROM mails m JOIN user_links l ON l.id = m.user_link_id WHERE l.user_id IS NOT NULL ORDER BY m.id",
  );
  await fixture.query("DELETE FROM mails");
  return rows.map(({ user_id }) => Number(user_id));
}

test("an admin mails four links for a new password at once to one person, and another one to the next", async () => {
  const [first, second] = [await addMember(fixture, account), await addMember(fixture, account)];
  const reset = async ({ userId }: { userId: number }) =>
    outcomeOf(
      await fixture.api.call("POST", `/dashboard/api/users/${userId}/password-reset`, {
        cookie: account.cookie,
      }),
    );
  const outcomes: string[] = [];
  for (let n = 0; n < 5; n += 1) outcomes.push(await reset(first));
  expect(outcomes).toEqual(["201", "201", "201", "201", "rate_limited"]);
  expect(await reset(second)).toBe("201");
});

test("an admin mails no more links for a new password than an account may mail", async () => {
  const { limitMails } = fixture.api.deps;
  for (let n = 0; n < 20; n += 1) limitMails(`account:${account.accountId}`);
  const { userId } = await addMember(fixture, account);
  const path = `/dashboard/api/users/${userId}/password-reset`;
  const answer = await fixture.api.call("POST", path, { cookie: account.cookie });
  expect([answer.status, outcomeOf(answer)]).toEqual([429, "rate_limited"]);
});

test("each person who claims a forgotten password's address gets a link, if an account is open to them", async () => {
  const people = [await claimEmail(), await claimEmail(), await claimEmail()];
  const [closed, second, third] = people.map(({ userId }) => userId);
  await fixture.query("UPDATE memberships SET disabled_at = NOW() WHERE user_id = ?", [closed]);
  await linked();
  await forget();
  expect(await linked()).toEqual([second, third]);
});

test("of many people who claim an address five get a link, and where one has confirmed it that one alone", async () => {
  const people: number[] = [];
  for (let n = 0; n < 6; n += 1) people.push((await claimEmail()).userId);
  await linked();
  await forget();
  expect(await linked()).toEqual(people.slice(0, 5));
  await fixture.query("UPDATE users SET unconfirmed_account_id = 0 WHERE id = ?", [people[3]]);
  await forget();
  expect(await linked()).toEqual([people[3]]);
});

test("an unknown address takes as long as a known one, which is half a second at least", async () => {
  const timed = async () => {
    const startedAt = performance.now();
    await forget();
    return performance.now() - startedAt;
  };
  const unknown = await timed();
  await claimEmail();
  await linked();
  const known = await timed();
  expect(await linked()).toHaveLength(1);
  expect(Math.min(unknown, known)).toBeGreaterThanOrEqual(490);
});

test("of two people who prove an address at once the first gets it, and the other keeps the login", async () => {
  const [first, second] = [await claimEmail(), await claimEmail()];
  const { dataSource } = fixture.database;
  const lock: [string, unknown[]] = ["SELECT id FROM users WHERE email = ? FOR UPDATE", [email]];
  // The first proof writes this row.
  const write: [string, unknown[]] = [
    "UPDATE users SET unconfirmed_account_id = 0 WHERE id = ?",
    [first.userId],
  ];
  const prove = async () =>
    await asSystem(dataSource, second.accountId, (tx) => confirmProvedEmail(tx, second.userId));
  await whileLocked(fixture, [lock], prove, [write]);
  const rows = await fixture.query(
    "SELECT id, unconfirmed_account_id AS account FROM users WHERE email = ? ORDER BY id",
    [email],
  );
  expect(rows).toEqual([
    { id: first.userId, account: 0 },
    { id: second.userId, account: second.accountId },
  ]);
});
