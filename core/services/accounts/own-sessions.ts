import { Not } from "typeorm";
import { Session } from "../../../db/entities/user.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, notFound } from "../../errors.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import type { OwnSessionView } from "../../model/views/user.ts";
import { recordAudit } from "./audit.ts";
import { createSession, lockPerson, setPassword, type LoginCandidate } from "./users.ts";
import { countAll } from "../sql.ts";

/**
 * A person's logins that have not ended, in every account, the last used first, with their total.
 */
export async function listOwnSessions(
  tx: Tx,
  own: { userId: number; tokenHash: Buffer },
  page: PageBounds,
): Promise<Page<OwnSessionView>> {
  const where = "FROM sessions s WHERE s.user_id = ? AND s.expires_at > ?";
  const values = [own.userId, tx.now];
  const rows = await tx.manager.query<
    {
      id: number;
      current: number;
      ip: string | null;
      user_agent: string | null;
      created_at: Date;
      last_seen_at: Date;
    }[]
  >(
    `SELECT s.id, s.token_hash = ? AS current, s.ip, s.user_agent, s.created_at, s.last_seen_at ${where}
      ORDER BY s.last_seen_at DESC, s.id DESC LIMIT ? OFFSET ?`,
    [own.tokenHash, ...values, page.limit, page.offset],
  );
  const logins = rows.map((row) => ({
    ...row,
    current: row.current === 1,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
  }));
  return { rows: logins, ...(await countAll(tx, { sql: where, values })) };
}

/**
 * Ends one login of the person, at once.
 * @throws AppError `session_not_found`, also for a login of another person.
 */
export async function endOwnSession(tx: Tx, userId: number, id: number): Promise<void> {
  const { affected } = await tx.manager.delete(Session, { id, userId });
  if (affected === 0) throw notFound("session");
}

/**
 * Ends every login of the person except that of this request.
 * @returns number of ended logins.
 */
export async function endOtherSessions(
  tx: Tx,
  own: { userId: number; tokenHash: Buffer },
): Promise<number> {
  const others = { userId: own.userId, tokenHash: Not(own.tokenHash) };
  const { affected } = await tx.manager.delete(Session, others);
  return affected ?? 0;
}

/**
 * Sets a person's own password and ends every login. The login that is returned replaces the
 * caller's.
 * @param candidate with the hash that the present password was compared with.
 * @throws AppError `wrong_password` where another change came first.
 */
export async function changeOwnPassword(
  tx: Tx,
  candidate: LoginCandidate,
  input: { passwordHash: string; userAgent: string | null },
): Promise<{ token: string; expiresAt: Date }> {
  const { userId } = candidate;
  if (!(await lockPerson(tx, candidate, "pessimistic_write"))) throw new AppError("wrong_password");
  await setPassword(tx, userId, input.passwordHash);
  await recordAudit(tx, {
    action: "user.password_changed",
    targetType: "user",
    targetId: userId,
  });
  const { passwordHash, userAgent } = input;
  const { accountId } = tx.actor;
  return await createSession(tx, { userId, passwordHash }, { accountId, userAgent });
}
