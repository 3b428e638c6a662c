import { randomBytes } from "node:crypto";
import { IsNull, type EntityManager } from "typeorm";
import { Account } from "../../../db/entities/account.ts";
import { UserLink } from "../../../db/entities/user-link.ts";
import { Membership, Session, User } from "../../../db/entities/user.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import { accountSettings } from "../../model/account-settings.ts";
import type { Role } from "../../model/principal.ts";
import { hashToken } from "../../secrets.ts";
import type { SessionView } from "../../model/views/dashboard.ts";
import type { PersonView } from "../../model/views/user.ts";
import { readChangeSequence } from "../outbox/changes.ts";
import { insertRow, placeholders } from "../sql.ts";
import { dayMs, hourMs } from "../../model/durations.ts";

/** A login lasts 14 days from its last use. */
export const sessionMs = 14 * dayMs;
/** The end of a login moves at most once an hour, so that most reads write nothing. */
const slideAfterMs = hourMs;
/** Maximum number of logins of one person. */
const maxSessions = 50;

/** A person who tries to log in. */
export interface LoginCandidate {
  userId: number;
  passwordHash: string;
}

/** A login with an email. */
interface KnownLogin extends LoginCandidate {
  /** The person has proved the email. */
  confirmed: boolean;
}

/** A valid login: the user, the account and the role there. */
export interface SessionPrincipal {
  userId: number;
  accountId: number;
  role: Role;
  lastSeenAt: Date;
}

/** Fields that people may change of themselves. */
export interface PersonPatch {
  name?: string | undefined;
  locale?: string | null | undefined;
}

/** Maximum number of people with one email that are listed. */
const maxLogins = 100;

/** The enabled person who has confirmed this email, or null. */
export async function findLogin(
  manager: EntityManager,
  email: string,
): Promise<LoginCandidate | null> {
  const logins = await findLogins(manager, email);
  return logins.find(({ confirmed }) => confirmed) ?? null;
}

/** The login of a person; null where the person is disabled. */
export async function findOwnLogin(
  manager: EntityManager,
  userId: number,
): Promise<LoginCandidate | null> {
  const user = await manager.findOneBy(User, { id: userId, disabledAt: IsNull() });
  return user === null ? null : { userId, passwordHash: user.passwordHash };
}

/**
 * The enabled people with this email. The person who confirmed it comes first, then people of
 * single accounts: the one who was here last, or got a password last, before the others.
 * @param only.accountId only its members, and the person who confirmed the email, who comes last
 */
export async function findLogins(
  manager: EntityManager,
  email: string,
  only: { accountId?: number | undefined } = {},
): Promise<KnownLogin[]> {
  const { accountId = null } = only;
  const wanted = email.trim().toLowerCase();
  const users = await manager.query<(LoginCandidate & { email: string; claimedIn: number })[]>(
    `SELECT u.id AS userId, u.email, u.password_hash AS passwordHash,
            u.unconfirmed_account_id AS claimedIn
       FROM users u FORCE INDEX (users_email)
      WHERE u.email = ? AND u.disabled_at IS NULL
        AND (? IS NULL OR u.unconfirmed_account_id = 0
             OR EXISTS (SELECT 1 FROM memberships m WHERE m.account_id = ? AND m.user_id = u.id))
      ORDER BY u.unconfirmed_account_id = 0 ${accountId === null ? "DESC" : "ASC"},
               GREATEST(u.updated_at, COALESCE(
                 (SELECT MAX(s.last_seen_at) FROM sessions s WHERE s.user_id = u.id), u.updated_at
               )) DESC, u.id DESC
      LIMIT ?`,
    [wanted, accountId, accountId, maxLogins],
  );
  // MySQL matches full-width letters too. Other spellings would each get guesses of their own.
  return users
    .filter((user) => user.email === wanted)
    .map(({ userId, passwordHash, claimedIn }) => ({
      userId,
      passwordHash,
      confirmed: claimedIn === 0,
    }));
}

/**
 * Starts a login in `accountId`, or in the person's oldest account. Above 50 logins of a person,
 * the longest unused login ends.
 * @param candidate with the hash that the password was compared with.
 * @returns the token for the cookie; only its SHA-256 is stored.
 * @throws AppError `login_failed` where the person is no member there, or the password changed
 *   meanwhile.
 */
