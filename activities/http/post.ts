import { setImmediate } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { attemptTimeoutMs as contractTimeoutMs } from "../../core/model/workflow/delivery.ts";
import {
  parseTarget,
  resolveTarget,
  type TargetPolicy,
  type TargetResolver,
} from "../../core/target-guard.ts";
import { hostsFileOf } from "../../core/target-policy.ts";
import { createTargetResolver } from "../../core/target-resolver.ts";
import {
  AttemptError,
  classifyError,
  createExcerpt,
  type ErrorClass,
  isOwnFault,
  parseRetryAfter,
} from "./answer.ts";
import { type Connection, type Dial, dialTcp, openConnection } from "./connection.ts";
import { createIdleConnections } from "./idle.ts";

export type { ErrorClass } from "./answer.ts";

/** One POST. Exactly these headers are sent, besides `host`, `connection` and `content-length`. */
export interface PostRequest {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** Result of one POST. */
export interface PostResult {
  /** True if a 2xx status arrived in time. */
  ok: boolean;
  statusCode: number | null;
  /** Null exactly when `ok`. */
  errorClass: ErrorClass | null;
  /**
   * Time from the start of the look-up to the answer's head or to the failure, in whole
   * milliseconds.
   */
  durationMs: number;
  /** The peer's address; null without a checked connection, TLS included. */
  ip: string | null;
  /** Names in lower case, repeated headers joined by a comma; at most 16 KiB in all. */
  responseHeaders: Record<string, string>;
  /** The first 2 KiB of the raw answer, never decompressed. */
  responseExcerpt: string;
  /** The wait of `Retry-After`, without a limit; null without a readable header. */
  retryAfterMs: number | null;
}

/** Sends webhooks with checked targets. */
export interface Poster {
  /** Never throws for errors of the receiver, DNS or the network. Throws for errors of our own. */
  post(this: void, request: PostRequest): Promise<PostResult>;
  /** Waits for the posts in flight, then closes every socket. */
  close(this: void): Promise<void>;
}

/** Options of a poster; only the policy has no default. */
export interface PosterOptions {
  policy: TargetPolicy;
  resolver?: TargetResolver;
  /** DNS servers of the default resolver. Default: the system's servers. */
  dnsServers?: readonly string[] | null;
  /** Limit from the start of the look-up to the answer's head. */
  attemptTimeoutMs?: number;
  /** PEM certificates trusted instead of Node's list. */
  ca?: string;
  dial?: Dial;
}

interface Head {
  statusCode: number;
  headers: Record<string, string>;
  at: number;
}

/** `sent` false: no byte was written, so another connection may be tried. */
type Exchange = { head: Head; excerpt: string } | { error: unknown; sent: boolean };

/** Characters of the headers that are stored. */
const maxStoredHeaders = 16 * 1_024;
const maxBodyBytes = 64 * 1_024;
const maxBodyMs = 1_000;

/**
 * Creates the only sender of webhooks. Each post checks its target three times: the URL, every DNS
 * answer, the connected peer (rule C59). No proxy, no redirect, no decompression, no second
 * request.
 */
export function createPoster(options: PosterOptions): Poster {
  const { policy, dnsServers: servers = null } = options;
  const hostsFile = hostsFileOf(policy);
  const resolver =
    options.resolver ?? createTargetResolver({ servers, timeoutMs: 2_500, hostsFile });
  const { ca = null, dial = dialTcp, attemptTimeoutMs = contractTimeoutMs } = options;
  const idle = createIdleConnections();
  const underWay = new Set<Promise<PostResult>>();
  let closed = false;

  async function open(url: URL, signal: AbortSignal): Promise<Connection> {
    const addresses = await resolveTarget(url, policy, resolver, signal);
    return openConnection(url, addresses, { policy, dial, ca }, signal);
  }

  async function attempt(request: PostRequest): Promise<PostResult> {
    const startedAt = performance.now();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new AttemptError("timeout")), attemptTimeoutMs);
    let ip: string | null = null;
    let sent = false;
    try {
      const url = parseTarget(request.url, policy);
      const send = (connection: Connection): Promise<Exchange> => {
        ip = connection.ip;
        return exchange(connection, url, request, deadline.signal, idle.put);
      };
      const pooled = idle.take(url.origin);
      // Receivers close idle sockets at any time. One turn of the event loop reveals a close that
      // the kernel already knows. It is no failure while nothing was written.
      if (pooled !== null) await setImmediate();
      let result = pooled === null ? null : await send(pooled);
      if (result === null || ("error" in result && !result.sent && !deadline.signal.aborted)) {
        ip = null;
        result = await send(await open(url, deadline.signal));
      }
      if ("head" in result) return presentAnswer(result.head, result.excerpt, startedAt, ip);
      sent = result.sent;
      throw result.error;
    } catch (error) {
      if (!sent && isOwnFault(error)) throw error;
      return presentFailure(classifyError(error), startedAt, ip);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    post(request) {
      if (closed) return Promise.reject(new Error("The poster is closed."));
      const post = attempt(request);
      underWay.add(post);
      const forget = (): void => void underWay.delete(post);
      post.then(forget, forget);
      return post;
    },
    async close() {
      closed = true;
      await Promise.allSettled(underWay);
      idle.destroyAll();
      if (options.resolver === undefined) resolver.cancel();
    },
  };
}

