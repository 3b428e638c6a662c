import { CallError } from "./call-error.ts";
import { callApi } from "./calls.ts";
import type { TurnstileTask } from "./turnstile.ts";

/** Passes a value on while the visitor is the same. @throws CallError once that one has left */
export type Own = <Value>(value: Value) => Value;

/**
 * Makes a call with the proof that the API asks for. While Cloudflare is away the API asks a second
 * time, for work of its own.
 * @param details of the answer 428
 * @param own throws once the visitor has left. The work takes seconds, and the cookie is then that of
 *   the next person.
 * @throws CallError where the API refuses both
 */
export async function callWithProof<Answer>(
  details: unknown,
  own: Own,
  method: string,
  path: string,
  options: { token?: string; body?: unknown },
): Promise<Answer> {
  const call = async (proof: string): Promise<Answer> =>
    await callApi<Answer>(method, path, {
      ...options,
      body: { ...(options.body as object), proof },
    });
  try {
    return await call(own(await prove(details)));
  } catch (error) {
    if (!(error instanceof CallError) || error.status !== 428) throw error;
    return await call(own(await prove(error.details)));
  }
}

async function prove(details: unknown): Promise<string> {
  const { turnstile } = details as { turnstile?: TurnstileTask };
  if (turnstile === undefined) return await work(details as Challenge);
  const { askTurnstile } = await import("./turnstile.ts");
  return `turnstile:${await askTurnstile(turnstile)}`;
}

/** A challenge of the API, in the form of ALTCHA. */
interface Challenge {
  algorithm: string;
  challenge: string;
  salt: string;
  signature: string;
  maxnumber: number;
}

/** Numbers that are tried at once. */
const batch = 200;

/**
 * Finds the number whose SHA-256 behind the salt is the challenge.
 * @returns the proof as the API takes it
 * @throws Error where no number fits
 */
async function work(task: Challenge): Promise<string> {
  const { algorithm, challenge, salt, signature, maxnumber } = task;
  const encoder = new TextEncoder();
  for (let from = 0; from <= maxnumber; from += batch) {
    const numbers = Array.from(
      { length: Math.min(batch, maxnumber - from + 1) },
      (_, at) => from + at,
    );
    const hashes = await Promise.all(
      numbers.map(async (number) =>
        hex(await crypto.subtle.digest("SHA-256", encoder.encode(salt + number))),
      ),
    );
    const at = hashes.indexOf(challenge);
    if (at === -1) continue;
    return btoa(JSON.stringify({ algorithm, challenge, number: from + at, salt, signature }));
  }
  throw new Error("no_proof");
}

function hex(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
