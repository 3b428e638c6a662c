import type { Tx } from "../../../db/transaction.ts";
import type { Role } from "../../model/principal.ts";
import type { SecretBox } from "../../secrets.ts";
import { recordAudit } from "./audit.ts";
import { insertLink } from "./user-links.ts";

/** Maximum number of unconfirmed people with one email who get a link each. */
const maxLinks = 5;

/**
 * Mails links for a new password to the people with this email. The person who confirmed the email
 * gets the only link. If no person has confirmed it, each person with the email gets a link,
 * because the link proves the address. An unknown email and a person without an open account get no
 * link. The caller cannot see the difference.
 */
export async function mailNewPasswordLinks(
  tx: Tx,
  email: string,
  mailBox: SecretBox,
): Promise<void> {
  const people = await listOpenMembers(tx, email);
  const owner = people.find(({ isConfirmed }) => isConfirmed);
  const readers = owner === undefined ? people.slice(0, maxLinks) : [owner];
  for (const { userId, accountId, role } of readers) {
    const own = { ...tx, actor: { type: "user", userId, accountId, role } as const };
    const { id } = await insertLink(own, "password_reset", { userId }, mailBox);
    await recordAudit(own, {
      action: "user.password_reset_created",
      targetType: "user",
      targetId: userId,
      details: { link_id: id },
    });
  }
}

interface OpenMember {
  userId: number;
  isConfirmed: boolean;
  accountId: number;
  role: Role;
}

/** The enabled people with this email, each with the oldest account that is open to them. */
async function listOpenMembers(tx: Tx, email: string): Promise<OpenMember[]> {
  const rows = await tx.manager.query<
    { userId: number; email: string; claimedIn: number; accountId: number; role: Role }[]
  >(
    `SELECT u.id AS userId, u.email, u.unconfirmed_account_id AS claimedIn,
            m.account_id AS accountId, m.role
       FROM users u
       JOIN memberships m ON m.user_id = u.id AND m.disabled_at IS NULL
       JOIN accounts a ON a.id = m.account_id AND a.disabled_at IS NULL
      WHERE u.email = ? AND u.disabled_at IS NULL ORDER BY u.unconfirmed_account_id, m.id`,
    [email],
  );
  const members = new Map<number, OpenMember>();
  for (const { userId, accountId, role, ...user } of rows) {
    // MySQL matches other spellings of the address too.
    if (user.email !== email || members.has(userId)) continue;
    members.set(userId, { userId, isConfirmed: user.claimedIn === 0, accountId, role });
  }
  return [...members.values()];
}
