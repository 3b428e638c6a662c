import { vi } from "vitest";

/**
 * Keeps new timers of this length, and longer ones, from running. So no limit that long ends what the
 * test waits for.
 * @returns the spy, for its `mockRestore`
 */
export function holdTimers(fromMs: number) {
  const start = setTimeout;
  const hold = (run: () => void, ms = 0, ...given: []) =>
    ms >= fromMs ? start(() => undefined, 0) : start(run, ms, ...given);
  return vi.spyOn(globalThis, "setTimeout").mockImplementation(hold as typeof setTimeout);
}
