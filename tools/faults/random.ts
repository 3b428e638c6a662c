/** A random generator with a seed. */
export interface Chance {
  /** A number in [0, 1). */
  next(this: void): number;
  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number;
  pick<T>(from: readonly T[]): T;
  shuffle<T>(list: readonly T[]): T[];
  /**
   * Another generator, seeded by this seed and the name. Draws from one do not change the other.
   */
  fork(name: string): Chance;
}

/** Creates a generator: mulberry32, with 32 bits of state and the same numbers on every machine. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    between,
    pick<T>(from: readonly T[]): T {
      const picked = from[between(0, from.length - 1)];
      if (picked === undefined) throw new Error("There is nothing to pick from.");
      return picked;
    },
    shuffle: (list) =>
      list
        .map((value) => ({ value, place: next() }))
        .toSorted((a, b) => a.place - b.place)
        .map(({ value }) => value),
    fork: (name) =>
      createChance(Buffer.from(name).reduce((hash, byte) => Math.imul(hash, 31) + byte, seed)),
  };
}
