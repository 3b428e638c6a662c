import i18next from "i18next";
import { ApiError, type FieldIssue } from "./api.ts";

/** What happened and what to do next, in the person's language; the API's own words where we have none. */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return i18next.t("error.internal_error");
  const issues = fieldIssues(error);
  if (issues.length > 0) return issues.map(({ message }) => message).join(" ");
  return errorCodeText(error, error.retryAfterSeconds ?? 5);
}

/** What an error code means; its own words where we have none. `seconds`: until another try is of use. */
export function errorCodeText(
  { code, message }: { code: string; message: string },
  seconds = 5,
): string {
  const key = `error.${code}`;
  return i18next.exists(key) ? String(i18next.t(key as "error.network", { seconds })) : message;
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
