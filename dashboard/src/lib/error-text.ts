import i18next from "i18next";
import { humanReply } from "../../../core/model/conversation.ts";
import { ApiError, type FieldIssue } from "./api.ts";

/**
 * Error text in the person's language, with the next step. The API's own message where we have no
 * text.
 */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return i18next.t("error.internal_error");
  const issues = fieldIssues(error);
  if (issues.length > 0) return issues.map(({ message }) => message).join(" ");
  return errorCodeText(withReason(error), error.retryAfterSeconds ?? 5);
}

/** Adds the reason in `details` to the code, where we have a text for the two together. */
function withReason({ code, message, details }: ApiError): { code: string; message: string } {
  const reason = (details as { reason?: unknown } | null | undefined)?.reason;
  const named = `${code}_${String(reason)}`;
  return { code: i18next.exists(`error.${named}`) ? named : code, message };
}

/**
 * Text of an error code. Codes `<noun>_not_found` without an own text share one. Any other unknown
 * code reads as its own message. `seconds`: time until a retry makes sense.
 */
export function errorCodeText(
  { code, message }: { code: string; message: string },
  seconds = 5,
): string {
  const own = `error.${code}`;
  const key = code.endsWith("_not_found") && !i18next.exists(own) ? "error.not_found" : own;
  return i18next.exists(key) ? String(i18next.t(key as "error.network", { seconds })) : message;
}

/**
 * Reason why an attempt got no answer, in the person's language. An unknown class is shown itself,
 * in words.
 */
export function errorClassText(errorClass: string): string {
  const key = `error_class.${errorClass}`;
  return i18next.exists(key)
    ? String(i18next.t(key as "error_class.timeout"))
    : errorClass.replaceAll("_", " ");
}

/** Reason why the AI agent was paused. The API's own code for a person's reply is translated. */
export function reasonText(reason: string): string {
  return reason === humanReply ? i18next.t("happened.human_reply") : reason;
}

/** Error message per field, in the shape that Mantine's forms take. */
export function fieldErrors(error: unknown): Record<string, string> {
  const pairs = fieldIssues(error).map(({ path, message }) => [
    path.replace(/^body\./, ""),
    message,
  ]);
  return Object.fromEntries(pairs) as Record<string, string>;
}

function fieldIssues(error: unknown): FieldIssue[] {
  if (!(error instanceof ApiError) || !Array.isArray(error.details)) return [];
  return (error.details as FieldIssue[]).map((issue) => {
    const key = `invalid.${issue.code}`;
    const message = i18next.exists(key)
      ? String(i18next.t(key as "invalid.invalid_phone"))
      : issue.message;
    return { ...issue, message };
  });
}
