import i18next from "i18next";

/** What a code of the API means to people; a code that we do not know stands for itself, in words. */
export function codeText(
  group: "disabled_reason" | "delivery_reason" | "inbound_refusal" | "appointment_source",
  code: string,
): string {
  const key = `${group}.${code}`;
  if (!i18next.exists(key)) return code.replaceAll("_", " ");
  return String(i18next.t(key as "delivery_reason.erased"));
}
