import { setTimeout as sleep } from "node:timers/promises";
import {
  findChannelChores,
  type ChannelChore,
} from "../../core/services/channels/channel-chores.ts";
import { oneStatement, systemOf } from "../../db/transaction.ts";
import { checkAllDueChannels, type ChannelCheckDeps } from "./channel-checks.ts";
import { sendAllReadMarks } from "./read-marks.ts";
import { createRelease } from "./release-held.ts";

const pollMs = 500;
const faultMs = 1_000;

/** The loop over the work of the channels that no ring announces. */
export interface ChannelChores {
  /** Stops, and resolves after the work in progress. */
  stop(): Promise<void>;
}

/**
 * Starts the loop: held messages, read marks and checks of channels share one look. A chore runs
 * beside the next looks, so none delays another. Any number of loops may run, because each chore
 * locks or claims its rows.
 */
export function startChannelChores(deps: ChannelCheckDeps): ChannelChores {
  const stopping = new AbortController();
  const { signal } = stopping;
  const chores: Record<ChannelChore, () => Promise<void>> = {
    held: createRelease(deps),
    marks: async () => await sendAllReadMarks(deps, signal),
    checks: async () => await checkAllDueChannels(deps, signal),
  };
  const underWay = new Map<ChannelChore, Promise<void>>();
  const begin = (chore: ChannelChore): void => {
    if (underWay.has(chore)) return;
    const run = chores[chore]()
      .catch((error: unknown) => deps.log.error({ err: error, chore }, "channels.chore_failed"))
      .finally(() => underWay.delete(chore));
    underWay.set(chore, run);
  };
  const loop = runLoop(deps, begin, signal);
  return {
    async stop() {
      stopping.abort();
      await loop;
      await Promise.all(underWay.values());
    },
  };
}

async function runLoop(
  { dataSource, log }: ChannelCheckDeps,
  begin: (chore: ChannelChore) => void,
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    let pauseMs = pollMs;
    try {
      const found = await oneStatement(dataSource, systemOf(), findChannelChores);
      if (!stopping.aborted) for (const chore of found) begin(chore);
    } catch (error) {
      log.error({ err: error }, "channels.chores_failed");
      pauseMs = faultMs * (0.5 + Math.random() / 2);
    }
    await sleep(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
  }
}
