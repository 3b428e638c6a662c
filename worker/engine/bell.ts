/** A partition at a look, as far as the bell cares. */
export interface SeenPartition {
  key: string;
  /** Time since its oldest row became due, in milliseconds; negative until it is due. */
  ageMs: number;
}

/** Limits of a pause, in milliseconds. */
export interface PauseLimits {
  mostMs: number;
  /** A ring ends the pause after this time at the earliest. Null: no ring ends it. */
  ringAfterMs: number | null;
}

/**
 * The doorbell, as the relay of one worker sees it. A ring asks for a look and proves nothing. So a
 * ring that is forged, repeated, lost or late costs or saves one look, and changes no row.
 */
export interface Bell {
  /** Asks for a look, after `afterMs` at the latest. */
  ring(afterMs: number): void;
  /** A process has told that it will ring. */
  greet(): void;
  /** Begins a look, which answers all rings so far. @returns the reason of the look */
  beginLook(): "ring" | "poll";
  /** Compares what the look that began last has found with the rings that came. */
  recordFound(partitions: readonly SeenPartition[]): void;
  /** @returns true while each commit seems to be followed by a ring, so that polls may be rare */
  isReliable(): boolean;
  /** Waits until a limit, a ring, or the stop. */
  pause(limits: PauseLimits, stopping: AbortSignal): Promise<void>;
}

/** A greeting counts for so long. Processes greet every 5 s. */
const greetedMs = 15_000;
/** A ring may come so long after the poll that found its row. */
const graceMs = 500;
/** After a row without a ring, the bell is not relied on for so long. The time doubles each time. */
const firstDoubtMs = 60_000;
const longestDoubtMs = 3_600_000;
/** Two readings of the time at which a row becomes due differ by less than this. */
const sameTimeMs = 50;

/** Creates the bell of one worker. @param now a monotonic clock in milliseconds */
export function createBell(now: () => number = () => performance.now()): Bell {
  let wantedAt: number | null = null;
  let reconsider = (): void => undefined;
  const trust = createTrust(now);
  return {
    ring(afterMs) {
      trust.ring();
      wantedAt = Math.min(wantedAt ?? Number.POSITIVE_INFINITY, now() + afterMs);
      reconsider();
    },
    greet: trust.greet,
    beginLook() {
      const reason = wantedAt === null ? "poll" : "ring";
      wantedAt = null;
      trust.beginLook();
      return reason;
    },
    recordFound: trust.recordFound,
    isReliable: trust.isReliable,
    pause({ mostMs, ringAfterMs }, stopping) {
      const beganAt = now();
      return new Promise((resolve) => {
        let timer: NodeJS.Timeout | undefined;
        const end = (): void => {
          clearTimeout(timer);
          reconsider = () => undefined;
          stopping.removeEventListener("abort", end);
          resolve();
        };
        reconsider = () => {
          const isRung = ringAfterMs !== null && wantedAt !== null;
          const ringAt = isRung ? Math.max(wantedAt ?? 0, beganAt + ringAfterMs) : Infinity;
          const leftMs = Math.min(beganAt + mostMs, ringAt) - now();
          clearTimeout(timer);
          if (leftMs <= 0 || stopping.aborted) end();
          else timer = setTimeout(end, leftMs);
        };
        stopping.addEventListener("abort", end);
        reconsider();
      });
    },
  };
}

/** Judges whether each commit is followed by a ring, from rings, greetings and looks. */
function createTrust(now: () => number) {
  let lookedAt = now();
  /** Rows from before the start of this worker were announced to others. */
  let rungAt = now();
  let greetedAt = Number.NEGATIVE_INFINITY;
  /** Time of the look that found a row whose ring has yet to come. */
  let awaitedSince: number | null = null;
  let doubtUntil = Number.NEGATIVE_INFINITY;
  let doubtMs = firstDoubtMs;
  /** Times at which known rows become due, by partition. */
  let expected = new Map<string, number>();

  const isGreeted = (): boolean => now() < greetedAt + greetedMs;

  function isAnnounced({ key, ageMs }: SeenPartition): boolean {
    // Ages are read after the look began, so the row became due at this time or later.
    const dueAt = lookedAt - ageMs;
    const expectedAt = expected.get(key) ?? Number.NEGATIVE_INFINITY;
    return rungAt >= dueAt || Math.abs(dueAt - expectedAt) < sameTimeMs;
  }

  function doubt(): void {
    awaitedSince = null;
    // Trouble that comes again soon after the last doubt is the same trouble.
    const isSame = now() < doubtUntil + longestDoubtMs;
    doubtMs = isSame ? Math.min(2 * doubtMs, longestDoubtMs) : firstDoubtMs;
    doubtUntil = now() + doubtMs;
  }

  return {
    ring: (): void => {
      rungAt = now();
      awaitedSince = null;
    },
    greet: (): void => {
      // Rows from before the greeting had no ring to wait for.
      if (!isGreeted()) rungAt = now();
      greetedAt = now();
    },
    beginLook: (): void => {
      lookedAt = now();
    },
    recordFound: (partitions: readonly SeenPartition[]): void => {
      const due = partitions.filter(({ ageMs }) => ageMs >= 0);
      if (awaitedSince !== null && now() - awaitedSince >= graceMs) doubt();
      const silent = new Set(isGreeted() ? due.filter((one) => !isAnnounced(one)) : []);
      if (silent.size > 0) awaitedSince ??= now();
      const others = partitions.filter((one) => !silent.has(one));
      expected = new Map(others.map(({ key, ageMs }) => [key, lookedAt - ageMs]));
    },
    isReliable: (): boolean => awaitedSince === null && isGreeted() && now() >= doubtUntil,
  };
}