/**
 * Sends the request on a connection. Passes the connection to `keep` if its answer was read to the
 * end.
 */
function exchange(
  connection: Connection,
  url: URL,
  request: PostRequest,
  deadline: AbortSignal,
  keep: (connection: Connection) => void,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const excerpt = createExcerpt();
    let head: Head | null = null;
    let sent = false;
    let settled = false;
    let bodyTimer: NodeJS.Timeout | undefined;
    const settle = (error: unknown, readToEnd: boolean): void => {
      if (settled) return;
      settled = true;
      clearTimeout(bodyTimer);
      deadline.removeEventListener("abort", onDeadline);
      resolve(head === null ? { error, sent } : { head, excerpt: excerpt.text() });
      // Kept a moment later, because undici closes some sockets after it has reported the end.
      if (readToEnd) queueMicrotask(() => keep(connection));
      else connection.destroy();
    };
    const onDeadline = (): void => settle(deadline.reason, false);
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {
        sent = true;
        connection.expectAnswer();
      },
      onResponseStart(_controller, statusCode, headers) {
        head = { statusCode, headers: flattenHeaders(headers), at: performance.now() };
        deadline.removeEventListener("abort", onDeadline);
        bodyTimer = setTimeout(settle, maxBodyMs, null, false);
      },
      onResponseData(_controller, chunk) {
        if (excerpt.add(chunk) > maxBodyBytes) settle(null, false);
      },
      onResponseEnd: () => settle(null, true),
      onResponseError: (_controller, error) => settle(error, false),
    };
    // In a process that was blocked, the deadline may have passed already, and no event would
    // follow.
    if (deadline.aborted) return onDeadline();
    deadline.addEventListener("abort", onDeadline, { once: true });
    const { headers, body } = request;
    const path = url.pathname + url.search;
    connection.client.dispatch({ method: "POST", path, headers, body }, handler);
  });
}

/** Leaves out headers that no longer fit, so that a small one behind a large one stays. */
function flattenHeaders(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string> {
  let free = maxStoredHeaders;
  const flat = Object.entries(headers).map(
    ([name, value]) => [name, [value ?? ""].flat().join(", ")] as const,
  );
  const stored = flat.filter(([name, text]) => {
    const length = name.length + text.length;
    if (length > free) return false;
    free -= length;
    return true;
  });
  return Object.fromEntries(stored);
}

function presentAnswer(
  head: Head,
  responseExcerpt: string,
  startedAt: number,
  ip: string | null,
): PostResult {
  const ok = head.statusCode >= 200 && head.statusCode < 300;
  return {
    ok,
    statusCode: head.statusCode,
    errorClass: ok ? null : "http_status",
    durationMs: Math.round(head.at - startedAt),
    ip,
    responseHeaders: head.headers,
    responseExcerpt,
    retryAfterMs: parseRetryAfter(head.headers["retry-after"], Date.now()),
  };
}

function presentFailure(errorClass: ErrorClass, startedAt: number, ip: string | null): PostResult {
  return {
    ok: false,
    statusCode: null,
    errorClass,
    durationMs: Math.round(performance.now() - startedAt),
    ip,
    responseHeaders: {},
    responseExcerpt: "",
    retryAfterMs: null,
  };
}
