/** A stream that takes beats. */
interface Beating {
  beat(): void;
}

/** One timer that beats all streams of a process, each once in an interval. */
export interface BeatWheel {
  add(stream: Beating): void;
  remove(stream: Beating): void;
}

/** Shortest time between two turns of the wheel. */
const turnMs = 250;

/**
 * Creates a wheel. Streams are spread evenly over its turns, so that no moment beats all of them.
 * The timer runs only while a stream is open.
 */
export function createBeatWheel(intervalMs: number): BeatWheel {
  const turns = Math.max(1, Math.floor(intervalMs / turnMs));
  const slots = Array.from({ length: turns }, () => new Set<Beating>());
  const slotOf = new Map<Beating, Set<Beating>>();
  let added = 0;
  let turn = 0;
  let timer: NodeJS.Timeout | null = null;
  const beatNext = () => {
    turn = (turn + 1) % turns;
    for (const stream of slots[turn] ?? []) stream.beat();
  };
  return {
    add(stream) {
      added = (added + 1) % turns;
      const slot = slots[added];
      if (slot === undefined) return;
      slotOf.set(stream, slot.add(stream));
      timer ??= setInterval(beatNext, intervalMs / turns).unref();
    },
    remove(stream) {
      slotOf.get(stream)?.delete(stream);
      slotOf.delete(stream);
      if (slotOf.size > 0 || timer === null) return;
      clearInterval(timer);
      timer = null;
    },
  };
}
