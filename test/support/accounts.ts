import type { DataSource } from "typeorm";
import { scopes, type Role, type Scope } from "../../core/model/principal.ts";
import { hashPassword } from "../../core/passwords.ts";
import { createSecretBox, generateSecretKey } from "../../core/secrets.ts";
import { createAccount } from "../../core/services/accounts/accounts.ts";
import { createApiKey } from "../../core/services/accounts/api-keys.ts";
import { createSubscription } from "../../core/services/subscriptions/subscriptions.ts";
import { createMember, createSession } from "../../core/services/accounts/users.ts";
import { transaction, type Tx } from "../../db/transaction.ts";

/** The key that seals secrets in tests; processes started by a test get it as SECRET_KEY. */
export const testSecretKey = generateSecretKey("test");
export const testSecretBox = createSecretBox(testSecretKey);
export const testPassword = "correct horse battery staple";

/** An account with an admin who is logged in, and a key. */
export interface TestAccount {
  accountId: number;
  userId: number;
  email: string;
  /** `Cookie` header of the admin's login. */
  cookie: string;
  apiKey: string;
  apiKeyId: number;
}

let passwordHash: Promise<string> | null = null;
let count = 0;

/** Makes an account; the key has all scopes unless some are named. */
export async function createTestAccount(
  dataSource: DataSource,
  { keyScopes = scopes, role = "admin" }: { keyScopes?: readonly Scope[]; role?: Role } = {},
): Promise<TestAccount> {
  passwordHash ??= hashPassword(testPassword);
  const hash = await passwordHash;
  const email = `admin${(count += 1)}-${process.pid}@example.com`;
  return await asSystem(dataSource, 0, async (tx) => {
    const accountId = await createAccount(tx, { name: email, timeZone: "UTC", locale: "en" });
    const inAccount = { ...tx, actor: { type: "system", accountId } as const };
    const { userId } = await createMember(inAccount, {
      email,
      name: "Admin",
      passwordHash: hash,
      role,
    });
    const session = await createSession(
      tx,
      { userId, passwordHash: hash },
      { accountId, userAgent: null },
    );
    const issued = await createApiKey(inAccount, {
      name: "test",
      scopes: [...keyScopes],
      expiresAt: null,
    });
    return {
      accountId,
      userId,
      email,
      cookie: `parley_session=${session.token}`,
      apiKey: issued.key,
      apiKeyId: issued.row.id,
    };
  });
}

/** A colleague in an account, as an agent who is logged in. */
export async function addColleague(
  dataSource: DataSource,
  accountId: number,
  name: string,
): Promise<TestAccount> {
  const colleague = await createTestAccount(dataSource);
  const { email, userId } = colleague;
  await dataSource.query("UPDATE users SET name = ? WHERE id = ?", [name, userId]);
  await asSystem(dataSource, accountId, async (tx) =>
    createMember(tx, { email, name, passwordHash: "", role: "agent" }),
  );
  const sql = "UPDATE sessions SET account_id = ? WHERE user_id = ?";
  await dataSource.query(sql, [accountId, userId]);
  return { ...colleague, accountId };
}

/** Adds a subscription straight through the service. @returns its id and secret. */
export async function createTestSubscription(
  dataSource: DataSource,
  accountId: number,
  input: { url: string; events?: string[] },
): Promise<{ id: number; secret: string }> {
  return await asSystem(dataSource, accountId, async (tx) => {
    const events = (input.events ?? ["*"]) as ("*" | "contact.*")[];
    const { row, secret } = await createSubscription(tx, testSecretBox, { url: input.url, events });
    return { id: row.id, secret };
  });
}

/** Runs a service as our own program in one account. */
export async function asSystem<T>(
  dataSource: DataSource,
  accountId: number,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return await transaction(dataSource, { actor: { type: "system", accountId } }, work);
}
