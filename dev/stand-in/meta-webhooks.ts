import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { secretFor, type MetaApp } from "./meta-accounts.ts";
import { joinPieces, signWebhook, type MetaPiece, type SignedWebhook } from "./meta-wire.ts";

/** Receiver of the webhooks. */
export interface MetaCallback {
  url: string;
  verifyToken: string;
}

/** A webhook with the answers so far: HTTP statuses, 0 for a connection that failed. */
export interface MetaDelivery {
  body: unknown;
  answers: number[];
  /** False while another try waits. */
  isDone: boolean;
}

/** Order and grouping of held pieces. */
export interface MetaRelease {
  /** Pieces in one webhook; 1 unless given. */
  perWebhook?: number;
  /** Times that each webhook is sent; 1 unless given. */
  copies?: number;
  /** Newest first. */
  reversed?: boolean;
}

/** Sends the webhooks of one app. */
export interface MetaWebhooks {
  /** Sends a webhook for each network in `pieces`. Resolves after the first try of each. */
  post(pieces: readonly MetaPiece[]): Promise<void>;
  /** From now on pieces wait for `release`. */
  hold(): void;
  /** Pieces that wait for `release`; null while none are held back. */
  waiting(): number | null;
  /** Sends what was held, and holds no longer. @returns the number of webhooks */
  release(how?: MetaRelease): Promise<number>;
  deliveries(): MetaDelivery[];
  /** Resolves once no try is under way and none waits. */
  idle(): Promise<void>;
  close(): void;
}

/** Facts of the sender. The callback is asked anew for each try, because it may change. */
export interface MetaWebhookOptions {
  app: MetaApp;
  callback: () => MetaCallback | null;
  /** Wait before the second try, doubled up to a minute. */
  retryMs: number;
}

const maxTries = 12;
const maxKept = 500;

/** Meta repeats a webhook with growing pauses until the answer is 200. */
export function createMetaWebhooks(options: MetaWebhookOptions): MetaWebhooks {
  const kept: MetaDelivery[] = [];
  const running = new Set<Promise<void>>();
  const stopped = createStop();
  let held: MetaPiece[] | null = null;

  async function send(pieces: readonly MetaPiece[]): Promise<void> {
    const body = joinPieces(pieces);
    const [{ account }] = pieces as [MetaPiece];
    const signed = signWebhook(body, secretFor(options.app, account));
    const delivery: MetaDelivery = { body, answers: [], isDone: false };
    kept.push(delivery);
    if (kept.length > maxKept) kept.shift();
    await attempt(delivery, signed);
    if (delivery.isDone) return;
    const later = retry(delivery, signed).finally(() => running.delete(later));
    running.add(later);
  }

  async function attempt(delivery: MetaDelivery, signed: SignedWebhook): Promise<void> {
    const answer = await postOnce(options.callback(), signed, stopped.signal);
    delivery.answers.push(answer);
    const isGivenUp = delivery.answers.length >= maxTries || stopped.signal.aborted;
    delivery.isDone = answer === 200 || isGivenUp;
  }

  async function retry(delivery: MetaDelivery, signed: SignedWebhook): Promise<void> {
    for (let pause = options.retryMs; !delivery.isDone; pause = Math.min(pause * 2, 60_000)) {
      await sleep(pause, undefined, { signal: stopped.signal }).catch(() => undefined);
      await attempt(delivery, signed);
    }
  }

  async function post(pieces: readonly MetaPiece[]): Promise<void> {
    if (pieces.length === 0) return;
    if (held !== null) return void held.push(...pieces);
    const work = Promise.all(byApp(pieces).map(send)).then(() => undefined);
    const tracked = work.finally(() => running.delete(tracked));
    running.add(tracked);
    await tracked;
  }

  return {
    post,
    hold: () => void (held ??= []),
    waiting: () => held?.length ?? null,
    async release({ perWebhook = 1, copies = 1, reversed = false } = {}) {
      const waiting = held ?? [];
      held = null;
      if (reversed) waiting.reverse();
      let count = 0;
      while (waiting.length > 0) {
        const batch = waiting.splice(0, perWebhook);
        for (let copy = 0; copy < copies; copy += 1) await post(batch);
        count += copies;
      }
      return count;
    },
    deliveries: () => [...kept],
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
    close: () => stopped.abort(),
  };
}

/** Every webhook that has not arrived yet listens to it. */
function createStop(): AbortController {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  return stop;
}

/** Pieces by network and secret: a webhook has one object and one signature. */
function byApp(pieces: readonly MetaPiece[]): MetaPiece[][] {
  const groups = new Map<string, MetaPiece[]>();
  for (const piece of pieces) {
    const group = groups.get(piece.account.driver) ?? [];
    groups.set(piece.account.driver, [...group, piece]);
  }
  return [...groups.values()];
}

async function postOnce(
  callback: MetaCallback | null,
  { bytes, signature }: SignedWebhook,
  stopped: AbortSignal,
): Promise<number> {
  if (callback === null || stopped.aborted) return 0;
  const headers = { "content-type": "application/json", "x-hub-signature-256": signature };
  const body = new Uint8Array(bytes);
  try {
    const answer = await fetch(callback.url, { method: "POST", headers, body, signal: stopped });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}

/** Meta's handshake. @returns null if the callback echoed the challenge, else what it said */
export async function shakeHands(callback: MetaCallback): Promise<string | null> {
  const challenge = String(randomBytes(4).readUInt32BE());
  const url = new URL(callback.url);
  url.searchParams.set("hub.mode", "subscribe");
  url.searchParams.set("hub.verify_token", callback.verifyToken);
  url.searchParams.set("hub.challenge", challenge);
  try {
    const answer = await fetch(url);
    const text = await answer.text();
    if (answer.status === 200 && text === challenge) return null;
    return `HTTP ${answer.status} ${text.slice(0, 200)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
