import { randomBytes } from "node:crypto";
import { IsNull, type EntityManager } from "typeorm";
import { UserLink } from "../../../db/entities/user-link.ts";
import { User } from "../../../db/entities/user.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, notFound } from "../../errors.ts";
import type { Role } from "../../model/principal.ts";
import type { PasswordNeed, UserLinkKind } from "../../model/user.ts";
import { hashToken, type SecretBox } from "../../secrets.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import type { InvitationView } from "../../model/views/user.ts";
import { requireUserId } from "./actor.ts";
import { recordAudit } from "./audit.ts";
import { queueLinkMail } from "./mails.ts";
import { isMemberElsewhere } from "./members.ts";
import { countAll, insertRow } from "../sql.ts";
import { dayMs } from "../../model/durations.ts";

/** Lifetime of a link. */
const lifeMs: Readonly<Record<UserLinkKind, number>> = {
  invitation: 7 * dayMs,
  password_reset: dayMs,
};

/** A link that can be used now. */
export interface OpenLink {
  id: number;
  kind: UserLinkKind;
  accountId: number;
  accountName: string;
  email: string;
  /**
   * The name that the admin gave the invited person, or the name of the person with the new
   * password.
   */
  name: string | null;
  /** Role in the account: the future role of an invited person, or the present role of a member. */
  role: Role;
  /**
   * The person whose password a reset sets. For an invitation: the person who has confirmed the
   * email.
   */
  userId: number | null;
  /** The link went by mail, so its reader has proved the email. */
  provesEmail: boolean;
  /**
   * An invited person who exists proves their password, so that an invitation takes over no login.
   * A link that does not prove the email always has `new`. Another value would reveal if the email
   * has a login elsewhere.
   */
  password: PasswordNeed;
  expiresAt: Date;
  createdByUserId: number;
}

// A link is valid while its maker is an admin here. A person may also ask for a new password of
// their own.
const openLinks = `FROM user_links l
   JOIN accounts a ON a.id = l.account_id AND a.disabled_at IS NULL
   JOIN users c ON c.id = l.created_by_user_id AND c.disabled_at IS NULL
   JOIN memberships m ON m.user_id = c.id AND m.account_id = l.account_id
        AND (m.role = 'admin' OR l.user_id = l.created_by_user_id) AND m.disabled_at IS NULL
  WHERE l.used_at IS NULL AND l.revoked_at IS NULL AND l.expires_at > ?`;

/** Invitations of the account that can still be accepted, newest first, with their total. */
export async function listInvitations(tx: Tx, page: PageBounds): Promise<Page<InvitationView>> {
  const where = `${openLinks} AND l.account_id = ? AND l.kind = 'invitation'`;
  const values = [tx.now, tx.actor.accountId];
  const rows = await tx.manager.query<InvitationRow[]>(
    `SELECT l.id, l.email, l.role, l.name, l.expires_at, l.created_at,
            (SELECT x.state FROM mails x WHERE x.user_link_id = l.id ORDER BY x.id DESC LIMIT 1) AS mail
       ${where}
      ORDER BY l.id DESC LIMIT ? OFFSET ?`,
    [...values, page.limit, page.offset],
  );
  const count = await countAll(tx, { sql: where, values });
  return { rows: rows.map(presentInvitation), ...count };
}

/**
 * Invites a person to the account. An earlier invitation of the same email ends.
 * @param mailBox seals the token of a link that goes by mail; null: the admin hands the link on.
 * @returns the invitation with its token, which is null for a mailed link. Only the SHA-256 of the
 *   token is stored.
 * @throws AppError `already_member`, also where the member is disabled.
 */
export async function createInvitation(
  tx: Tx,
  input: { email: string; role: Role; name: string | null },
  mailBox: SecretBox | null = null,
): Promise<InvitationView & { token: string | null }> {
  const { email, role, name } = input;
  const { accountId } = tx.actor;
  await requireNoMember(tx, email);
  await revokeLinks(tx, { accountId, kind: "invitation", email });
  const whom = { email, role, name };
  const { id, token, expiresAt } = await insertLink(tx, "invitation", whom, mailBox);
  await recordAudit(tx, {
    action: "invitation.created",
    targetType: "invitation",
    targetId: id,
    details: { role },
  });
  const times = { expires_at: expiresAt, created_at: tx.now };
  const mail = mailBox === null ? null : "queued";
  return { ...presentInvitation({ id, mail, email, role, name, ...times }), token };
}

