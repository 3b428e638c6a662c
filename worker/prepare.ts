import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../core/log.ts";
import { minuteMs } from "../core/model/durations.ts";

/** Options of a preparation of Temporal, which a worker starts and need not wait for. */
export interface Preparing {
  log: Logger;
  /** Ends further tries. */
  stopping: AbortSignal;
  /** Pause between two tries. Default: one minute. */
  everyMs?: number;
  /** Pause after which a success is repeated, in case it was undone. Default: never repeated. */
  againMs?: number;
}

/**
 * Does `work`, and repeats it until it succeeds. So a server that is slow during a start is
 * prepared without a further start. Never throws. Each new reason of a failure is logged once, as
 * `message` with `fields`.
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
