import i18next from "i18next";
import { humanReply } from "../../../core/model/conversation.ts";
import { ApiError, type FieldIssue } from "./api.ts";

/** What happened and what to do next, in the person's language; the API's own words where we have none. */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return i18next.t("error.internal_error");
  const issues = fieldIssues(error);
  if (issues.length > 0) return issues.map(({ message }) => message).join(" ");
  return errorCodeText(withReason(error), error.retryAfterSeconds ?? 5);
}

/** A refusal whose details name a reason has a text of its own, where we have one for it. */
function withReason({ code, message, details }: ApiError): { code: string; message: string } {
  const reason = (details as { reason?: unknown } | null | undefined)?.reason;
  const named = `${code}_${String(reason)}`;
  return { code: i18next.exists(`error.${named}`) ? named : code, message };
}

/** What an error code means; its own words where we have none. `seconds`: until another try is of use. */
export function errorCodeText(
  { code, message }: { code: string; message: string },
  seconds = 5,
): string {
  const key = `error.${code}`;
  return i18next.exists(key) ? String(i18next.t(key as "error.network", { seconds })) : message;
}

/** Why an attempt brought no answer, in the person's language; the API's own word where we have none. */
export function errorClassText(errorClass: string): string {
  const key = `error_class.${errorClass}`;
  return i18next.exists(key)
    ? String(i18next.t(key as "error_class.timeout"))
    : errorClass.replaceAll("_", " ");
}

/** Why the AI agent was paused; the API's own word for a person's reply is translated. */
export function reasonText(reason: string): string {
  return reason === humanReply ? i18next.t("happened.human_reply") : reason;
}

/** Each field with what is wrong with it, as Mantine's forms take it. */
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
