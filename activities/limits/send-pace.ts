import type { MetaDriver } from "../../core/model/channels.ts";

/** A message that is about to go to a customer of a number, Page or Instagram account. */
export interface SendTurn {
  messageId: number;
  channelAccountId: number;
  driver: MetaDriver;
  to: string;
}

/**
 * Paces the messages of each number, in this process: 80 a second on WhatsApp, 300 elsewhere. A
 * customer of WhatsApp gets 45 messages at once, then one every 6 s.
 *
 * A refusal for the number's limit halves the pace, once a second at most. The full pace comes back
 * within a minute.
 */
export interface SendPace {
  /**
   * Books a turn. A turn later than `soonMs` is kept for its message, which asks again then. The
   * caller takes an earlier one at once.
   * @returns milliseconds until the turn; 0: now
   */
  book: (turn: SendTurn, soonMs?: number) => number;
  /** The network refused the message for the limit of the number. */
  slowDown: (turn: Pick<SendTurn, "channelAccountId" | "driver">) => void;
}

interface NumberPace {
  /** Messages a second at `changedAt`. */
  rate: number;
  changedAt: number;
  /** The next free turn. */
  freeAt: number;
}

const fullRates: Readonly<Record<MetaDriver, number>> = {
  whatsapp_cloud: 80,
  messenger: 300,
  instagram_page: 300,
  instagram_login: 300,
};
const minRate = 1;
const halveEveryMs = 1_000;
const regrowMs = 60_000;
const pairEveryMs = 6_000;
const pairBurst = 45;
const maxPairs = 50_000;
/** A turn that was not taken this long after its time is lost: the message went elsewhere. */
const keptMs = 60_000;

/** Creates the pace of one process. */
export function createSendPace(now = () => Date.now()): SendPace {
  const numbers = new Map<number, NumberPace>();
  // Time at which a customer's bucket is full again.
  const pairs = new Map<string, number>();
  const booked = new Map<number, number>();

  function numberOf({ channelAccountId, driver }: Pick<SendTurn, "channelAccountId" | "driver">) {
    const known = numbers.get(channelAccountId);
    if (known !== undefined) return known;
    const fresh = { rate: fullRates[driver], changedAt: now(), freeAt: 0 };
    numbers.set(channelAccountId, fresh);
    return fresh;
  }

  function takeOfNumber(turn: SendTurn): number {
    const number = numberOf(turn);
    const at = Math.max(now(), number.freeAt);
    number.freeAt = at + 1_000 / rateAt(number, fullRates[turn.driver], now());
    return at;
  }

  function takeOfPair({ channelAccountId, driver, to }: SendTurn): number {
    if (driver !== "whatsapp_cloud") return now();
    const key = `${channelAccountId} ${to}`;
    const fullAt = Math.max(now(), pairs.get(key) ?? 0) + pairEveryMs;
    if (pairs.size >= maxPairs) dropBefore(pairs, now());
    pairs.set(key, fullAt);
    return Math.max(now(), fullAt - pairBurst * pairEveryMs);
  }

  return {
    book(turn, soonMs = 0) {
      const at = booked.get(turn.messageId) ?? Math.max(takeOfNumber(turn), takeOfPair(turn));
      const waitMs = Math.max(0, Math.round(at - now()));
      if (waitMs <= soonMs) {
        booked.delete(turn.messageId);
        return waitMs;
      }
      dropFirstBefore(booked, now() - keptMs);
      booked.set(turn.messageId, at);
      return waitMs;
    },
    slowDown(turn) {
      const number = numberOf(turn);
      const full = fullRates[turn.driver];
      const isHalved = number.rate < full && now() - number.changedAt < halveEveryMs;
      if (isHalved) return;
      number.rate = Math.max(minRate, rateAt(number, full, now()) / 2);
      number.changedAt = now();
    },
  };
}

function rateAt({ rate, changedAt }: NumberPace, full: number, at: number): number {
  return Math.min(full, rate + (full * (at - changedAt)) / regrowMs);
}

function dropBefore(times: Map<unknown, number>, until: number): void {
  for (const [key, at] of times) if (at <= until) times.delete(key);
}

/** Drops the oldest entries up to the first one that is younger. */
function dropFirstBefore(times: Map<unknown, number>, until: number): void {
  for (const [key, at] of times) {
    if (at > until) return;
    times.delete(key);
  }
}