export async function createSession(
  tx: Tx,
  candidate: LoginCandidate,
  input: { accountId: number | null; userAgent: string | null },
): Promise<{ token: string; expiresAt: Date; accountId: number }> {
  const { userId } = candidate;
  if (!(await lockPerson(tx, candidate))) throw new AppError("login_failed");
  const memberships = await lockMemberships(tx, userId);
  const chosen = memberships.find(({ id }) => input.accountId === null || id === input.accountId);
  if (chosen === undefined) throw new AppError("login_failed");
  const token = randomBytes(32).toString("base64url");
  const expiresAt = new Date(tx.now.getTime() + sessionMs);
  await insertRow(tx, Session, {
    tokenHash: hashToken(token),
    userId,
    accountId: chosen.id,
    userAgent: input.userAgent?.slice(0, 200) ?? null,
    ip: tx.origin?.ip ?? null,
    createdAt: tx.now,
    lastSeenAt: tx.now,
    expiresAt,
  });
  await endSurplusSessions(tx, userId);
  return { token, expiresAt, accountId: chosen.id };
}

/** Ends the logins above the limit, the longest unused first. */
async function endSurplusSessions(tx: Tx, userId: number): Promise<void> {
  await tx.manager.query(
    `DELETE s FROM sessions s
       JOIN (SELECT id FROM sessions WHERE user_id = ? ORDER BY last_seen_at DESC, id DESC
              LIMIT ? OFFSET ?) surplus ON surplus.id = s.id`,
    [userId, maxSessions, maxSessions],
  );
}

/**
 * Locks the person until the commit. A new password ends every login, so a login that began before
 * the change must not outlast it.
 * @returns true where the person is enabled and still has the password that was checked.
 */
export async function lockPerson(
  tx: Tx,
  { userId, passwordHash }: LoginCandidate,
  mode: "pessimistic_read" | "pessimistic_write" = "pessimistic_read",
): Promise<boolean> {
  const user = await tx.manager.findOne(User, { where: { id: userId }, lock: { mode } });
  return user?.passwordHash === passwordHash && user.disabledAt === null;
}

/**
 * The login of a cookie's token. Null where the login has ended, or person, account or membership
 * is disabled or gone.
 */
export async function findSession(
  manager: EntityManager,
  tokenHash: Buffer,
  now: Date,
): Promise<SessionPrincipal | null> {
  const sessions = await listSessions(manager, [tokenHash], now);
  return sessions.get(tokenHash.toString("hex")) ?? null;
}

/** The logins of several tokens by the hash in hex, in one query. Those that ended are left out. */
export async function listSessions(
  manager: EntityManager,
  tokenHashes: readonly Buffer[],
  now: Date,
): Promise<Map<string, SessionPrincipal>> {
  const rows = await manager.query<
    { token_hash: Buffer; user_id: number; account_id: number; role: Role; last_seen_at: Date }[]
  >(
    `SELECT s.token_hash, s.user_id, s.account_id, m.role, s.last_seen_at
       FROM sessions s
       JOIN users u ON u.id = s.user_id AND u.disabled_at IS NULL
       JOIN memberships m ON m.user_id = s.user_id AND m.account_id = s.account_id
            AND m.disabled_at IS NULL
       JOIN accounts a ON a.id = s.account_id AND a.disabled_at IS NULL
      WHERE s.token_hash IN (${placeholders(tokenHashes)}) AND s.expires_at > ?`,
    [...tokenHashes, now],
  );
  return new Map(
    rows.map((row) => [
      row.token_hash.toString("hex"),
      {
        userId: row.user_id,
        accountId: row.account_id,
        role: row.role,
        lastSeenAt: row.last_seen_at,
      },
    ]),
  );
}

/**
 * Moves the end of a login that is in use, at most once an hour.
 * @returns the new end if it moved.
 */
export async function slideSession(
  manager: EntityManager,
  tokenHash: Buffer,
  session: SessionPrincipal,
  now: Date,
): Promise<Date | null> {
  if (now.getTime() - session.lastSeenAt.getTime() < slideAfterMs) return null;
  const expiresAt = new Date(now.getTime() + sessionMs);
  await manager.update(Session, { tokenHash }, { lastSeenAt: now, expiresAt });
  return expiresAt;
}

/**
 * Moves a login to another account of the same person.
 * @throws AppError `account_not_found`, or `session_required` where the login ended meanwhile.
 */
export async function switchSessionAccount(
  tx: Tx,
  tokenHash: Buffer,
  accountId: number,
): Promise<void> {
  const session = await tx.manager.findOne(Session, {
    where: { tokenHash },
    lock: { mode: "pessimistic_write" },
  });
  if (session === null) throw new AppError("session_required");
  const memberships = await lockMemberships(tx, session.userId);
  if (!memberships.some(({ id }) => id === accountId)) {
    throw new AppError("account_not_found");
  }
  await tx.manager.update(Session, { tokenHash }, { accountId });
}

