import { useState } from "react";
import { useNow } from "../../lib/time.ts";
import { addSample, rateOf, type RateSample } from "./rate.ts";

const everyMs = 1_000;

/**
 * Rows per second of work under way; null while it is too early to say, or while nothing runs.
 * @param work names the work. Other work has a rate of its own.
 */
export function useRate(work: string, done: number, isRunning: boolean): number | null {
  const now = useNow(everyMs);
  const [kept, setKept] = useState<{ key: string; samples: RateSample[] }>({
    key: "",
    samples: [],
  });
  const key = isRunning ? work : "";
  const before = kept.key === key ? kept.samples : [];
  // A sample each second, so that the rate falls while no row is done.
  if (kept.key !== key || (isRunning && before.at(-1)?.at !== now)) {
    setKept({ key, samples: isRunning ? addSample(before, { at: now, done }) : [] });
  }
  return rateOf(before);
}
