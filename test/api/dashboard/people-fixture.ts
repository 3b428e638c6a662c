import { expect } from "vitest";
import type { Role } from "../../../core/model/principal.ts";
import { createMember, createSession } from "../../../core/services/accounts/users.ts";
import { asSystem, createTestAccount, type TestAccount } from "../../support/accounts.ts";
import type { TestAnswer, TestApi } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import type { ApiFixture } from "../api-fixture.ts";

/** A person who is logged in to an account; the password is `testPassword`. */
export interface TestPerson {
  userId: number;
  email: string;
  cookie: string;
}

let count = 0;

/** One more login of a person. @returns the `Cookie` header. */
export async function loginAs(
  fixture: ApiFixture,
  { userId }: { userId: number },
  accountId: number,
): Promise<string> {
  const { dataSource } = fixture.database;
  const passwordHash = await passwordHashOf(fixture, userId);
  const candidate = { userId, passwordHash };
  const { token } = await asSystem(dataSource, accountId, (tx) =>
    createSession(tx, candidate, { accountId, userAgent: "test" }),
  );
  return `parley_session=${token}`;
}

/** The stored hash of a person's password. */
export async function passwordHashOf(fixture: ApiFixture, userId: number): Promise<string> {
  const [user] = await fixture.query<{ password_hash: string }>(
    "SELECT password_hash FROM users WHERE id = ?",
    [userId],
  );
  return String(user?.password_hash);
}

/** One more member of an account, new or known by `email`, and logged in to it. */
export async function addMember(
  fixture: ApiFixture,
  account: TestAccount,
  { role = "agent", email, name }: { role?: Role; email?: string; name?: string } = {},
): Promise<TestPerson> {
  const passwordHash = await passwordHashOf(fixture, account.userId);
  const address = email ?? `member${(count += 1)}-${process.pid}@example.com`;
  const person = { email: address, name: name ?? "Member", passwordHash, role };
  const { userId } = await asSystem(fixture.database.dataSource, account.accountId, (tx) =>
    createMember(tx, person),
  );
  const cookie = await loginAs(fixture, { userId }, account.accountId);
  return { userId, email: address, cookie };
}

/** An account with an admin, and a second member. */
export async function createTeam(
  fixture: ApiFixture,
  role: Role = "agent",
): Promise<{ account: TestAccount; member: TestPerson }> {
  const account = await createTestAccount(fixture.database.dataSource);
  return { account, member: await addMember(fixture, account, { role }) };
}

/** The token behind a link, which must be one of this installation. */
export function tokenOf(answer: TestAnswer, publicUrl: string): string {
  const [start, token] = String(answer.json.data.url).split("#token=");
  expect([answer.status, start]).toEqual([201, `${publicUrl}/link`]);
  expect(token).toMatch(/^[\w-]{43}$/);
  return String(token);
}

/** The session cookie that an answer sets, as a `Cookie` header. */
export function sessionOf(answer: TestAnswer): string {
  const line = answer.headers.getSetCookie().find((one) => one.startsWith("parley_session="));
  return String(line?.split(";")[0]);
}

/** Who a cookie is logged in as, or the refusal. */
export async function whoIs(api: TestApi, cookie: string): Promise<TestAnswer> {
  return await api.call("GET", "/dashboard/api/session", { cookie });
}

/** The error's code, or the status as text. */
export function outcomeOf(answer: TestAnswer): string {
  return String(answer.json.error?.code ?? answer.status);
}

/**
 * Runs `statements` in a transaction that stays open until `during` waits for one of its locks, and
 * then, after the statements of `last`, commits. @returns what `during` came to.
 */
export async function whileLocked<T>(
  fixture: ApiFixture,
  statements: [sql: string, values: unknown[]][],
  during: () => Promise<T>,
  last: typeof statements = [],
): Promise<T> {
  const runner = fixture.database.dataSource.createQueryRunner();
  try {
    await runner.startTransaction();
    for (const [sql, values] of statements) await runner.query(sql, values);
    const result = during();
    await eventually(async () => {
      // innodb_trx would do, but it is refreshed only when nobody has looked for a while.
      const waits = await fixture.query(
        `SELECT 1 FROM information_schema.processlist
          WHERE db = DATABASE() AND id <> CONNECTION_ID() AND info REGEXP 'FOR (SHARE|UPDATE)'`,
      );
      expect(waits).not.toEqual([]);
    });
    for (const [sql, values] of last) await runner.query(sql, values);
    await runner.commitTransaction();
    return await result;
  } finally {
    await runner.release();
  }
}
