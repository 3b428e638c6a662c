import type { MetaDriver } from "../../core/model/channels.ts";
import { sendRateOf } from "../../core/model/send-rates.ts";
import type { SendShare } from "./send-share.ts";

/** A message that is about to go to a customer of a number, Page or Instagram account. */
export interface SendTurn {
  messageId: number;
  channelAccountId: number;
  driver: MetaDriver;
  to: string;
  /** People use the number in the WhatsApp Business app too. */
  isCoexisting?: boolean;
  /** An audio or a video. */
  isHeavy?: boolean;
  share?: SendShare;
}

/**
 * Paces the messages of each number: 80 a second on WhatsApp, 20 where people use the number in the
 * Business app too, 300 elsewhere, and there 10 for audio and video. Messages of customers count on
 * WhatsApp. A customer of WhatsApp gets 45 messages at once, then one every 6 s. Each worker process
 * takes the same part of all this.
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
  /**
   * The message leaves now. A message that is later than its turn counts from now on, since the
   * network counts when it comes.
   */
  leave: (turn: AnnouncedTurn) => void;
  /**
   * Messages that may be begun now and would go within the hand-over. It is 0 until half of that time
   * is free, so that many begin together.
   */
  room: (channelAccountId: number) => number;
  /** A message takes room until it books, or until `drop`. */
  announce: (turn: AnnouncedTurn) => void;
  /** An announced message has ended. */
  drop: (turn: AnnouncedTurn) => void;
  /** The network refused the message for the limit of the number. */
  slowDown: (turn: Pick<SendTurn, "channelAccountId" | "driver">) => void;
}

/** A message of a number. */
type AnnouncedTurn = Pick<SendTurn, "messageId" | "channelAccountId">;

interface NumberPace {
  /** Messages a second at `changedAt`. */
  rate: number;
  changedAt: number;
  /** Messages a second of this process without a refusal, by the last turn. */
  full: number;
  /** The next free turn. */
  freeAt: number;
  /** The last messages that were let go, by time; at most one second's worth. */
  left: Departure[];
}

interface Departure {
  messageId: number;
  at: number;
}

/** A second in which the network counts messages, and room for those that travel faster. */
const countedSecondMs = 1_020;
/** A turn within this time is taken within the hand-over. */
const windowMs = 250;
/** Room of a number of which nothing has been sent yet. */
const firstRoom = 16;
const heavyRate = 10;
/** Customers who write a lot leave this part of a number's pace. */
const leastPart = 0.25;
const alone: SendShare = { workers: 1, inboundRate: 0 };
const minRate = 1;
const halveEveryMs = 1_000;
const regrowMs = 60_000;
const pairEveryMs = 6_000;
const pairBurst = 45;
const maxPairs = 50_000;
/** A turn that was not taken this long after its time is lost: the message went elsewhere. */
const keptMs = 60_000;

/** Creates the pace of one process. */
export function createSendPace(now = () => performance.now()): SendPace {
  const numbers = new Map<number, NumberPace>();
  const takeOfPair = createPairBuckets(now);
  const takeOfHeavy = createHeavyPace(now);
  const announced = createAnnounced();
  const booked = new Map<number, number>();

  const numberOf = ({ channelAccountId }: Pick<SendTurn, "channelAccountId">, full: number) =>
    paceOf(numbers, channelAccountId, { full, at: now() });

  function takeOfNumber(turn: SendTurn): number {
    const full = fullRateOf(turn);
    const number = numberOf(turn, full);
    number.full = full;
    const at = Math.max(now(), number.freeAt);
    number.freeAt = at + 1_000 / rateAt(number, now());
    return at;
  }

  function take(turn: SendTurn): number {
    return Math.max(takeOfNumber(turn), takeOfPair(turn), takeOfHeavy(turn));
  }

  return {
    book(turn, soonMs = 0) {
      announced.drop(turn);
      const turnAt = booked.get(turn.messageId) ?? take(turn);
      const number = numberOf(turn, fullRateOf(turn));
      const at = departureOf(number, Math.max(turnAt, now()), now());
      const waitMs = Math.max(0, Math.round(at - now()));
      if (waitMs <= soonMs) {
        booked.delete(turn.messageId);
        noteDeparture(number, { messageId: turn.messageId, at });
        return waitMs;
      }
      dropFirstBefore(booked, now() - keptMs);
      booked.set(turn.messageId, at);
      return waitMs;
    },
    leave({ channelAccountId, messageId }) {
      const number = numbers.get(channelAccountId);
      const place = number?.left.findLastIndex((one) => one.messageId === messageId) ?? -1;
      const departure = number?.left[place];
      if (number === undefined || departure === undefined || departure.at >= now()) return;
      number.left.splice(place, 1);
      noteDeparture(number, { messageId, at: now() });
    },
    room(channelAccountId) {
      const room = roomOf(numbers.get(channelAccountId), now());
      const free = room.free - announced.count(channelAccountId);
      return free * 2 >= room.all ? free : 0;
    },
    announce: announced.add,
    drop: announced.drop,
    slowDown(turn) {
      const number = numberOf(turn, sendRateOf(turn.driver));
      const isHalved = number.rate < number.full && now() - number.changedAt < halveEveryMs;
      if (isHalved) return;
      number.rate = Math.max(minRate, rateAt(number, now()) / 2);
      number.changedAt = now();
    },
  };
}

