import { z } from "zod";
import { minuteMs } from "../../core/model/durations.ts";

/** Cloudflare's check that a visitor is a person. */
export interface Turnstile {
  /** Values that a browser needs to get a token. Null while Cloudflare does not answer. */
  task(): { url: string; site_key: string } | null;
  /** @returns true once for each token that Cloudflare gave to a browser */
  redeem(token: string): Promise<boolean>;
}

/** A proof of Turnstile begins with it, and its token follows. */
export const turnstilePrefix = "turnstile:";

/** Cloudflare answers within some 100 ms. A visitor must not wait for it much longer. */
const deadlineMs = 3_000;
/** Time for which a proof of work is asked for instead, after Cloudflare gave no answer. */
const awayMs = minuteMs;

const answerSchema = z.object({ success: z.boolean() });

/**
 * Asks Cloudflare about tokens. The visitor's address is not sent.
 * @param options.url origin of the service
 */
export function createTurnstile(
  { url, siteKey, secretKey }: { url: string; siteKey: string; secretKey: string },
  nowMs = () => Date.now(),
): Turnstile {
  let awayUntil = 0;
  return {
    task: () => (nowMs() < awayUntil ? null : { url, site_key: siteKey }),
    async redeem(token) {
      try {
        const answer = await fetch(`${url}/turnstile/v0/siteverify`, {
          method: "POST",
          body: new URLSearchParams({ secret: secretKey, response: token }),
          redirect: "error",
          signal: AbortSignal.timeout(deadlineMs),
        });
        return answerSchema.parse(await answer.json()).success;
      } catch {
        awayUntil = nowMs() + awayMs;
        return false;
      }
    },
  };
}
