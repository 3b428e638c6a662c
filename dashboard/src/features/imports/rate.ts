/** Rows that were done at a moment, in ms. */
export interface RateSample {
  at: number;
  done: number;
}

/** Samples of this many ms make the rate. A shorter time jumps, a longer time lags. */
const windowMs = 10_000;
/** A rate of a shorter time says nothing yet. */
const leastMs = 1_500;

/** Adds a sample, and drops those that are too old. Fewer rows than before begin anew. */
export function addSample(samples: readonly RateSample[], sample: RateSample): RateSample[] {
  const last = samples.at(-1);
  if (last !== undefined && sample.done < last.done) return [sample];
  const recent = samples.filter(({ at }) => at >= sample.at - windowMs);
  // The last of the old samples stays, so that slow batches have a beginning.
  const older = samples.at(-recent.length - 1);
  return [...(older === undefined ? [] : [older]), ...recent, sample];
}

/** Rows per second between the first sample and the last; null while it is too early to say. */
export function rateOf(samples: readonly RateSample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.at - first.at < leastMs) return null;
  return ((last.done - first.done) / (last.at - first.at)) * 1_000;
}
