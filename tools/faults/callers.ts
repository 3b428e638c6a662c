import { createMember, createSession } from "../../core/services/accounts/users.ts";
import { openDatabase } from "../../db/data-source.ts";
import { systemOf, transaction } from "../../db/transaction.ts";
import type { CallingAccount } from "./accounts.ts";
import type { Installation } from "./installation.ts";

type Target = Pick<Installation, "apis">;

/** Opens one conversation for each of `count` new phones. @returns their ids */
export async function openConversations(
  target: Target,
  account: CallingAccount | undefined,
  count: number,
): Promise<number[]> {
  const ids: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const phone = String(5_215_500_000_000 + n);
    const { id } = await callConversations(target, account, "", { phone });
    ids.push(Number(id));
  }
  return ids;
}

/**
 * Posts to a path below `/api/v1/conversations` with the key of an account.
 * @throws Error where the answer is an error
 */
export async function callConversations(
  { apis }: Target,
  account: CallingAccount | undefined,
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${apis[0]?.url}/api/v1/conversations${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${account?.apiKey}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} was answered ${response.status}`);
  return ((await response.json()) as { data: Record<string, unknown> }).data;
}

/** Logs a new administrator of an account in to the Dashboard. @returns the header `cookie` */
export async function logIn(
  { databaseUrl }: Pick<Installation, "databaseUrl">,
  accountId: number,
): Promise<string> {
  const dataSource = await openDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    return await transaction(dataSource, systemOf(accountId), async (tx) => {
      const member = { email: "admin@example.com", name: "Admin", passwordHash: "-" };
      const { userId } = await createMember(tx, { ...member, role: "admin" });
      const candidate = { userId, passwordHash: "-" };
      const { token } = await createSession(tx, candidate, { accountId, userAgent: null });
      return `parley_session=${token}`;
    });
  } finally {
    await dataSource.destroy();
  }
}