/** Ends a login everywhere. */
export async function endSession(tx: Tx, tokenHash: Buffer): Promise<void> {
  await tx.manager.delete(Session, { tokenHash });
}

/** The user who is logged in, the account of the login, and all accounts of the user. */
export async function getSessionProfile(
  tx: Tx,
  userId: number,
  accountId: number,
): Promise<SessionView> {
  // Read first, so that all later reads hold every change up to this number.
  const { lastSeq } = await readChangeSequence(tx.manager);
  const account = await tx.manager.findOneByOrFail(Account, { id: accountId });
  const memberships = await listMemberships(tx.manager, userId);
  const current = memberships.find(({ id }) => id === accountId);
  if (current === undefined) throw new AppError("login_failed");
  return {
    user: await getPerson(tx.manager, userId),
    role: current.role,
    account: {
      id: account.id,
      name: account.name,
      time_zone: account.timeZone,
      locale: account.locale,
      answer_target_minutes: accountSettings.parse(account.settings).answer_target_minutes,
    },
    accounts: memberships,
    stream_from: `${accountId}-${lastSeq}`,
  };
}

const openMemberships = `SELECT a.id, a.name, m.role FROM memberships m
   JOIN accounts a ON a.id = m.account_id AND a.disabled_at IS NULL
  WHERE m.user_id = ? AND m.disabled_at IS NULL ORDER BY m.id`;

/** The accounts that are open to a person, the oldest membership first. */
async function listMemberships(
  manager: EntityManager,
  userId: number,
): Promise<SessionView["accounts"]> {
  return await manager.query(openMemberships, [userId]);
}

/**
 * The same accounts, locked until the commit. A login that begins while its membership is disabled
 * must not outlast the membership.
 */
async function lockMemberships(tx: Tx, userId: number): Promise<SessionView["accounts"]> {
  return await tx.manager.query(`${openMemberships} FOR SHARE OF m`, [userId]);
}

/** The data of one person. */
export async function getPerson(manager: EntityManager, userId: number): Promise<PersonView> {
  const row = await manager.findOneByOrFail(User, { id: userId });
  const { id, name, email, locale, unconfirmedAccountId } = row;
  return {
    id,
    name,
    email,
    email_confirmed: unconfirmedAccountId === 0,
    locale,
  };
}

/** Changes name and language of a person. */
export async function updatePerson(tx: Tx, userId: number, patch: PersonPatch): Promise<void> {
  const changes = Object.fromEntries(
    Object.entries(patch).filter(([, value]) => value !== undefined),
  );
  if (Object.keys(changes).length === 0) return;
  await tx.manager.update(User, userId, {
    ...changes,
    updatedAt: tx.now,
    version: () => "version + 1",
  });
}

/**
 * Makes a person a member of an account. Creates the person if no person has confirmed the email.
 * @param confirmed false for an unconfirmed email: the person then belongs to this account alone.
 */
export async function createMember(
  tx: Tx,
  input: { email: string; name: string; passwordHash: string; role: Role },
  confirmed = true,
): Promise<{ userId: number; created: boolean }> {
  const email = input.email.trim().toLowerCase();
  // Locked until the commit, so that a link for a new password sees this account or comes before
  // it.
  const lock = { mode: "pessimistic_read" } as const;
  const where = { email, unconfirmedAccountId: 0 };
  const known = confirmed ? await tx.manager.findOne(User, { where, lock }) : null;
  const unconfirmedAccountId = confirmed ? 0 : tx.actor.accountId;
  const userId = known?.id ?? (await insertUser(tx, { ...input, email, unconfirmedAccountId }));
  await insertRow(tx, Membership, {
    accountId: tx.actor.accountId,
    userId,
    role: input.role,
    createdAt: tx.now,
  });
  return { userId, created: known === null };
}

async function insertUser(
  tx: Tx,
  input: { email: string; unconfirmedAccountId: number; name: string; passwordHash: string },
): Promise<number> {
  const { email, unconfirmedAccountId, name, passwordHash } = input;
  const times = { createdAt: tx.now, updatedAt: tx.now };
  return await insertRow(tx, User, { email, unconfirmedAccountId, name, passwordHash, ...times });
}

/** Sets a new password. Ends every login of the person, and every other link for a new password. */
export async function setPassword(tx: Tx, userId: number, passwordHash: string): Promise<void> {
  await tx.manager.update(User, userId, {
    passwordHash,
    updatedAt: tx.now,
    version: () => "version + 1",
  });
  await tx.manager.delete(Session, { userId });
  await tx.manager.update(
    UserLink,
    { userId, kind: "password_reset", usedAt: IsNull(), revokedAt: IsNull() },
    { revokedAt: tx.now },
  );
}
