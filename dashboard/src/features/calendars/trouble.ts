import { useTranslation } from "react-i18next";
import type { Connection } from "./api.ts";

/** Actions against a trouble. */
export type Remedy = "connect" | "api";

/** A trouble of a connection, in words, with its remedy. */
export interface Trouble {
  title: string;
  text: string;
  /** `warn`: we try again by ourselves. */
  tone: "warn" | "bad";
  /** Null where time mends it. */
  remedy: Remedy | null;
}

interface KnownTrouble extends Pick<Trouble, "tone" | "remedy"> {
  words:
    | "grant_revoked"
    | "calendly_revoked"
    | "testing_expired"
    | "api_disabled"
    | "quota"
    | "unreachable"
    | "token_invalid";
}

/** Troubles by the error code of a connection. */
const known: Record<string, KnownTrouble> = {
  grant_revoked: { words: "grant_revoked", tone: "bad", remedy: "connect" },
  testing_expired: { words: "testing_expired", tone: "bad", remedy: "connect" },
  api_disabled: { words: "api_disabled", tone: "bad", remedy: "api" },
  quota: { words: "quota", tone: "warn", remedy: null },
  token_invalid: { words: "token_invalid", tone: "bad", remedy: "connect" },
  unreachable: { words: "unreachable", tone: "warn", remedy: null },
};

/** Calendly ends a grant too, in words of its own. */
const calendlyRevoked: KnownTrouble = {
  words: "calendly_revoked",
  tone: "bad",
  remedy: "connect",
};

/** A known trouble by its code. Codes of single calls mean a limit, or a call without an answer. */
function findTrouble(code: string, provider: Connection["provider"]): KnownTrouble | undefined {
  if (code === "grant_revoked" && provider === "calendly") return calendlyRevoked;
  if (/^http_(403|429)$/u.test(code)) return known["quota"];
  const isUnanswered = /^(timeout|unreadable|http_5\d\d|token_(timeout|unreachable|unreadable))$/u;
  return known[isUnanswered.test(code) ? "unreachable" : code];
}

/** The trouble of a connection; null where it needs nobody. */
export function useTrouble({ state, provider, error_code: code }: Connection): Trouble | null {
  const { t } = useTranslation();
  const found = code === null ? undefined : findTrouble(code, provider);
  if (found !== undefined) {
    const { words, tone, remedy } = found;
    const title = t(`calendars.trouble.${words}.title`);
    return { title, text: t(`calendars.trouble.${words}.text`), tone, remedy };
  }
  if (state === "disconnected") {
    const words = {
      title: t("calendars.trouble.disconnected.title"),
      text: t("calendars.trouble.disconnected.text"),
    };
    return { ...words, tone: "warn", remedy: "connect" };
  }
  if (code === null) return null;
  const text = t("calendars.trouble.other.text", { code: code.replaceAll("_", " ") });
  return { title: t("calendars.trouble.other.title"), text, tone: "warn", remedy: null };
}
