import { IsNull } from "typeorm";
import { User } from "../../db/entities/user.ts";
import type { Tx } from "../../db/transaction.ts";
import type { Role } from "../model/principal.ts";
import type { SecretBox } from "../secrets.ts";
import { recordAudit } from "./audit.ts";
import { insertLink } from "./user-links.ts";

/**
 * Mails a link for a new password to the person with this email: first to the one who confirmed it,
 * else to the oldest one who claims it, since the link proves the address. An unknown email and a
 * person without an open account get none; the caller reads no difference.
 */
export async function mailNewPasswordLink(
  tx: Tx,
  email: string,
  mailBox: SecretBox,
): Promise<void> {
  const user = await tx.manager.findOne(User, {
    where: { email, disabledAt: IsNull() },
    order: { unconfirmedAccountId: "ASC" },
  });
  if (user === null || user.email !== email) return;
  const member = await findOpenMembership(tx, user.id);
  if (member === null) return;
  const actor = { type: "user", userId: user.id, ...member } as const;
  const own = { ...tx, actor };
  const { id } = await insertLink(own, "password_reset", { userId: user.id }, mailBox);
  await recordAudit(own, {
    action: "user.password_reset_created",
    targetType: "user",
    targetId: user.id,
    details: { link_id: id },
  });
}

async function findOpenMembership(
  tx: Tx,
  userId: number,
): Promise<{ accountId: number; role: Role } | null> {
  const [row] = await tx.manager.query<{ accountId: number; role: Role }[]>(
    `SELECT m.account_id AS accountId, m.role FROM memberships m
       JOIN accounts a ON a.id = m.account_id AND a.disabled_at IS NULL
      WHERE m.user_id = ? AND m.disabled_at IS NULL ORDER BY m.id LIMIT 1`,
    [userId],
  );
  return row ?? null;
}
