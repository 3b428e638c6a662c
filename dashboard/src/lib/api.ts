import type { z } from "zod";
import type { logMeta, pageMeta } from "../../../core/model/page.ts";
import type {
  AnswerData,
  AnswerMeta,
  BodySchema,
  QuerySchema,
  RouteName,
} from "../../../core/model/routes/types.ts";

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
export type ListMeta = z.output<typeof pageMeta>;

/** `meta` of a log. A log is paged by the id of a row, not by an offset. */
export type LogMeta = z.output<typeof logMeta>;

/** One page of a list. */
export interface Listed<Row, Meta = ListMeta> {
  data: Row[];
  meta: Meta;
}

/** Answer of a route: its `data`, or the page of a list. */
export type AnswerOf<Name extends RouteName> =
  AnswerMeta<Name> extends undefined
    ? AnswerData<Name>
    : { data: AnswerData<Name>; meta: AnswerMeta<Name> };

/** Body of a route, as callers send it. */
export type BodyOf<Name extends RouteName> = z.input<BodySchema<Name>>;

/** Query of a route, as callers send it. */
export type QueryOf<Name extends RouteName> = z.input<QuerySchema<Name>>;

/** Parts of a request. `id` stands for `:id` in the path, and `macroId` for `:macroId`. */
type CallInput<Name extends RouteName> = IdPart<Name> &
  SecondIdPart<Name> &
  Part<"query", QueryOf<Name>> &
  Part<"body", BodyOf<Name>>;
type IdPart<Name> = Name extends `${string}/:id${string}` ? { id: number } : unknown;
type SecondIdPart<Name> = Name extends `${string}/:macroId${string}`
  ? { macroId: number }
  : Name extends `${string}/:contactId${string}`
    ? { contactId: number }
    : unknown;
/** A part is optional where all its fields are. */
type Part<Key extends string, Value> = [Value] extends [undefined]
  ? unknown
  : Record<string, never> extends Value
    ? { [Name in Key]?: Value }
    : { [Name in Key]: Value };
type CallArguments<Name extends RouteName> =
  unknown extends CallInput<Name>
    ? []
    : Record<string, never> extends CallInput<Name>
      ? [input?: CallInput<Name>]
      : [input: CallInput<Name>];

/** @returns true where the requested row no longer exists: erased, merged or deleted. */
export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.code.endsWith("_not_found");
}

let onSessionEnd = (): void => undefined;

/** Registers the function that runs when the API answers that the session has ended. */
export function whenSessionEnds(listener: () => void): void {
  onSessionEnd = listener;
}

/**
 * One call of the Dashboard's JSON API, by the name of its route. The shapes of the route check the
 * call when the app is compiled. The answer is not parsed again: the app is built and served
 * together with the API.
 * @returns the `data` of the answer; `data` and `meta` of a list.
 * @throws ApiError
 */
export async function callApi<Name extends RouteName>(
  name: Name,
  ...[input]: CallArguments<Name>
): Promise<AnswerOf<Name>> {
  const { query, body, ...ids }: LooseInput = input ?? {};
  const [method, path = ""] = name.split(" ");
  const filled = path.replaceAll(/:(\w+)/g, (_, name: keyof typeof ids) => String(ids[name]));
  const url = `/dashboard/api${filled}${queryString(query ?? {})}`;
  const response = await fetch(url, {
    method,
    signal: AbortSignal.timeout(timeoutMs),
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: jsonHeaders }),
  }).catch(() => null);
  if (response === null) throw noAnswer();
  const json = (await response.json().catch(() => null)) as Envelope | null;
  if (json?.success === true) return answerIn(json) as AnswerOf<Name>;
  // The connection broke before the whole answer arrived.
  if (json === null && response.ok) throw noAnswer();
  const error = refusalOf(response, json);
  if (error.code === "session_required") onSessionEnd();
  throw error;
}

/** Rows per call, the maximum of the API. */
const limit = 100;

/**
 * All rows of a list, in as many calls as they need. A row that moves to a later page between two
 * calls comes once.
 */
export async function readAll<Row extends { id: number }>(
  read: (page: { limit: number; offset: number }) => Promise<Listed<Row>>,
): Promise<Listed<Row>> {
  const { data, meta } = await read({ limit, offset: 0 });
  for (let offset = limit; offset < meta.total; offset += limit) {
    data.push(...(await read({ limit, offset })).data);
  }
  return { data: [...new Map(data.map((row) => [row.id, row])).values()], meta };
}

function answerIn({ data, meta }: SuccessEnvelope): unknown {
  return meta === undefined ? data : { data, meta };
}

/**
 * Query string with a question mark, without undefined and empty values. Empty where no value is
 * left.
 */
export function queryString(query: QueryValues): string {
  const set = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  return set.length === 0 ? "" : `?${new URLSearchParams(set).toString()}`;
}

type QueryValues = Record<string, string | number | undefined>;

/** Timeout of a call. The API answers within seconds, so a longer wait means a lost answer. */
const timeoutMs = 30_000;

const jsonHeaders = { "Content-Type": "application/json" };

/** The input of any call, after its types were checked. */
interface LooseInput {
  id?: number;
  macroId?: number;
  contactId?: number;
  query?: QueryValues;
  body?: unknown;
}

type Envelope = SuccessEnvelope | ErrorEnvelope;
interface SuccessEnvelope {
  success: true;
  data: unknown;
  meta?: unknown;
}
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
