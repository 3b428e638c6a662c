import { callApi } from "../../lib/api.ts";
import { languageOf } from "../../lib/i18n.ts";
import type { Session } from "../../lib/session.ts";

/**
 * Gives a new account the time zone and language of its first admin's browser. An account that was
 * changed once, or made with a time zone, stays the same. @returns the session after the change. A
 * failure changes nothing, because Settings has both fields too.
 */
export async function adoptBrowser(session: Session): Promise<Session> {
  const { account, role } = session;
  const time_zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const locale = languageOf(navigator.language);
  const fits = time_zone === account.time_zone && locale === account.locale;
  if (role !== "admin" || account.time_zone !== "UTC" || fits) return session;
  try {
    const known = await callApi("GET /account");
    if (known.updated_at !== known.created_at) return session;
    await callApi("PATCH /account", { body: { time_zone, locale } });
    return { ...session, account: { ...account, time_zone, locale } };
  } catch {
    return session;
  }
}
