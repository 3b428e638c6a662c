import { User } from "../../../db/entities/user.ts";
import type { Tx } from "../../../db/transaction.ts";
import { actAs } from "../act-as.ts";
import { recordAudit } from "./audit.ts";
import { insertOrLose } from "../sql.ts";

/**
 * A person with an email, and the account that they are bound to while the email is unconfirmed.
 */
interface Claim {
  userId: number;
  /** 0: the email is confirmed. */
  unconfirmedAccountId: number;
}

/**
 * Confirms the email of the person who has it in this account. From then on the email belongs to
 * that person in the whole installation.
 * @param accountId may be null where only one account has such a person.
 * @returns the account in which the person had the email.
 * @throws Error for the operator, with the obstacle.
 */
export async function confirmEmail(
  tx: Tx,
  email: string,
  accountId: number | null,
): Promise<number> {
  const claims = await lockClaims(tx, email);
  if (claims.some(({ unconfirmedAccountId }) => unconfirmedAccountId === 0)) {
    throw new Error("This address is confirmed already. Release it first.");
  }
  const asked = claims.filter(
    ({ unconfirmedAccountId: id }) => accountId === null || id === accountId,
  );
  const [claim] = asked;
  if (claim === undefined) throw new Error("Nobody has this address there.");
  if (asked.length > 1) {
    const ids = asked.map(({ unconfirmedAccountId }) => unconfirmedAccountId).join(", ");
    throw new Error(`People of the accounts ${ids} claim this address. Name one with --account.`);
  }
  await writeClaim(tx, claim.userId, 0);
  const { userId, unconfirmedAccountId } = claim;
  await record(tx, unconfirmedAccountId, "user.email_confirmed", userId);
  return unconfirmedAccountId;
}

/**
 * Takes a confirmed email from its person. The person keeps their accounts and their password. The
 * next person who proves the address can have it.
 * @returns the account that the person belongs to from then on, their oldest.
 * @throws Error for the operator: the address is not confirmed, or the person cannot keep it in
 *   that account.
 */
export async function releaseEmail(tx: Tx, email: string): Promise<number> {
  const claims = await lockClaims(tx, email);
  const claim = claims.find(({ unconfirmedAccountId }) => unconfirmedAccountId === 0);
  if (claim === undefined) throw new Error("Nobody has confirmed this address.");
  const [oldest] = await tx.manager.query<{ account_id: number }[]>(
    "SELECT account_id FROM memberships WHERE user_id = ? ORDER BY id LIMIT 1",
    [claim.userId],
  );
  if (oldest === undefined) throw new Error("The person with this address is in no account.");
  const accountId = Number(oldest.account_id);
  if (claims.some(({ unconfirmedAccountId }) => unconfirmedAccountId === accountId)) {
    throw new Error(`Another person of account ${accountId} claims this address too.`);
  }
  await writeClaim(tx, claim.userId, accountId);
  await record(tx, accountId, "user.email_released", claim.userId);
  return accountId;
}

/**
 * Confirms a proved email for the person who proved it, unless another person has confirmed it
 * before.
 */
export async function confirmProvedEmail(tx: Tx, userId: number): Promise<void> {
  const { email } = await tx.manager.findOneByOrFail(User, { id: userId });
  const claims = await lockClaims(tx, email);
  const own = claims.find((claim) => claim.userId === userId);
  const isTaken = claims.some(({ unconfirmedAccountId }) => unconfirmedAccountId === 0);
  if (own === undefined || isTaken) return;
  await writeClaim(tx, userId, 0);
  await record(tx, own.unconfirmedAccountId, "user.email_confirmed", userId);
}

async function lockClaims(tx: Tx, email: string): Promise<Claim[]> {
  const users = await tx.manager.find(User, {
    where: { email },
    order: { id: "ASC" },
    lock: { mode: "pessimistic_write" },
  });
  return users.map(({ id, unconfirmedAccountId }) => ({ userId: id, unconfirmedAccountId }));
}

async function writeClaim(tx: Tx, userId: number, unconfirmedAccountId: number): Promise<void> {
  const changes = { unconfirmedAccountId, updatedAt: tx.now, version: () => "version + 1" };
  // Another person may have confirmed the email since the lock. The next try sees that.
  await insertOrLose(() => tx.manager.update(User, userId, changes));
}

async function record(tx: Tx, accountId: number, action: string, userId: number): Promise<void> {
  const inAccount = actAs(tx, "system", accountId);
  await recordAudit(inAccount, { action, targetType: "user", targetId: userId });
}
