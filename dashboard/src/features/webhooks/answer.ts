import { errorClassText } from "../../lib/error-text.ts";

/** Answer of a receiver: a status, or the error class where no status arrived. */
export interface Answer {
  status_code: number | null;
  error_class: string | null;
}

/** @returns true for a status of 200 to 299. Rule C48. */
export function isSuccess({ status_code: status }: Answer): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Words of a failed answer: `500`, or `connection refused`. */
export function errorWords({ status_code, error_class }: Answer): string {
  return String(status_code ?? (error_class === null ? "" : errorClassText(error_class)));
}
