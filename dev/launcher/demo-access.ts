import type { DataSource } from "typeorm";
import { scopes } from "../../core/model/principal.ts";
import { hashPassword, verifyPassword } from "../../core/passwords.ts";
import { createApiKey, findApiKeyPrincipal } from "../../core/services/accounts/api-keys.ts";
import { setPassword } from "../../core/services/accounts/users.ts";
import { transaction } from "../../db/transaction.ts";
import { generateReadablePassword } from "../../cli/readable-password.ts";
import { demoEmail, demoKeyName } from "./seed.ts";
import type { UpState } from "./up-state.ts";

/** Login and key of the demo account, for the terminal. */
export interface DemoAccess {
  accountId: number;
  apiKey: string;
  /** The password is null once its owner has chosen another one. */
  admin: { email: string; password: string | null };
  /** Notes for people about a new key or password. */
  notes: string[];
}

interface DemoAdmin {
  accountId: number;
  userId: number;
  passwordHash: string;
}

/**
 * Finds the key and the login of the demo account that the last start printed. A key that is no
 * longer valid is replaced. The password is reset only where nothing of `known` fits this database,
 * because `known` was lost or belongs to another one. A password that its owner changed stays.
 * @returns null where the database has no demo account
 */
export async function openDemoAccess(
  dataSource: DataSource,
  known: UpState | null,
): Promise<DemoAccess | null> {
  const admin = await findDemoAdmin(dataSource);
  if (admin === null) return null;
  const { accountId } = admin;
  const key = await findValidKey(dataSource, accountId, known?.apiKey ?? null);
  const password = known?.admin?.password ?? null;
  const passwordFits = password !== null && (await verifyPassword(admin.passwordHash, password));
  const chosenByOwner = known?.admin?.password === null;
  const lost = key === null && !passwordFits && !chosenByOwner;
  const notes: string[] = [];
  if (lost) notes.push(`${demoEmail} has a new password`);
  if (key === null) notes.push("there is a new API key");
  return {
    accountId,
    apiKey: key ?? (await issueKey(dataSource, accountId)),
    admin: {
      email: demoEmail,
      password: lost ? await resetPassword(dataSource, admin) : passwordFits ? password : null,
    },
    notes,
  };
}

async function findDemoAdmin(dataSource: DataSource): Promise<DemoAdmin | null> {
  const rows = await dataSource.query<
    { account_id: number; user_id: number; password_hash: string }[]
  >(
    `SELECT m.account_id, u.id AS user_id, u.password_hash FROM users u
       JOIN memberships m ON m.user_id = u.id AND m.role = 'admin'
      WHERE u.email = ? AND u.disabled_at IS NULL ORDER BY m.id LIMIT 1`,
    [demoEmail],
  );
  const row = rows[0];
  if (row === undefined) return null;
  return { accountId: row.account_id, userId: row.user_id, passwordHash: row.password_hash };
}

async function findValidKey(
  dataSource: DataSource,
  accountId: number,
  key: string | null,
): Promise<string | null> {
  if (key === null) return null;
  const principal = await findApiKeyPrincipal(dataSource.manager, key, new Date());
  return principal?.accountId === accountId ? key : null;
}

async function issueKey(dataSource: DataSource, accountId: number): Promise<string> {
  const actor = { type: "system", accountId } as const;
  const input = { name: demoKeyName, scopes: [...scopes], expiresAt: null };
  const issued = await transaction(dataSource, { actor }, async (tx) => {
    return await createApiKey(tx, input);
  });
  return issued.key;
}

async function resetPassword(dataSource: DataSource, admin: DemoAdmin): Promise<string> {
  const password = generateReadablePassword();
  const passwordHash = await hashPassword(password);
  const actor = { type: "system", accountId: admin.accountId } as const;
  await transaction(dataSource, { actor }, async (tx) => {
    await setPassword(tx, admin.userId, passwordHash);
  });
  return password;
}
