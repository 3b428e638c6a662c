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

/** Reason phrases of HTTP, which are English in every language. */
const phrases: Partial<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  301: "Moved Permanently",
  302: "Found",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  410: "Gone",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

/** The whole answer: `500 Internal Server Error`, or `Connection refused`. */
export function answerWords(answer: Answer): string {
  const words = errorWords(answer);
  const phrase = phrases[answer.status_code ?? 0];
  if (phrase !== undefined) return `${words} ${phrase}`;
  return words.charAt(0).toLocaleUpperCase() + words.slice(1);
}

/** Kinds of failed answers. Each has its own fix in the texts of the app. */
type FixKind =
  | "auth"
  | "not_found"
  | "redirect"
  | "gone"
  | "too_many"
  | "rejected"
  | "server"
  | "timeout"
  | "unreachable"
  | "dns"
  | "tls"
  | "blocked"
  | "invalid";

const statusKinds: Partial<Record<number, FixKind>> = {
  401: "auth",
  403: "auth",
  404: "not_found",
  405: "not_found",
  410: "gone",
  429: "too_many",
};

const classKinds: Partial<Record<string, FixKind>> = {
  timeout: "timeout",
  dns_error: "dns",
  tls_error: "tls",
  blocked_destination: "blocked",
  invalid_response: "invalid",
};

/** The kind of fix that a failed answer asks for. */
export function fixOf({ status_code: status, error_class: errorClass }: Answer): FixKind {
  if (status === null) return classKinds[errorClass ?? ""] ?? "unreachable";
  if (status >= 500) return "server";
  if (status < 400) return "redirect";
  return statusKinds[status] ?? "rejected";
}
