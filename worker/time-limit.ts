/** Thrown where Temporal has not answered in time. */
export class TemporalSilent extends Error {
  override readonly name = "TemporalSilent";
}

/**
 * What a call to Temporal answers within `ms`. A deadline on the call does not do: the SDK goes on
 * trying a lost server for ten seconds, and waits for a silent one without end. What is given up may
 * still happen, so only calls that can be repeated go here.
 * @throws TemporalSilent
 */
export async function withLimit<T>(ms: number, call: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TemporalSilent()), ms);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}
