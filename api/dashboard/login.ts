import { verifyPassword } from "../../core/passwords.ts";
import {
  createSession,
  findLogins,
  getSessionProfile,
  type KnownLogin,
  type LoginCandidate,
} from "../../core/services/accounts/users.ts";
import type { Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import {
  deviceCookie,
  passwordMark,
  readDeviceCookie,
  sessionCookie,
} from "../http/session-auth.ts";
import type { RequestFacts } from "../http/route.ts";
import type { AnswerOf } from "./route.ts";

/**
 * The login with this email and password, with the hash that matched, or null. With an account it
 * is one that may be a member there. Hashing runs outside any transaction and takes the same time
 * for unknown emails.
 * @throws AppError `rate_limited` after too many wrong guesses.
 */
export async function findPasswordMatch(
  deps: Deps,
  guess: { email: string; password: string; account_id?: number | undefined },
  facts: RequestFacts,
  isWanted: (login: KnownLogin) => boolean = () => true,
): Promise<LoginCandidate | null> {
  const email = guess.email.trim().toLowerCase();
  const device = await findKnownDevice(deps, facts.deviceToken, email);
  const attempt = { email, ip: facts.ip, device };
  deps.loginThrottle.count(attempt);
  let guessed = false;
  try {
    const { manager } = deps.dataSource;
    const logins = await findLogins(manager, email, guess.account_id ?? null);
    const match = await findMatch(logins.filter(isWanted), guess.password);
    guessed = match === null;
    return match;
  } finally {
    // Successful logins and our own errors do not count as guesses.
    if (!guessed) deps.loginThrottle.forgive(attempt);
  }
}

/**
 * Takes as long for an unknown email as for a known one. An email that several people claim takes
 * longer, so its time reveals that it is claimed more than once.
 */
async function findMatch(logins: KnownLogin[], password: string): Promise<LoginCandidate | null> {
  if (logins.length === 0) await verifyPassword(null, password);
  for (const login of logins) {
    if (await verifyPassword(login.passwordHash, password)) return login;
  }
  return null;
}

/** The device cookie if it was made for this email and the current password, else null. */
async function findKnownDevice(
  { secretBox, dataSource }: Deps,
  token: string | null,
  email: string,
): Promise<string | null> {
  const mark = token === null ? null : readDeviceCookie(secretBox, token, email);
  if (mark === null) return null;
  const logins = await findLogins(dataSource.manager, email);
  return logins.some(({ passwordHash }) => passwordMark(passwordHash) === mark) ? token : null;
}

/**
 * Starts a login. The answer holds the profile, with the cookies of the session and of the device.
 */
export async function startLogin(
  tx: Tx,
  { config, secretBox }: Deps,
  candidate: LoginCandidate,
  wanted: { accountId: number | null; userAgent: string | null },
): Promise<AnswerOf<"POST /session">> {
  const session = await createSession(tx, candidate, wanted);
  const profile = await getSessionProfile(tx, candidate.userId, session.accountId);
  const { publicUrl } = config;
  const { passwordHash } = candidate;
  return {
    data: profile,
    headers: {
      "Set-Cookie": [
        sessionCookie(publicUrl, session.token, session.expiresAt),
        deviceCookie(secretBox, publicUrl, { email: profile.user.email, passwordHash }, tx.now),
      ],
    },
  };
}
