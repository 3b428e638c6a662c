import {
  parseTarget,
  resolveTarget,
  type TargetPolicy,
  type TargetResolver,
} from "../../core/target-guard.ts";
import { hostsFileOf } from "../../core/target-policy.ts";
import { createTargetResolver } from "../../core/target-resolver.ts";
import { type Dial, dialTcp, openConnection } from "./connection.ts";
import { readBounded } from "./read-bounded.ts";

/** Options of guarded requests; only the policy has no default. */
export interface GuardedOptions {
  policy: TargetPolicy;
  resolver?: TargetResolver;
  /** DNS servers of the default resolver; null: the system's. */
  dnsServers?: readonly string[] | null;
  /** PEM certificates trusted instead of Node's list. */
  ca?: string;
  dial?: Dial;
}

/** One request, as HTTP sends it. */
export interface GuardedRequest {
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: Buffer;
}

/** A whole answer. A header that came twice is joined by a comma. */
export interface GuardedAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer<ArrayBuffer>;
}

export type SendGuarded = (
  url: string,
  request: GuardedRequest,
  signal: AbortSignal,
) => Promise<GuardedAnswer>;

/** An answer whose body has yet to arrive. Read the body, or close the answer. */
export interface GuardedStream {
  status: number;
  headers: Record<string, string>;
  body: AsyncIterable<Buffer>;
  close(this: void): void;
}

export type OpenGuarded = (
  url: string,
  request: GuardedRequest,
  signal: AbortSignal,
) => Promise<GuardedStream>;

const maxAnswerBytes = 2 * 1_024 * 1_024;

/**
 * Creates the function that sends one request and reads its answer of at most 2 MiB.
 * @returns a function that throws TargetError, LargeAnswerError, a socket's error, or the signal's
 * reason
 */
export function createGuardedSend(options: GuardedOptions): SendGuarded {
  const open = createGuardedOpen(options);
  return async (url, request, signal) => {
    const { status, headers, body, close } = await open(url, request, signal);
    try {
      return { status, headers, body: await readBounded(body, maxAnswerBytes) };
    } finally {
      close();
    }
  };
}

/**
 * Creates the function that sends one request. Each call checks its target as a webhook does: the
 * URL, every DNS answer, the connected peer. It has a connection of its own, so that an abort closes
 * it. No proxy, no redirect, no decompression.
 * @returns a function that throws TargetError, a socket's error, or the signal's reason. The body
 * throws the last two.
 */
export function createGuardedOpen(options: GuardedOptions): OpenGuarded {
  const { policy, dnsServers: servers = null, ca = null, dial = dialTcp } = options;
  const hostsFile = hostsFileOf(policy);
  const resolver =
    options.resolver ?? createTargetResolver({ servers, timeoutMs: 2_500, hostsFile });
  return async (text, { method, headers, body: sent = null }, signal) => {
    const url = parseTarget(text, policy);
    const addresses = await resolveTarget(url, policy, resolver, signal);
    const connection = await openConnection(url, addresses, { policy, dial, ca }, signal);
    try {
      connection.expectAnswer();
      const answer = await connection.client.request({
        method,
        path: url.pathname + url.search,
        headers: { ...headers, "accept-encoding": "identity" },
        body: sent,
        signal,
      });
      return {
        status: answer.statusCode,
        headers: joinHeaders(answer.headers),
        body: answer.body,
        close: () => connection.destroy(),
      };
    } catch (error) {
      connection.destroy();
      throw error;
    }
  };
}

function joinHeaders(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string> {
  const joined = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    [value ?? ""].flat().join(", "),
  ]);
  return Object.fromEntries(joined);
}
