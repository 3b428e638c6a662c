import type Router from "@koa/router";
import { AppError, ConsentError } from "../../core/errors.ts";
import type { ConsentOutcome } from "../../core/model/google-consent.ts";
import { saveConnection, takeAccount } from "../../core/services/calendars/connections.ts";
import { resumeLinks } from "../../core/services/calendars/google-links.ts";
import { transaction } from "../../db/transaction.ts";
import { googleRedirectUri } from "../dashboard/google-calls.ts";
import type { Deps } from "../deps.ts";
import { mountConsentCallback, type ReturnedConsent } from "./consent-callback.ts";

/** Serves the address to which Google sends an admin back. */
export function mountGoogleCallback(deps: Deps, router: Router): void {
  mountConsentCallback(deps, router, "google", finishConsent);
}

async function finishConsent(
  { dataSource, secretBox, config, googleAccounts, calendarCalls }: Deps,
  { query, state, verifier, connection, actor, options }: ReturnedConsent,
): Promise<ConsentOutcome> {
  const redirectUri = googleRedirectUri(config.publicUrl);
  try {
    const grant = await calendarCalls.run(String(actor.accountId), () =>
      googleAccounts.takeGrant(query, { state, verifier, redirectUri }),
    );
    return await transaction(dataSource, options, async (tx) => {
      const { subject: externalId, email, refreshToken, scopes } = grant;
      const isSame = connection === null || (await takeAccount(tx, connection.id, externalId));
      if (!isSame) return "other_account";
      const credentials = { refresh_token: refreshToken };
      const given = { provider: "google", externalId, email, name: "", credentials } as const;
      await resumeLinks(tx, await saveConnection(tx, secretBox, { ...given, scopes }));
      return "connected";
    });
  } catch (error) {
    if (error instanceof ConsentError) return error.outcome;
    if (error instanceof AppError && error.code === "rate_limited") return "failed";
    throw error;
  }
}
