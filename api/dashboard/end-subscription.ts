import {
  CalendlyAway,
  CalendlyRefused,
  CalendlyTokenInvalid,
  callsOf,
} from "../../activities/calendars/calendly-calls.ts";
import { openFreshCalendly } from "../../activities/calendars/calendly-tokens.ts";
import { calendlyToken } from "../../core/calendars/calendly-credentials.ts";
import type { Principal } from "../../core/model/principal.ts";
import type { OpenCalendly } from "../../core/services/calendars/calendly-accounts.ts";
import type { Deps } from "../deps.ts";

/**
 * Ends the webhooks and the grant of a connection with Calendly, as far as Calendly answers. The
 * connection ends in any case, and webhooks of an ended connection are refused.
 */
export async function endSubscription(id: number, actor: Principal, deps: Deps): Promise<void> {
  try {
    const open = await openFreshCalendly(deps, actor, id);
    if (open === null) return;
    await deps.calendarCalls.run(String(actor.accountId), async () => await end(open, deps));
  } catch (error) {
    const isTheirs =
      error instanceof CalendlyAway ||
      error instanceof CalendlyRefused ||
      error instanceof CalendlyTokenInvalid;
    if (!isTheirs) throw error;
  }
}

async function end({ account, credentials }: OpenCalendly, { calendly }: Deps): Promise<void> {
  const { subscriptionId } = account;
  try {
    const calls = callsOf(calendly, calendlyToken(credentials));
    if (subscriptionId !== null) await calls.unsubscribe(subscriptionId);
  } finally {
    if ("refresh_token" in credentials) await calendly.oauth?.revoke(credentials.refresh_token);
  }
}
