import i18next from "i18next";

/** Words for a code of the API. An unknown code is shown itself, with spaces for underscores. */
export function codeText(
  group: "disabled_reason" | "delivery_reason" | "inbound_refusal" | "appointment_source",
  code: string,
): string {
  const key = `${group}.${code}`;
  if (!i18next.exists(key)) return code.replaceAll("_", " ");
  return String(i18next.t(key as "delivery_reason.erased"));
}
