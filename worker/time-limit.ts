/** Thrown if Temporal has not answered in time. */
export class TemporalSilent extends Error {
  override readonly name = "TemporalSilent";
}

/**
 * Limits a call to Temporal to `ms`. A deadline on the call is not enough. The SDK retries a lost
 * server for ten seconds, and waits for a silent one without end. A call that timed out may still
 * take effect, so only repeatable calls may go here.
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