/**
 * Sends an invitation again: a new link replaces the old link, for another seven days.
 * @throws AppError `invitation_not_found`
 */
export async function resendInvitation(
  tx: Tx,
  id: number,
  mailBox: SecretBox | null,
): Promise<InvitationView & { token: string | null }> {
  const row = await tx.manager.findOneBy(UserLink, {
    id,
    accountId: tx.actor.accountId,
    kind: "invitation",
    usedAt: IsNull(),
    revokedAt: IsNull(),
  });
  if (row === null || row.email === null || row.role === null) throw notFound("invitation");
  const { email, role, name } = row;
  return await createInvitation(tx, { email, role, name }, mailBox);
}

/**
 * Withdraws an invitation.
 * @throws AppError `invitation_not_found`, also for an accepted invitation.
 */
export async function revokeInvitation(tx: Tx, id: number): Promise<void> {
  const { accountId } = tx.actor;
  const revoked = await revokeLinks(tx, { id, accountId, kind: "invitation" });
  if (revoked === 0) throw notFound("invitation");
  await recordAudit(tx, { action: "invitation.revoked", targetType: "invitation", targetId: id });
}

/**
 * Makes a link with which a member sets a new password. An earlier link ends. A link that an admin
 * sees is made only for a person of this account alone.
 * @param mailBox seals the token of a link that goes by mail; null: the admin hands the link on.
 * @throws AppError `user_not_found`, `own_membership`, `user_disabled`, `member_elsewhere`.
 */
export async function createPasswordReset(
  tx: Tx,
  userId: number,
  mailBox: SecretBox | null = null,
): Promise<{ token: string | null; expiresAt: Date }> {
  const { accountId } = tx.actor;
  const member = await findResetTarget(tx.manager, accountId, userId);
  if (member === null) throw notFound("user");
  if (userId === requireUserId(tx.actor)) {
    throw new AppError("own_membership", {
      message: "Change your own password with your current one.",
    });
  }
  if (member.elsewhere && mailBox === null) {
    throw new AppError("member_elsewhere", {
      message: "This person is a member of another account too, which a link made here would open.",
    });
  }
  if (member.disabled) {
    throw new AppError("user_disabled");
  }
  await revokeLinks(tx, { accountId, kind: "password_reset", userId });
  const { id, token, expiresAt } = await insertLink(tx, "password_reset", { userId }, mailBox);
  await recordAudit(tx, {
    action: "user.password_reset_created",
    targetType: "user",
    targetId: userId,
    details: { link_id: id },
  });
  return { token, expiresAt };
}

const openLinkOfToken = `SELECT l.id, l.kind, l.account_id, a.name AS account_name, l.email,
            l.name, l.role, l.user_id, l.proves_email, l.expires_at, l.created_by_user_id
       ${openLinks} AND l.token_hash = ?`;

/** The open link with this token, or null. */
export async function findOpenLink(
  manager: EntityManager,
  tokenHash: Buffer,
  now: Date,
): Promise<OpenLink | null> {
  const rows = await manager.query<LinkRow[]>(openLinkOfToken, [now, tokenHash]);
  return await withPerson(manager, rows[0]);
}

/** Like `findOpenLink`, and prevents any other use of the link until the commit. */
export async function lockOpenLink(
  { manager, now }: Tx,
  tokenHash: Buffer,
): Promise<OpenLink | null> {
  const statement = `${openLinkOfToken} FOR UPDATE OF l`;
  const rows = await manager.query<LinkRow[]>(statement, [now, tokenHash]);
  return await withPerson(manager, rows[0]);
}

async function withPerson(
  manager: EntityManager,
  row: LinkRow | undefined,
): Promise<OpenLink | null> {
  if (row === undefined) return null;
  const person = await findLinkPerson(manager, row);
  if (person === null) return null;
  return {
    id: row.id,
    kind: row.kind,
    accountId: row.account_id,
    accountName: row.account_name,
    expiresAt: row.expires_at,
    createdByUserId: row.created_by_user_id,
    provesEmail: row.proves_email === 1,
    ...person,
  };
}

/** Marks a link as used by this person, so that the link is no longer valid. */
export async function markLinkUsed(tx: Tx, id: number, userId: number): Promise<void> {
  await tx.manager.update(UserLink, id, { usedAt: tx.now, userId });
}

