import { useTranslation } from "react-i18next";
import type { Connection } from "./api.ts";

/** Actions against a trouble. */
export type Remedy = "connect" | "api" | "choose";

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
    | "testing_expired"
    | "missing_scopes"
    | "api_disabled"
    | "quota"
    | "forbidden"
    | "not_found"
    | "unreachable"
    | "token_invalid";
}

/** Troubles by the error code of a connection. */
const known: Record<string, KnownTrouble> = {
  grant_revoked: { words: "grant_revoked", tone: "bad", remedy: "connect" },
  testing_expired: { words: "testing_expired", tone: "bad", remedy: "connect" },
  missing_scopes: { words: "missing_scopes", tone: "bad", remedy: "connect" },
  api_disabled: { words: "api_disabled", tone: "bad", remedy: "api" },
  quota: { words: "quota", tone: "warn", remedy: null },
  forbidden: { words: "forbidden", tone: "bad", remedy: "choose" },
  not_found: { words: "not_found", tone: "bad", remedy: "choose" },
  token_invalid: { words: "token_invalid", tone: "bad", remedy: "connect" },
  unreachable: { words: "unreachable", tone: "warn", remedy: null },
};

/** The trouble of a connection; null where it needs nobody. */
export function useTrouble({ state, error_code: code }: Connection): Trouble | null {
  const { t } = useTranslation();
  const found = code === null ? undefined : known[code];
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
