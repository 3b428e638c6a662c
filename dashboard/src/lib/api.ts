/** A refusal of the API. Code `network` means that no answer arrived. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: string;
  readonly details: unknown;
  readonly retryAfterSeconds: number | null;

  constructor({ code, message, details, retryAfterSeconds }: Refusal) {
    super(message);
    this.code = code;
    this.details = details;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

interface Refusal {
  code: string;
  message: string;
  details: unknown;
  retryAfterSeconds: number | null;
}

/** One problem of the input, as `error.details` of a validation error lists them. */
export interface FieldIssue {
  path: string;
  code: string;
  message: string;
}

/** `meta` of a list. */
export interface ListMeta {
  total: number;
  /** True where `total` is a lower bound: more rows exist than were counted. */
  total_at_least?: boolean;
  limit: number;
  offset: number;
}

/** `meta` of a log. A log is paged by the id of a row, not by an offset. */
export interface LogMeta {
  total: number;
  total_at_least: boolean;
  limit: number;
  next_before_id: number | null;
}

/** One page of a list. */
export interface Listed<Row, Meta = ListMeta> {
  data: Row[];
  meta: Meta;
}

/** @returns true where the requested row no longer exists: erased, merged or deleted. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.code.endsWith("_not_found");
}

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

let onSessionEnd = (): void => undefined;

/** Registers the function that runs when the API answers that the session has ended. */
export function whenSessionEnds(listener: () => void): void {
  onSessionEnd = listener;
}

/**
 * One call of the Dashboard's JSON API; `path` is below `/dashboard/api`. The answer is not parsed
 * again: the app is built and served together with the API, whose route schemas define the shape.
 * @throws ApiError
 */
export async function callApi<Answer>(
  method: Method,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(`/dashboard/api${path}`, {
    method,
    signal: AbortSignal.timeout(timeoutMs),
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: jsonHeaders }),
  }).catch(() => null);
  if (response === null) throw noAnswer();
  const json = (await response.json().catch(() => null)) as Envelope<Answer> | null;
  if (json?.success === true) return json;
  // The connection broke before the whole answer arrived.
  if (json === null && response.ok) throw noAnswer();
  const error = refusalOf(response, json);
  if (error.code === "session_required") onSessionEnd();
  throw error;
}

/** Calls the API and returns the `data` of the answer. @throws ApiError */
export async function callForData<Data>(
  method: Method,
  path: string,
  body?: unknown,
): Promise<Data> {
  return (await callApi<{ data: Data }>(method, path, body)).data;
}

/**
 * Query string with a question mark, without undefined and empty values. Empty where no value is
 * left.
 */
export function queryString(query: Record<string, string | number | undefined>): string {
  const set = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  return set.length === 0 ? "" : `?${new URLSearchParams(set).toString()}`;
}

/** Timeout of a call. The API answers within seconds, so a longer wait means a lost answer. */
const timeoutMs = 30_000;

const jsonHeaders = { "Content-Type": "application/json" };

type Envelope<Answer> = ({ success: true } & Answer) | ErrorEnvelope;
interface ErrorEnvelope {
  success: false;
  error: { code: string; message: string; details: unknown };
}

function noAnswer(): ApiError {
  const message = "The server did not answer.";
  return new ApiError({ code: "network", message, details: null, retryAfterSeconds: null });
}

function refusalOf(response: Response, json: ErrorEnvelope | null): ApiError {
  const seconds = Number(response.headers.get("Retry-After"));
  const retryAfterSeconds = Number.isFinite(seconds) && seconds > 0 ? seconds : null;
  const { code, message, details } = json?.error ?? {
    code: response.status >= 500 ? "service_unavailable" : "internal_error",
    message: `The server answered ${response.status}.`,
    details: null,
  };
  return new ApiError({ code, message, details, retryAfterSeconds });
}
