import { verifyPassword } from "../../core/passwords.ts";
import {
  createSession,
  getSessionProfile,
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
import type { LoginAttempt } from "./login-throttle.ts";
import type { AnswerOf } from "./route.ts";

/** Maximum number of people with one email that a call tries: each try costs a password hash. */
const maxTries = 5;

/**
 * The login with this email and password, with the hash that matched, or null. A browser that knows
 * a login tries that login first. Other people with the email are then tried as from any browser,
 * up to five in all. Hashing runs outside any transaction and takes the same time for unknown
 * emails.
 * @param listLogins the logins with this email that the caller may mean
 * @throws AppError `rate_limited` after too many wrong guesses.
 */
export async function findPasswordMatch(
  deps: Deps,
  guess: { email: string; password: string },
  facts: RequestFacts,
  listLogins: () => Promise<LoginCandidate[]>,
): Promise<LoginCandidate | null> {
  const email = guess.email.trim().toLowerCase();
  const { ip, deviceToken } = facts;
  const attempt = { email, ip, device: null };
  const mark = deviceToken === null ? null : readDeviceCookie(deps.secretBox, deviceToken, email);
  const isKnown = ({ passwordHash }: LoginCandidate) => passwordMark(passwordHash) === mark;
  const logins = mark === null ? [] : await listLogins();
  const known = logins.find(isKnown);
  if (known === undefined) {
    return await countGuess(deps, attempt, async () => {
      return await findMatch((await listLogins()).slice(0, maxTries), guess.password);
    });
  }
  const fromDevice = { email, ip, device: known.userId };
  const own = await countGuess(deps, fromDevice, async () => {
    return await findMatch([known], guess.password);
  });
  const others = logins.filter((login) => login !== known).slice(0, maxTries - 1);
  if (own !== null || others.length === 0) return own;
  const other = await countGuess(deps, attempt, async () => {
    return await findMatch(others, guess.password);
  });
  if (other !== null) deps.loginThrottle.forgive(fromDevice);
  return other;
}

/** Counts an attempt. A match and our own errors do not count as guesses. */
async function countGuess(
  { loginThrottle }: Deps,
  attempt: LoginAttempt,
  match: () => Promise<LoginCandidate | null>,
): Promise<LoginCandidate | null> {
  loginThrottle.count(attempt);
  let guessed = false;
  try {
    const found = await match();
    guessed = found === null;
    return found;
  } finally {
    if (!guessed) loginThrottle.forgive(attempt);
  }
}

/**
 * Takes as long for an unknown email as for a known one. An email that several people claim takes
 * longer, so its time reveals that it is claimed more than once.
 */
async function findMatch(
  logins: LoginCandidate[],
  password: string,
): Promise<LoginCandidate | null> {
  if (logins.length === 0) await verifyPassword(null, password);
  for (const login of logins) {
    if (await verifyPassword(login.passwordHash, password)) return login;
  }
  return null;
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
