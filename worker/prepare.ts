import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../core/log.ts";

const minuteMs = 60_000;

/** How a worker's start brings about what Temporal should have, and what can wait. */
export interface Preparing {
  log: Logger;
  /** Ends what is still tried. */
  stopping: AbortSignal;
  /** Between two tries. A minute unless told. */
  everyMs?: number;
}

/**
 * Does `work`, and where that fails again and again until it succeeds: a server that is slow at the
 * moment of a start must not be without it until the next one. Never throws; each reason of a failure
 * goes to the log once, as `message` with `fields`.
 * @returns after the first try.
 */
export async function prepare(
  { log, stopping, everyMs = minuteMs }: Preparing,
  message: string,
  work: () => Promise<void>,
  fields: Record<string, unknown> = {},
): Promise<void> {
  let told = "";
  const isDone = async (): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      const reason = String(error);
      if (reason !== told && !stopping.aborted) log.warn({ err: error, ...fields }, message);
      told = reason;
      return false;
    }
  };
  const goOn = async (): Promise<void> => {
    do {
      await sleep(everyMs, undefined, { signal: stopping, ref: false }).catch(() => undefined);
    } while (!stopping.aborted && !(await isDone()));
  };
  if (!(await isDone())) void goOn();
}
