import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { GoogleChannel, GoogleWorld } from "./google-world.ts";

/** The course of a push. `late` waits for some milliseconds, `hold` for `release`. */
export const googlePushModes = ["now", "late", "twice", "lost", "hold"] as const;
export type GooglePushMode = (typeof googlePushModes)[number];

/** Chooses the course of the next pushes. */
export interface GooglePushChoice {
  mode: GooglePushMode;
  /** Number of pushes; without it until the next choice. */
  times?: number | undefined;
  /** Wait of `late`. */
  ms?: number | undefined;
}

/** A push with the answers so far: HTTP statuses, 0 for a connection that failed. */
export interface GooglePush {
  channelId: string;
  calendarId: string;
  number: number;
  state: "sync" | "exists";
  mode: GooglePushMode;
  answers: number[];
}

/** Sends the pushes of all channels. */
export interface GooglePushes {
  /** Tells each channel of the calendar that something has changed. */
  announce(calendarId: string): void;
  /** The first push of a channel. It is sent on time in any case. */
  greet(channel: GoogleChannel): void;
  choose(this: void, choice: GooglePushChoice): void;
  /** Sends what was held, the newest first unless said otherwise. @returns the number of pushes */
  release(this: void, options?: { inOrder?: boolean }): Promise<number>;
  list(this: void): GooglePush[];
  /** Resolves once no push is under way. Held ones are not. */
  idle(this: void): Promise<void>;
  close(): void;
}

const maxTries = 6;
const maxKept = 2_000;
/** Google repeats a push that was answered by one of these. Others are given up. */
const repeated = [0, 500, 502, 503, 504];

/** Options of the sender. */
export interface GooglePushOptions {
  /** Wait before the second try, doubled each time. */
  retryMs: number;
  /** The address that is called for a channel's one, such as a server behind a name with https. */
  route: (address: string) => string;
}

/** Pushes to channels: empty requests whose headers say that there is a change. */
export function createGooglePushes(
  world: () => GoogleWorld,
  { retryMs, route }: GooglePushOptions,
): GooglePushes {
  const kept: GooglePush[] = [];
  const running = new Set<Promise<void>>();
  const stopped = new AbortController();
  setMaxListeners(0, stopped.signal);
  const onTime = { mode: "now", times: Infinity, ms: 0 } as const;
  let choice: { mode: GooglePushMode; times: number; ms: number } = onTime;
  let held: (() => Promise<void>)[] = [];

  const go = (work: () => Promise<void>): void => {
    const tracked: Promise<void> = work()
      .catch(() => undefined)
      .finally(() => running.delete(tracked));
    running.add(tracked);
  };

  function takeMode(): { mode: GooglePushMode; ms: number } {
    const { mode, ms, times } = choice;
    choice = times > 1 ? { mode, ms, times: times - 1 } : onTime;
    return { mode, ms };
  }

  function send(channel: GoogleChannel, state: GooglePush["state"]): void {
    const { mode, ms } = state === "sync" ? onTime : takeMode();
    channel.messages += 1;
    const { id: channelId, calendarId, messages: number } = channel;
    const push: GooglePush = { channelId, calendarId, number, state, mode, answers: [] };
    kept.push(push);
    if (kept.length > maxKept) kept.shift();
    const target = { url: route(channel.address), headers: headersOf(channel, push) };
    const call = async () => await post(push, target, retryMs, stopped.signal);
    if (mode === "lost") return;
    if (mode === "hold") return void held.push(call);
    go(async () => {
      if (mode === "late") await sleep(ms, undefined, { signal: stopped.signal });
      await call();
      if (mode === "twice") await call();
    });
  }

  return {
    announce(calendarId) {
      const { channels, now } = world();
      for (const channel of channels.values())
        if (channel.calendarId === calendarId && channel.expiresAt > now()) send(channel, "exists");
    },
    greet: (channel) => send(channel, "sync"),
    choose: ({ mode, times = Infinity, ms = 0 }) => void (choice = { mode, times, ms }),
    async release({ inOrder = false } = {}) {
      const calls = inOrder ? held : held.toReversed();
      held = [];
      for (const call of calls) await call();
      return calls.length;
    },
    list: () => [...kept],
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
    close: () => stopped.abort(),
  };
}

interface Target {
  url: string;
  headers: Record<string, string>;
}

function headersOf(channel: GoogleChannel, push: GooglePush): Target["headers"] {
  return {
    "x-goog-channel-id": channel.id,
    "x-goog-channel-expiration": new Date(channel.expiresAt).toUTCString(),
    "x-goog-message-number": String(push.number),
    "x-goog-resource-id": channel.resourceId,
    "x-goog-resource-state": push.state,
    "x-goog-resource-uri": channel.resourceUri,
    ...(channel.token !== null && { "x-goog-channel-token": channel.token }),
  };
}

async function post(
  push: GooglePush,
  target: Target,
  retryMs: number,
  stopped: AbortSignal,
): Promise<void> {
  for (let pause = retryMs, tries = 0; tries < maxTries; tries += 1, pause *= 2) {
    if (stopped.aborted) return;
    const answer = await postOnce(target, stopped);
    push.answers.push(answer);
    if (!repeated.includes(answer)) return;
    await sleep(pause, undefined, { signal: stopped });
  }
}

async function postOnce({ url, headers }: Target, stopped: AbortSignal): Promise<number> {
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers,
      signal: stopped,
      redirect: "manual",
    });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}
