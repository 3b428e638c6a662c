import { verifyPassword } from "../../core/passwords.ts";
import {
  createSession,
  findLogin,
  getSessionProfile,
  type LoginCandidate,
} from "../../core/services/users.ts";
import type { Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { deviceCookie, knownDevice, sessionCookie } from "../middleware/session-auth.ts";
import type { Answer, RequestFacts } from "../route.ts";

/**
 * The person whose password this is, with the hash that matched, or null. Hashing takes its time
 * outside any transaction, for unknown emails too.
 * @throws AppError `rate_limited` after too many wrong guesses.
 */
export async function findPasswordMatch(
  deps: Deps,
  guess: { email: string; password: string },
  facts: RequestFacts,
): Promise<LoginCandidate | null> {
  const email = guess.email.trim().toLowerCase();
  const device = knownDevice(deps.secretBox, facts.deviceToken, email);
  const attempt = { email, ip: facts.ip, device };
  deps.loginThrottle.count(attempt);
  let guessed = false;
  try {
    const login = await findLogin(deps.dataSource.manager, email);
    const matches = await verifyPassword(login?.passwordHash ?? null, guess.password);
    if (login !== null && matches) return login;
    guessed = true;
    return null;
  } finally {
    // Neither a login nor a fault of our own is a guess.
    if (!guessed) deps.loginThrottle.forgive(attempt);
  }
}

/** Starts a login and answers who is logged in, with the cookies of the login and of the browser. */
export async function startLogin(
  tx: Tx,
  { config, secretBox }: Deps,
  candidate: LoginCandidate,
  wanted: { accountId: number | null; userAgent: string | null },
): Promise<Answer> {
  const session = await createSession(tx, candidate, wanted);
  const profile = await getSessionProfile(tx, candidate.userId, session.accountId);
  const { publicUrl } = config;
  return {
    data: profile,
    headers: {
      "Set-Cookie": [
        sessionCookie(publicUrl, session.token, session.expiresAt),
        deviceCookie(secretBox, publicUrl, profile.user.email, tx.now),
      ],
    },
  };
}
