import { createHmac } from "node:crypto";
import { Pool, type Dispatcher } from "undici";
import { parseJson } from "../../core/model/parse-json.ts";
import { encodeForm, type MultipartForm } from "./multipart.ts";

/** Where the Graph API is, and its version, such as `v26.0`. URLs have no slash at their end. */
export interface GraphOptions {
  graphUrl: string;
  instagramUrl: string;
  version: string;
  /** Limit of a call that names none, in milliseconds (20 s). */
  timeoutMs?: number;
}

/** One call of the Graph API. */
export interface GraphCall {
  base: "graph" | "instagram";
  method: "GET" | "POST" | "DELETE";
  /** Path without the version, such as `/106/messages`. */
  path: string;
  token: string;
  /** Adds `appsecret_proof`; null: Meta asks for none. */
  appSecret: string | null;
  query?: Record<string, string>;
  body?: object;
  /** A form with a file, in place of `body`. */
  form?: MultipartForm;
  timeoutMs?: number;
  /** By `performance.now()`. A call that has not begun by then never begins, and `sent` is false. */
  beginBy?: number;
}

/**
 * Course of a call. `body` is the parsed JSON, or undefined for other bytes and for more than 2 MiB.
 * `sent` is false only if no byte of the request was written.
 */
export type GraphExchange =
  | { answered: true; statusCode: number; body: unknown }
  | { answered: false; sent: boolean };

/** Calls the Graph API. Nothing is repeated, and no redirect is followed. */
export interface Graph {
  /** Never throws for errors of the network or of Meta. */
  call(this: void, call: GraphCall): Promise<GraphExchange>;
  /** Waits for calls under way, then closes every connection. */
  close(this: void): Promise<void>;
}

const defaultTimeoutMs = 20_000;
const maxAnswerBytes = 2 * 1_024 * 1_024;
/**
 * Concurrent calls to a host. Further ones wait, and the wait counts as time of the call. A message
 * that waits here could leave after a pause, so there are more connections than calls. A worker has 200
 * hand-overs of its relay, and 128, 164 and 128 activities of conversations, agents and ops: 620. The
 * rest is for its loops.
 */
const maxConnections = 768;
/** Idle connections are closed well before Meta closes them, since a send must not meet the close. */
const keepAliveMs = 4_000;

/**
 * Creates a client of the Graph API. The hosts come from the operator's settings, so the guard of
 * targets is not asked. URLs hold a proof of the app's secret, and must not be logged.
 */
export function createGraph(options: GraphOptions): Graph {
  const hosts = { graph: openHost(options.graphUrl), instagram: openHost(options.instagramUrl) };
  const { version, timeoutMs = defaultTimeoutMs } = options;
  return {
    async call(call) {
      const { pool, prefix } = hosts[call.base];
      const query = new URLSearchParams(call.query);
      if (call.appSecret !== null) {
        query.set("appsecret_proof", appSecretProof(call.appSecret, call.token));
      }
      const search = query.size === 0 ? "" : `?${query.toString()}`;
      const form = call.form === undefined ? null : encodeForm(call.form);
      const json = call.body === undefined ? null : JSON.stringify(call.body);
      const request = {
        method: call.method,
        path: `${prefix}/${version}${call.path}${search}`,
        headers: {
          authorization: `Bearer ${call.token}`,
          accept: "application/json",
          "accept-encoding": "identity",
          ...(json !== null && { "content-type": "application/json" }),
          ...form?.headers,
        },
        body: form?.body ?? json,
      } as const;
      return await exchange(pool, request, {
        timeoutMs: call.timeoutMs ?? timeoutMs,
        beginBy: call.beginBy ?? Infinity,
      });
    },
    async close() {
      await Promise.all([hosts.graph.pool.close(), hosts.instagram.pool.close()]);
    },
  };
}

/** Proof that the caller has the secret of the app, in lowercase hex. */
export function appSecretProof(appSecret: string, token: string): string {
  return createHmac("sha256", appSecret).update(token, "utf8").digest("hex");
}

function openHost(base: string): { pool: Pool; prefix: string } {
  const { origin, pathname } = new URL(base);
  const pool = new Pool(origin, {
    connections: maxConnections,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    // undici's timers are coarse and measure idle time only, so each call has its own.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { pool, prefix: pathname.replace(/\/+$/u, "") };
}

/** Makes one request and reads its answer, both within the limit. */
function exchange(
  pool: Pool,
  request: Dispatcher.DispatchOptions,
  { timeoutMs, beginBy }: Required<Pick<GraphCall, "timeoutMs" | "beginBy">>,
): Promise<GraphExchange> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let sent = false;
    let statusCode: number | null = null;
    let abort: ((reason: Error) => void) | null = null;
    let settled = false;
    const settle = (result: GraphExchange): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      resolve(result);
    };
    const stop = (result: GraphExchange): void => {
      settle(result);
      abort?.(new Error("The call is over."));
    };
    const timer = setTimeout(() => stop({ answered: false, sent }), timeoutMs);
    pool.dispatch(request, {
      onRequestStart(controller) {
        // A call whose time passed in the queue, or while it got its connection, is not begun.
        if (performance.now() > beginBy) settle({ answered: false, sent });
        if (settled) return controller.abort(new Error("The call is over."));
        sent = true;
        abort = (reason) => controller.abort(reason);
      },
      onResponseStart(_controller, status) {
        // Interim answers come first, and the last one counts.
        statusCode = status;
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > maxAnswerBytes) {
          stop({ answered: true, statusCode: statusCode ?? 0, body: undefined });
        }
      },
      onResponseEnd() {
        const body = parseJson(Buffer.concat(chunks).toString("utf8"));
        settle({ answered: true, statusCode: statusCode ?? 0, body });
      },
      onResponseError: () => settle({ answered: false, sent }),
    });
  });
}
