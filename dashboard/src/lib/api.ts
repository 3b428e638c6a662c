/** A refusal of the API, or `network` where no answer came. */
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

/** One thing wrong with the input, as `error.details` of a validation lists them. */
export interface FieldIssue {
  path: string;
  code: string;
  message: string;
}

/** What every list says beside its rows. */
export interface ListMeta {
  total: number;
  /** There are more than `total`. */
  total_at_least?: boolean;
  limit: number;
  offset: number;
}

/** What a log says beside its rows: it goes on from a row, not from a place. */
export interface LogMeta {
  total: number;
  total_at_least: boolean;
  limit: number;
  next_before_id: number | null;
}

/** A page of a list. */
export interface Listed<Row, Meta = ListMeta> {
  data: Row[];
  meta: Meta;
}

/** Whether what was asked for is not there any more: erased, merged, deleted. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.code.endsWith("_not_found");
}

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

let onSessionEnd = (): void => undefined;

/** Says what happens when the API says that nobody is logged in any more. */
export function whenSessionEnds(listener: () => void): void {
  onSessionEnd = listener;
}

/**
 * One call of the Dashboard's JSON API; `path` is below `/dashboard/api`. The answer's shape is the
 * route's own schema: the app is built and served with the API that answers it, so it is not parsed again.
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
  // The answer was cut off on its way.
  if (json === null && response.ok) throw noAnswer();
  const error = refusalOf(response, json);
  if (error.code === "session_required") onSessionEnd();
  throw error;
}

/** The `data` of an answer. @throws ApiError */
export async function callForData<Data>(
  method: Method,
  path: string,
  body?: unknown,
): Promise<Data> {
  return (await callApi<{ data: Data }>(method, path, body)).data;
}

/** A query string of what is set, with its question mark; empty where nothing is. */
export function queryString(query: Record<string, string | number | undefined>): string {
  const set = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  return set.length === 0 ? "" : `?${new URLSearchParams(set).toString()}`;
}

/** The API answers within seconds; whoever waits longer has lost it. */
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
