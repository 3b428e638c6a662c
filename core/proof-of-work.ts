import { createChallenge, verifySolution } from "altcha-lib/v1";
import { minuteMs } from "./model/durations.ts";

/** A task for a browser: find the number below `maxnumber` whose hash is the challenge. */
export interface ProofChallenge {
  algorithm: "SHA-256";
  challenge: string;
  salt: string;
  maxnumber: number;
  signature: string;
}

/** Asks callers for work that costs them time and us nothing. */
export interface ProofOfWork {
  createChallenge(): Promise<ProofChallenge>;
  /** @returns true once for each solved challenge, until it is 10 minutes old */
  redeem(proof: string): Promise<boolean>;
}

const algorithm = "SHA-256";
/** A phone tries as many hashes in about a second. */
const maxNumber = 100_000;
const lifeMs = 10 * minuteMs;
/** A flood of solved proofs must not fill the memory. Above it the oldest can be used again. */
const maxRedeemed = 50_000;

/**
 * Proof of work, in the form of ALTCHA.
 * @param hmacKey signs challenges, so that none has to be stored; processes share the key
 */
export function createProofOfWork(hmacKey: string, nowMs = () => Date.now()): ProofOfWork {
  const redeemed = new Set<string>();
  return {
    async createChallenge() {
      const expires = new Date(nowMs() + lifeMs);
      const made = await createChallenge({ hmacKey, algorithm, maxNumber, expires });
      const { challenge, salt, signature } = made;
      return { algorithm, challenge, salt, maxnumber: maxNumber, signature };
    },
    async redeem(proof) {
      const id = idOf(proof);
      if (id === null || redeemed.has(id)) return false;
      const isSolved = await verifySolution(proof, hmacKey, true).catch(() => false);
      // The same proof may have come twice at once.
      if (!isSolved || redeemed.has(id)) return false;
      redeemed.add(id);
      for (const oldest of redeemed) {
        if (redeemed.size <= maxRedeemed) break;
        redeemed.delete(oldest);
      }
      return true;
    },
  };
}

/** The signature names a challenge: a proof with another text of the same meaning is the same. */
function idOf(proof: string): string | null {
  try {
    const payload: unknown = JSON.parse(Buffer.from(proof, "base64").toString("utf8"));
    const signature: unknown =
      typeof payload === "object" && payload !== null ? Reflect.get(payload, "signature") : null;
    return typeof signature === "string" ? signature.toLowerCase() : null;
  } catch {
    return null;
  }
}
