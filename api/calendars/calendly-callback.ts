import type Router from "@koa/router";
import {
  CalendlyAway,
  CalendlyRefused,
  CalendlyTokenInvalid,
} from "../../activities/calendars/calendly-calls.ts";
import type { CalendlyGrant, CalendlyOAuth } from "../../activities/calendars/calendly-oauth.ts";
import { CalendlyScopesMissing } from "../../activities/calendars/calendly-setup.ts";
import { AppError, ConsentError } from "../../core/errors.ts";
import type { ConsentOutcome } from "../../core/model/google-consent.ts";
import { connectCalendly } from "../../core/services/calendars/calendly-accounts.ts";
import { transaction } from "../../db/transaction.ts";
import { calendlyRedirectUri, inspectAccount } from "../dashboard/calendly-calls.ts";
import type { Deps } from "../deps.ts";
import { mountConsentCallback, type ReturnedConsent } from "./consent-callback.ts";

/** Serves the address to which Calendly sends an admin back. */
export function mountCalendlyCallback(deps: Deps, router: Router): void {
  mountConsentCallback(deps, router, "calendly", finishConsent);
}

async function finishConsent(deps: Deps, consent: ReturnedConsent): Promise<ConsentOutcome> {
  const { oauth } = deps.calendly;
  if (oauth === null) return "failed";
  const { query, state, verifier, actor } = consent;
  const redirectUri = calendlyRedirectUri(deps.config.publicUrl);
  try {
    return await deps.calendarCalls.run(String(actor.accountId), async () => {
      const grant = await oauth.takeGrant(query, { state, verifier, redirectUri });
      return await keepGrant(deps, consent, oauth, grant);
    });
  } catch (error) {
    return outcomeOf(error);
  }
}

/** Connects the account of a grant. A grant that is of no use ends at Calendly too. */
async function keepGrant(
  deps: Deps,
  { connection, actor, options }: ReturnedConsent,
  oauth: CalendlyOAuth,
  grant: CalendlyGrant,
): Promise<ConsentOutcome> {
  let isKept = false;
  try {
    const userUri = connection?.externalId ?? null;
    const found = await inspectAccount(deps, actor, { token: grant.accessToken, grant, userUri });
    if (found === null) return "other_account";
    await transaction(deps.dataSource, options, (tx) => connectCalendly(tx, deps.secretBox, found));
    isKept = true;
    return "connected";
  } finally {
    if (!isKept) await oauth.revoke(grant.refreshToken);
  }
}

function outcomeOf(error: unknown): ConsentOutcome {
  if (error instanceof ConsentError) return error.outcome;
  if (error instanceof CalendlyScopesMissing) return "missing_scopes";
  const isTheirs =
    error instanceof CalendlyAway ||
    error instanceof CalendlyRefused ||
    error instanceof CalendlyTokenInvalid;
  if (isTheirs || (error instanceof AppError && error.code === "rate_limited")) return "failed";
  throw error;
}