/** Each customer of WhatsApp has a bucket of messages. */
function createPairBuckets(now: () => number) {
  // Time at which a customer's bucket is full again.
  const pairs = new Map<string, number>();
  return ({ channelAccountId, driver, to, share = alone }: SendTurn): number => {
    if (driver !== "whatsapp_cloud") return now();
    const everyMs = pairEveryMs * share.workers;
    const burst = Math.max(1, Math.floor(pairBurst / share.workers));
    const key = `${channelAccountId} ${to}`;
    const fullAt = Math.max(now(), pairs.get(key) ?? 0) + everyMs;
    if (pairs.size >= maxPairs) dropBefore(pairs, now());
    pairs.set(key, fullAt);
    return Math.max(now(), fullAt - burst * everyMs);
  };
}

/** Audios and videos of a Page or account. */
function createHeavyPace(now: () => number) {
  // Time at which the next one may go.
  const heavy = new Map<number, number>();
  return ({ channelAccountId, driver, isHeavy, share = alone }: SendTurn): number => {
    if (isHeavy !== true || driver === "whatsapp_cloud") return now();
    const at = Math.max(now(), heavy.get(channelAccountId) ?? 0);
    heavy.set(channelAccountId, at + (1_000 * share.workers) / heavyRate);
    return at;
  };
}

/** Messages that have begun and have not booked yet. */
function createAnnounced() {
  // Bounded by the hand-overs that a relay makes at once.
  const announced = new Map<number, Set<number>>();
  return {
    count: (channelAccountId: number) => announced.get(channelAccountId)?.size ?? 0,
    add(this: void, { channelAccountId, messageId }: AnnouncedTurn): void {
      const ofNumber = announced.get(channelAccountId) ?? new Set();
      announced.set(channelAccountId, ofNumber.add(messageId));
    },
    drop(this: void, { channelAccountId, messageId }: AnnouncedTurn): void {
      const ofNumber = announced.get(channelAccountId);
      ofNumber?.delete(messageId);
      if (ofNumber?.size === 0) announced.delete(channelAccountId);
    },
  };
}

function paceOf(
  numbers: Map<number, NumberPace>,
  channelAccountId: number,
  { full, at }: { full: number; at: number },
): NumberPace {
  const known = numbers.get(channelAccountId);
  if (known !== undefined) return known;
  const fresh = { rate: full, full, changedAt: at, freeAt: 0, left: [] };
  numbers.set(channelAccountId, fresh);
  return fresh;
}

/** Messages a second that this process may send to a number. */
function fullRateOf({ driver, isCoexisting, share = alone }: SendTurn): number {
  const ofNumber = sendRateOf(driver, isCoexisting);
  const left = Math.max(ofNumber * leastPart, ofNumber - share.inboundRate);
  return left / share.workers;
}

function rateAt({ rate, full, changedAt }: NumberPace, at: number): number {
  return Math.min(full, rate + (full * (at - changedAt)) / regrowMs);
}

/**
 * The first moment from `at` on at which the number sends no more than its rate within a second. Turns
 * are spread evenly, but a busy worker takes many of them late and together.
 */
function departureOf(number: NumberPace, at: number, now: number): number {
  const perSecond = Math.max(1, Math.floor(rateAt(number, now)));
  const first = number.left.at(-perSecond);
  return first === undefined ? at : Math.max(at, first.at + countedSecondMs);
}

/**
 * Turns of a number within the window: all, and those that nobody has booked, as far as the rate within
 * a second lets them go.
 */
function roomOf(number: NumberPace | undefined, now: number): { all: number; free: number } {
  if (number === undefined) return { all: firstRoom, free: firstRoom };
  const end = now + windowMs;
  const rate = rateAt(number, now);
  const all = Math.max(1, Math.floor((rate * windowMs) / 1_000));
  const turns = Math.ceil(((end - Math.max(now, number.freeAt)) * rate) / 1_000);
  const perSecond = Math.max(1, Math.floor(rate));
  const recent =
    number.left.length - 1 - number.left.findLastIndex(({ at }) => at <= end - countedSecondMs);
  return { all, free: Math.max(0, Math.min(all, turns, perSecond - recent)) };
}

function noteDeparture({ left, full }: NumberPace, departure: Departure): void {
  const place = left.findLastIndex(({ at }) => at <= departure.at) + 1;
  left.splice(place, 0, departure);
  if (left.length > Math.max(1, full)) left.shift();
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