/** @throws AppError `already_member` where a member of the account has this email, also a disabled one. */
export async function requireNoMember(tx: Tx, email: string): Promise<void> {
  const members = await tx.manager.query<unknown[]>(
    `SELECT 1 FROM users u JOIN memberships m ON m.user_id = u.id AND m.account_id = ?
      WHERE u.email = ?`,
    [tx.actor.accountId, email],
  );
  if (members.length === 0) return;
  throw new AppError("already_member");
}

type InvitationRow = Omit<InvitationView, "expires_at" | "created_at"> & {
  expires_at: Date;
  created_at: Date;
};

function presentInvitation(row: InvitationRow): InvitationView {
  return {
    ...row,
    expires_at: row.expires_at.toISOString(),
    created_at: row.created_at.toISOString(),
  };
}

interface LinkRow {
  id: number;
  kind: UserLinkKind;
  account_id: number;
  account_name: string;
  email: string | null;
  name: string | null;
  role: Role | null;
  user_id: number | null;
  proves_email: number;
  expires_at: Date;
  created_by_user_id: number;
}

async function findLinkPerson(
  manager: EntityManager,
  row: LinkRow,
): Promise<Pick<OpenLink, "email" | "name" | "role" | "userId" | "password"> | null> {
  if (row.kind === "password_reset") {
    const member = await findResetTarget(manager, row.account_id, Number(row.user_id));
    // The person may have joined another account since the link was made.
    const mayBeElsewhere = row.proves_email === 1;
    if (member === null || member.disabled) return null;
    if (member.elsewhere && !mayBeElsewhere) return null;
    const { email, name, role } = member;
    return { email, name, role, userId: row.user_id, password: "new" };
  }
  const { email, name, role } = row;
  if (email === null || role === null) return null;
  const user = await manager.findOneBy(User, { email, unconfirmedAccountId: 0 });
  // The operator has disabled this person. An invitation does not enable them again.
  if (user !== null && user.disabledAt !== null) return null;
  const password = user === null || row.proves_email === 0 ? "new" : "existing";
  return { email, name, role, userId: user?.id ?? null, password };
}

async function findResetTarget(
  manager: EntityManager,
  accountId: number,
  userId: number,
): Promise<{
  email: string;
  name: string;
  role: Role;
  disabled: boolean;
  elsewhere: boolean;
} | null> {
  const rows = await manager.query<{ email: string; name: string; role: Role; disabled: number }[]>(
    `SELECT u.email, u.name, m.role,
            m.disabled_at IS NOT NULL OR u.disabled_at IS NOT NULL AS disabled
       FROM users u JOIN memberships m ON m.user_id = u.id AND m.account_id = ? WHERE u.id = ?`,
    [accountId, userId],
  );
  const row = rows[0];
  if (row === undefined) return null;
  const elsewhere = await isMemberElsewhere(manager, userId, accountId);
  return { ...row, disabled: row.disabled === 1, elsewhere };
}

/**
 * Stores a new link.
 * @returns its token, or null where the link goes by mail.
 */
export async function insertLink(
  tx: Tx,
  kind: UserLinkKind,
  whom: { email: string; role: Role; name: string | null } | { userId: number },
  mailBox: SecretBox | null,
): Promise<{ id: number; token: string | null; expiresAt: Date }> {
  const token = randomBytes(32).toString("base64url");
  const expiresAt = new Date(tx.now.getTime() + lifeMs[kind]);
  const id = await insertRow(tx, UserLink, {
    accountId: tx.actor.accountId,
    kind,
    tokenHash: hashToken(token),
    ...whom,
    provesEmail: mailBox !== null,
    expiresAt,
    createdByUserId: requireUserId(tx.actor),
    createdAt: tx.now,
  });
  if (mailBox === null) return { id, token, expiresAt };
  await queueLinkMail(tx, mailBox, { kind, userLinkId: id, token });
  return { id, token: null, expiresAt };
}

async function revokeLinks(
  tx: Tx,
  which: { accountId: number; kind: UserLinkKind; id?: number; email?: string; userId?: number },
): Promise<number> {
  const open = { ...which, usedAt: IsNull(), revokedAt: IsNull() };
  const { affected } = await tx.manager.update(UserLink, open, { revokedAt: tx.now });
  return affected ?? 0;
}
