import { useTranslation } from "react-i18next";
import { codeText } from "../../lib/code-text.ts";
import { clockDuration } from "../../lib/time.ts";
import type { InboundCall } from "./api.ts";

/** Header names in the spelling of the documentation. */
const headerNames = {
  "x-service-signature": "X-Service-Signature",
  "webhook-signature": "webhook-signature",
  "webhook-id": "webhook-id",
  "webhook-timestamp": "webhook-timestamp",
} as const;

/** Outcome of a call, or the reason of its refusal, in a sentence. */
export function useRefusalText(call: InboundCall): string {
  const { t } = useTranslation();
  const { signature, replayed, result, verdict, calls, error_code: code } = call;
  if (signature !== null) {
    const { fault, header, clock_off_seconds: off } = signature;
    const values = { header: headerNames[header], time: clockDuration(Math.abs(off ?? 0) * 1_000) };
    if (fault === "stale") return t(`inbound.fault.${(off ?? 0) < 0 ? "stale" : "early"}`, values);
    if (fault !== "wrong_key") return t(`inbound.fault.${fault}`, values);
    const own = header === "x-service-signature";
    return t(`inbound.fault.${own ? "wrong_key" : "wrong_key_strict"}`, values);
  }
  if (verdict === "limited") return t("inbound.limited", { count: calls });
  if (code !== null) return codeText("inbound_refusal", code);
  if (replayed) return t("inbound.was_repeated");
  return result === null ? "" : t(`inbound.result.${result}`);
}
