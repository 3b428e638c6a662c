import { errorClassText } from "../../lib/error-text.ts";

/** What came back: a status, or the class of what went wrong before there was one. */
export interface Answer {
  status_code: number | null;
  error_class: string | null;
}

/** Whether the receiver has taken the event. */
export function isSuccess({ status_code: status }: Answer): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** `500`, or `connection refused`. */
export function errorWords({ status_code, error_class }: Answer): string {
  return String(status_code ?? (error_class === null ? "" : errorClassText(error_class)));
}
