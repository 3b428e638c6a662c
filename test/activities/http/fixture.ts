import { connect, type Socket } from "node:net";
import { afterEach, expect, vi } from "vitest";
import {
  createPoster,
  type Poster,
  type PosterOptions,
  type PostResult,
} from "../../../activities/http/post.ts";
import type { Dial } from "../../../activities/http/connection.ts";
import type { TargetResolver } from "../../../core/target-guard.ts";
import { type Receiver, startReceiver } from "./receivers.ts";

export const development = { allowPrivate: true, ownHosts: [] };
export const production = { allowPrivate: false, ownHosts: ["parley.example.com"] };
export const headers = { "Content-Type": "application/json", "X-Service-Signature": "sha256=00" };
export const body = Buffer.from('{"id":"é"}');

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.useRealTimers();
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A receiver that is closed after the test. */
export async function receive(...given: Parameters<typeof startReceiver>): Promise<Receiver> {
  const receiver = await startReceiver(...given);
  closers.push(receiver.close);
  return receiver;
}

/** The limit of attempts that a test lets end so. */
export const shortLimit = { attemptTimeoutMs: 700 };

/** A poster with the development policy, closed after the test. */
export function makePoster(options: Partial<PosterOptions> = {}): Poster {
  vi.spyOn(globalThis, "setTimeout");
  const poster = createPoster({ policy: development, attemptTimeoutMs: 5_000, ...options });
  closers.push(poster.close);
  return poster;
}

/** One post to a loopback port by a poster of its own. */
export function post(port: number, options: Partial<PosterOptions> = {}): Promise<PostResult> {
  return makePoster(options).post({ url: `http://127.0.0.1:${port}/hook`, headers, body });
}

/** A DNS that gives these A records, one set a lookup, the last one for ever after. */
export function answers(...sets: string[][]): TargetResolver & { lookups: number } {
  const resolver = {
    lookups: 0,
    resolve4: () => {
      resolver.lookups += 1;
      return Promise.resolve(sets[Math.min(resolver.lookups, sets.length) - 1] ?? []);
    },
    resolve6: () => Promise.reject(new Error("ENODATA")),
    cancel: () => {},
  };
  return resolver;
}

/** A network in which every address leads to this loopback port. */
export function allRoadsTo(port: number): Dial & { dialled: string[]; sockets: Socket[] } {
  const dialled: string[] = [];
  const sockets: Socket[] = [];
  const dial = (target: { host: string; port: number }): Socket => {
    dialled.push(`${target.host}:${target.port}`);
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket);
    return socket;
  };
  return Object.assign(dial, { dialled, sockets });
}

export const failed = (errorClass: string) => ({ ok: false, statusCode: null, errorClass });
export const succeeded = (statusCode = 200) => ({ ok: true, statusCode, errorClass: null });

/**
 * Expects that a timer of this length ended the test's post. Other work of the process may have one of
 * the same length. A busy machine makes the timer late, and it may fire a fraction of a millisecond
 * early.
 */
export function expectDeadline(durationMs: number, limitMs: number): void {
  expect(vi.mocked(setTimeout).mock.calls.map(([, ms]) => ms)).toContain(limitMs);
  expect(durationMs).toBeGreaterThanOrEqual(limitMs - 1);
}

/** Resolves once the receiver has seen its first connection close. */
export async function closing(receiver: Receiver): Promise<void> {
  const socket = receiver.connections[0];
  if (socket !== undefined && !socket.destroyed)
    await new Promise((resolve) => socket.once("close", resolve));
}
