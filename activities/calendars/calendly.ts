import { createHash } from "node:crypto";
import { Pool } from "undici";
import { z } from "zod";
import { parseJson } from "../../core/model/parse-json.ts";
import { readBounded } from "../http/read-bounded.ts";
import { createCalendlyOAuth, type CalendlyApp, type CalendlyOAuth } from "./calendly-oauth.ts";

/** Settings of the operator for Calendly. */
export interface CalendlyOptions {
  /** Origin of the API, without a slash at its end. */
  apiUrl: string;
  /** The OAuth app of this installation. Default: none. */
  app?: CalendlyApp | null;
  /** Limit of a call, in milliseconds (8 s). */
  timeoutMs?: number;
}

/** One call. The path is built from ids; an address of a payload is never called. */
export interface CalendlyCall {
  token: string;
  method: "GET" | "POST" | "DELETE";
  /** Such as `/users/me`. */
  path: string;
  query?: Record<string, string>;
  body?: object;
}

/** Answer to a call. */
export type CalendlyAnswer =
  | { kind: "done"; body: unknown }
  /** Calendly refuses the call, and would refuse it again. */
  | { kind: "refused"; status: number; title: string; message: string }
  /** The token is no longer valid. */
  | { kind: "unauthorized" }
  /** The quota is used up, or Calendly is in trouble. The call may have taken effect. */
  | { kind: "away"; code: string; waitMs: number };

/** Calls Calendly. Nothing is repeated, and no redirect is followed. */
export interface Calendly {
  /** Never throws for errors of the network or of Calendly. */
  call(this: void, call: CalendlyCall): Promise<CalendlyAnswer>;
  /** The OAuth app of this installation; null without one. */
  oauth: CalendlyOAuth | null;
  /** Waits for calls under way, then closes every connection. */
  close(this: void): Promise<void>;
}

const defaultTimeoutMs = 8_000;
const maxAnswerBytes = 4 * 1_024 * 1_024;
const usualWaitMs = 5_000;
const longestWaitMs = 10 * 60_000;
/** Maximum number of tokens whose pause is known. */
const mostTokens = 1_000;

const refusalSchema = z.object({
  title: z.string().default(""),
  message: z.string().default(""),
});

/** Creates a client. A token whose quota is used up is not used again until its reset. */
export function createCalendly(options: CalendlyOptions): Calendly {
  const { origin, pathname } = new URL(options.apiUrl);
  const prefix = pathname.replace(/\/+$/u, "");
  const pool = new Pool(origin, { connections: 16, keepAliveTimeout: 4_000, headersTimeout: 0 });
  const pausedUntil = new Map<string, number>();
  const oauth = options.app ? createCalendlyOAuth(options.app) : null;

  function pause(key: string, waitMs: number): void {
    pausedUntil.delete(key);
    const [oldest] = pausedUntil.keys();
    if (pausedUntil.size >= mostTokens && oldest !== undefined) pausedUntil.delete(oldest);
    pausedUntil.set(key, performance.now() + waitMs);
  }

  return {
    async call({ token, method, path, query = {}, body }) {
      // The token itself stays out of every long-lived structure.
      const key = createHash("sha256").update(token).digest("base64");
      const leftMs = (pausedUntil.get(key) ?? 0) - performance.now();
      if (leftMs > 0) return { kind: "away", code: "quota", waitMs: Math.ceil(leftMs) };
      const search = new URLSearchParams(query).toString();
      const signal = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs);
      try {
        const answer = await pool.request({
          method,
          path: `${prefix}${path}${search === "" ? "" : `?${search}`}`,
          headers: {
            authorization: `Bearer ${token}`,
            accept: "application/json",
            ...(body === undefined ? {} : { "content-type": "application/json" }),
          },
          body: body === undefined ? null : JSON.stringify(body),
          signal,
        });
        const text = (await readBounded(answer.body, maxAnswerBytes)).toString("utf8");
        const resetMs = readReset(answer.headers);
        if (isUsedUp(answer.statusCode, answer.headers)) pause(key, resetMs);
        return judge(answer.statusCode, text, resetMs);
      } catch {
        const code = signal.aborted ? "timeout" : "unreachable";
        return { kind: "away", code, waitMs: usualWaitMs };
      }
    },
    oauth,
    close: async () => void (await Promise.all([pool.close(), oauth?.close()])),
  };
}

type Headers = Record<string, string | string[] | undefined>;

/** Time until the quota is full again, by `X-RateLimit-Reset` in seconds. */
function readReset(headers: Headers): number {
  const seconds = Number(headers["x-ratelimit-reset"] ?? headers["retry-after"]);
  if (!Number.isFinite(seconds) || seconds <= 0) return usualWaitMs;
  return Math.min(seconds * 1_000, longestWaitMs);
}

function isUsedUp(status: number, headers: Headers): boolean {
  return status === 429 || headers["x-ratelimit-remaining"] === "0";
}

function judge(status: number, text: string, resetMs: number): CalendlyAnswer {
  const body = parseJson(text);
  if (status === 401) return { kind: "unauthorized" };
  if (status === 429) return { kind: "away", code: "quota", waitMs: resetMs };
  if (status === 408 || status >= 500) {
    return { kind: "away", code: `http_${status}`, waitMs: usualWaitMs };
  }
  if (status >= 300) {
    const { title, message } = refusalSchema.catch({ title: "", message: "" }).parse(body);
    return { kind: "refused", status, title, message };
  }
  // A proxy before Calendly answers with pages of its own. That is no answer.
  if (body === undefined && status !== 204) {
    return { kind: "away", code: "unreadable", waitMs: usualWaitMs };
  }
  return { kind: "done", body };
}
