import { timingSafeEqual } from "node:crypto";
import type { SecretBox } from "../secrets.ts";

/** Kinds of rings. `ring`: outbox rows were committed. `channels`: work for the drain was. */
export type RingKind = "ring" | "channels";

/** The content of a datagram. */
export interface Ring {
  /** `hello`: the sender lives and will ring. */
  kind: RingKind | "hello";
  /** Place of the worker among those that are rung together. 0 looks at once, the others later. */
  rank: number;
}

/** The highest rank. Further workers share it. */
export const maxRank = 4;

const purpose = "doorbell";
const form = /^(1 (ring|channels|hello) ([0-4])) ([\w-]{43})$/u;
const mostBytes = 64;
/**
 * Unknown signatures that are checked in a second. A flood of forged datagrams costs no more. Genuine
 * ones are known after the first.
 */
const mostChecks = 50;

/**
 * Writes a datagram to one worker. It names no row: a ring leads to a look, and the tables tell the
 * rest. So a copy of it does no harm, and it needs no time and no number.
 * @param workerId id of this start of the worker; no other worker takes the datagram
 */
export function writeRing(secretBox: SecretBox, workerId: string, { kind, rank }: Ring): Buffer {
  const head = `1 ${kind} ${rank}`;
  return Buffer.from(`${head} ${secretBox.sign(`${workerId} ${head}`, purpose)}`, "latin1");
}

/** Reads datagrams of one worker. Returns null for what is forged, malformed or for another worker. */
export type RingReader = (datagram: Buffer) => Ring | null;

/** Creates the reader of a worker. @param now a monotonic clock in milliseconds */
export function createRingReader(
  secretBox: SecretBox,
  workerId: string,
  now: () => number = () => performance.now(),
): RingReader {
  /** Genuine datagrams by their head, at most fifteen. */
  const known = new Map<string, Buffer>();
  let second = 0;
  let checks = 0;

  function mayCheck(): boolean {
    const current = Math.floor(now() / 1_000);
    if (current !== second) checks = 0;
    second = current;
    checks += 1;
    return checks <= mostChecks;
  }

  return (datagram) => {
    if (datagram.length > mostBytes) return null;
    const [, head, kind, rank, signature] = form.exec(datagram.toString("latin1")) ?? [];
    if (head === undefined || signature === undefined) return null;
    const last = known.get(head);
    if (last === undefined || !isSame(last, datagram)) {
      if (!mayCheck() || !secretBox.isSigned(`${workerId} ${head}`, purpose, signature))
        return null;
      known.set(head, Buffer.from(datagram));
    }
    return { kind: kind as Ring["kind"], rank: Number(rank) };
  };
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
