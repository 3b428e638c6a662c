import { isDeepStrictEqual } from "node:util";
import type { EntityManager } from "typeorm";
import { Membership, Session } from "../../../db/entities/user.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, notFound } from "../../errors.ts";
import type { Role } from "../../model/principal.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import type { MemberView } from "../../model/views/user.ts";
import { actingUserId } from "./actor.ts";
import { recordAudit } from "./audit.ts";
import { updatePerson } from "./users.ts";
import { countAll } from "../sql.ts";

/** Fields of a member that an admin may change. */
export interface MemberPatch {
  role?: Role | undefined;
  disabled?: boolean | undefined;
  name?: string | undefined;
}

/** A member with the facts that the rules of this file need. */
interface MemberState {
  id: number;
  name: string;
  role: Role;
  disabled: boolean;
  /** Disabled in the whole installation, regardless of this account. */
  disabledEverywhere: boolean;
}

const columns = `u.id, u.name, u.email, u.unconfirmed_account_id, m.role, COALESCE(m.disabled_at, u.disabled_at) AS disabled_at, m.created_at,
  (SELECT MAX(s.last_seen_at) FROM sessions s WHERE s.user_id = m.user_id AND s.account_id = m.account_id) AS last_seen_at`;
const members = "FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.account_id = ?";

/** Members of the account by name, disabled ones too, with their total. */
export async function listMembers(tx: Tx, page: PageBounds): Promise<Page<MemberView>> {
  const { accountId } = tx.actor;
  const rows = await tx.manager.query<MemberRow[]>(
    `SELECT ${columns} ${members} ORDER BY u.name, u.id LIMIT ? OFFSET ?`,
    [accountId, page.limit, page.offset],
  );
  const count = await countAll(tx, { sql: members, values: [accountId] });
  return { rows: rows.map(presentMember), ...count };
}

/** A member of the account. @throws AppError `user_not_found` */
export async function getMember(tx: Tx, userId: number): Promise<MemberView> {
  const rows = await tx.manager.query<MemberRow[]>(`SELECT ${columns} ${members} AND u.id = ?`, [
    tx.actor.accountId,
    userId,
  ]);
  const row = rows[0];
  if (row === undefined) throw notFound("user");
  return presentMember(row);
}

/**
 * Changes a member's role or name, or disables the membership and ends their logins in this account
 * at once. The person's other accounts are not affected.
 * @throws AppError `user_not_found`, `own_membership`, `last_admin`, `member_elsewhere`.
 */
export async function updateMember(
  tx: Tx,
  userId: number,
  patch: MemberPatch,
): Promise<MemberView> {
  const states = await lockMembers(tx);
  const before = states.find(({ id }) => id === userId);
  if (before === undefined) throw notFound("user");
  const after = {
    ...before,
    role: patch.role ?? before.role,
    disabled: patch.disabled ?? before.disabled,
    name: patch.name ?? before.name,
  };
  if (!isDeepStrictEqual(after, before)) {
    await requireAllowed(tx, states, before, after);
    await writeMember(tx, before, after);
  }
  return await getMember(tx, userId);
}

/** @returns true where the person is a member of any other account, also a disabled one. */
export async function isMemberElsewhere(
  manager: EntityManager,
  userId: number,
  accountId: number,
): Promise<boolean> {
  const rows = await manager.query<unknown[]>(
    "SELECT 1 FROM memberships WHERE user_id = ? AND account_id <> ? LIMIT 1",
    [userId, accountId],
  );
  return rows.length > 0;
}

interface MemberRow extends Omit<
  MemberView,
  "email_confirmed" | "disabled_at" | "last_seen_at" | "created_at"
> {
  unconfirmed_account_id: number;
  disabled_at: Date | null;
  last_seen_at: Date | null;
  created_at: Date;
}

function presentMember(row: MemberRow): MemberView {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    email_confirmed: Number(row.unconfirmed_account_id) === 0,
    role: row.role,
    disabled_at: row.disabled_at?.toISOString() ?? null,
    last_seen_at: row.last_seen_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}

/**
 * Locks all members, so that two admins who demote each other at once do so one after the other.
 */
async function lockMembers(tx: Tx): Promise<MemberState[]> {
  const rows = await tx.manager.query<
    { id: number; name: string; role: Role; disabled: number; disabled_everywhere: number }[]
  >(
    `SELECT u.id, u.name, m.role, m.disabled_at IS NOT NULL AS disabled,
            u.disabled_at IS NOT NULL AS disabled_everywhere
       ${members} ORDER BY m.user_id FOR UPDATE OF m`,
    [tx.actor.accountId],
  );
  return rows.map(({ id, name, role, ...row }) => ({
    id,
    name,
    role,
    disabled: row.disabled === 1,
    disabledEverywhere: row.disabled_everywhere === 1,
  }));
}

async function requireAllowed(
  tx: Tx,
  states: MemberState[],
  before: MemberState,
  after: MemberState,
): Promise<void> {
  const own = before.id === actingUserId(tx.actor);
  if (own && (after.role !== before.role || after.disabled !== before.disabled)) {
    throw new AppError("own_membership");
  }
  const remaining = states.filter(({ id }) => id !== before.id);
  if (isAdmin(before) && ![...remaining, after].some(isAdmin)) {
    throw new AppError("last_admin");
  }
  if (own || after.name === before.name) return;
  if (await isMemberElsewhere(tx.manager, before.id, tx.actor.accountId)) {
    throw new AppError("member_elsewhere", {
      message:
        "This person is a member of another account too, so only they can change their name.",
    });
  }
}

function isAdmin({ role, disabled, disabledEverywhere }: MemberState): boolean {
  return role === "admin" && !disabled && !disabledEverywhere;
}

async function writeMember(tx: Tx, before: MemberState, after: MemberState): Promise<void> {
  const { id: userId, role, disabled, name } = after;
  const { accountId } = tx.actor;
  const key = { accountId, userId };
  const details: Record<string, unknown> = {};
  if (role !== before.role) {
    await tx.manager.update(Membership, key, { role });
    Object.assign(details, { role, role_before: before.role });
  }
  if (disabled !== before.disabled) {
    await tx.manager.update(Membership, key, { disabledAt: disabled ? tx.now : null });
    if (disabled) await tx.manager.delete(Session, key);
    Object.assign(details, { disabled });
  }
  if (name !== before.name) {
    await updatePerson(tx, userId, { name });
    Object.assign(details, { name });
  }
  await recordAudit(tx, { action: "user.updated", targetType: "user", targetId: userId, details });
}
