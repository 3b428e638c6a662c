import { hash, verify } from "@node-rs/argon2";
import { AppError } from "./errors.ts";

/**
 * argon2id, the library's default algorithm, with 19 MiB, two passes and a parallelism of one.
 * These are OWASP's minimum values. A hash takes about 40 ms.
 */
const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** More at once would starve the four threads that system name lookups and files share. */
const maxAtOnce = 2;
const maxWaiting = 50;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * The hash of a password in PHC form.
 * @throws AppError `service_unavailable` under a flood of logins.
 */
export async function hashPassword(password: string): Promise<string> {
  return await inTurn(() => hash(password, options));
}

/**
 * Compares a password with a hash. With no hash (an unknown email) the check takes as long and
 * returns false, so that its duration reveals nothing.
 * @returns true where the password is the hashed one.
 * @throws AppError `service_unavailable` under a flood of logins.
 */
export async function verifyPassword(
  passwordHash: string | null,
  password: string,
): Promise<boolean> {
  return await inTurn(async () => {
    if (passwordHash !== null) return await verify(passwordHash, password, options);
    await hash(password, options);
    return false;
  });
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= maxAtOnce) await waitForTurn();
  else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

async function waitForTurn(): Promise<void> {
  if (waiting.length >= maxWaiting) {
    throw new AppError("service_unavailable", {
      message: "Too many logins at once. Try again in a moment.",
      retryAfterSeconds: 2,
    });
  }
  await new Promise<void>((resolve) => waiting.push(resolve));
}
