import { signCalendly, webhookBody } from "./calendly-wire.ts";
import type {
  CalendlyGuest,
  CalendlyHook,
  CalendlyWaiting,
  CalendlyWorld,
} from "./calendly-world.ts";

/** Ways to send webhooks that were held. */
export interface CalendlyRelease {
  /** Times that each is sent, byte for byte. */
  copies?: number | undefined;
  reversed?: boolean | undefined;
  /** Age of the signature, in seconds. */
  agoSeconds?: number | undefined;
  /** Signs with another key. */
  forged?: boolean | undefined;
  /** Changes the body after it was signed. */
  altered?: boolean | undefined;
}

/** Posts a webhook to each active subscription that selects it, or keeps it while they are held. */
export async function postHooks(
  world: CalendlyWorld,
  kind: string,
  guest: CalendlyGuest,
): Promise<void> {
  const booking = world.bookings.get(guest.eventId);
  const body = webhookBody(world, kind, guest);
  for (const hook of world.hooks.values()) {
    if (hook.state === "disabled" || !hook.events.includes(kind)) continue;
    const isOthers = hook.scope === "user" && booking?.hostIds.includes(hook.userId ?? "") !== true;
    if (isOthers) continue;
    if (world.isHeld) world.waiting.push({ kind, hook, body });
    else await post(world, { kind, hook, body }, {});
  }
}

/** Sends what was held. Further webhooks are sent at once. @returns the number of posts */
export async function releaseHooks(
  world: CalendlyWorld,
  how: CalendlyRelease = {},
): Promise<number> {
  world.isHeld = false;
  const waiting = world.waiting.splice(0);
  if (how.reversed === true) waiting.reverse();
  let posts = 0;
  for (const one of waiting) {
    for (let copy = 0; copy < (how.copies ?? 1); copy += 1) {
      await post(world, one, how);
      posts += 1;
    }
  }
  return posts;
}

async function post(
  world: CalendlyWorld,
  { kind, hook, body }: CalendlyWaiting,
  { agoSeconds = 0, forged = false, altered = false }: CalendlyRelease,
): Promise<void> {
  const signedAt = new Date(Date.now() - agoSeconds * 1_000);
  const signature = signCalendly(forged ? "another key" : hook.signingKey, body, signedAt);
  const sent = altered ? body.replace('"invitee.', '"invitee. ') : body;
  const status = await send(addressOf(world, hook), sent, signature);
  world.posts.push({ kind, url: hook.url, body: sent, signature, status });
}

/** Subscriptions need https, which a server on this machine does not speak. */
function addressOf({ route }: CalendlyWorld, { url }: CalendlyHook): string {
  return route === null ? url : `${route}${new URL(url).pathname}`;
}

/** @returns the status, or null where no answer came */
async function send(url: string, body: string, signature: string): Promise<number | null> {
  try {
    const answer = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/json", "calendly-webhook-signature": signature },
      body,
      signal: AbortSignal.timeout(10_000),
    });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return null;
  }
}
