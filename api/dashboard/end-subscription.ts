import {
  CalendlyAway,
  CalendlyRefused,
  CalendlyTokenInvalid,
  callsOf,
} from "../../activities/calendars/calendly-calls.ts";
import type { Principal } from "../../core/model/principal.ts";
import { findOpenCalendly } from "../../core/services/calendars/calendly-accounts.ts";
import { snapshot } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";

/**
 * Ends the webhooks of a connection with Calendly, as far as Calendly answers. The connection ends
 * in any case, and webhooks of an ended connection are refused.
 */
export async function endSubscription(id: number, actor: Principal, deps: Deps): Promise<void> {
  const { dataSource, secretBox, calendarCalls, calendly } = deps;
  const open = await snapshot(dataSource, { actor }, (tx) => findOpenCalendly(tx, secretBox, id));
  const subscriptionId = open?.account.subscriptionId ?? null;
  if (open === null || subscriptionId === null) return;
  const calls = callsOf(calendly, open.credentials.token);
  try {
    await calendarCalls.run(String(actor.accountId), () => calls.unsubscribe(subscriptionId));
  } catch (error) {
    const isTheirs =
      error instanceof CalendlyAway ||
      error instanceof CalendlyRefused ||
      error instanceof CalendlyTokenInvalid;
    if (!isTheirs) throw error;
  }
}
