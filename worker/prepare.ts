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
  /** After how long what was done is done again, should it have been undone; without it, never. */
  againMs?: number;
}

/**
 * Does `work`, and where that fails again and again until it succeeds: a server that is slow at the
 * moment of a start must not be without it until the next one. Never throws; a reason of a failure
 * goes to the log once, as `message` with `fields`, until it has passed.
 * @returns after the first try.
 */
export async function prepare(
  { log, stopping, everyMs = minuteMs, againMs }: Preparing,
  message: string,
  work: () => Promise<void>,
  fields: Record<string, unknown> = {},
): Promise<void> {
  let told = "";
  const isDone = async (): Promise<boolean> => {
    try {
      await work();
      told = "";
      return true;
    } catch (error) {
      const reason = String(error);
      if (reason !== told && !stopping.aborted) log.warn({ err: error, ...fields }, message);
      told = reason;
      return false;
    }
  };
  const goOn = async (first: boolean): Promise<void> => {
    for (let done = first; ; done = await isDone()) {
      const pauseMs = done ? againMs : everyMs;
      if (pauseMs === undefined) return;
      await sleep(pauseMs, undefined, { signal: stopping, ref: false }).catch(() => undefined);
      if (stopping.aborted) return;
    }
  };
  void goOn(await isDone());
}
