import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource } from "typeorm";
import type { Logger } from "../../core/log.ts";
import { isSendingHeld } from "../../core/model/channels.ts";
import { minuteMs } from "../../core/model/durations.ts";
import {
  listExpiredHeld,
  listHoldingChannels,
  releaseHeld,
  type HoldingChannel,
} from "../../core/services/channels/held-messages.ts";
import { failHeld } from "../../core/services/conversations/message-sending.ts";
import { oneStatement, systemOf, transaction } from "../../db/transaction.ts";

const pollMs = 500;
const expireEveryMs = minuteMs;

/** Dependencies of the release. */
export interface ReleaseDeps {
  dataSource: DataSource;
  log: Logger;
}

/** The loop that restarts held messages once their channel can send again. */
export interface HeldRelease {
  /** Stops, and resolves after the messages in progress. */
  stop(): Promise<void>;
}

/**
 * Starts the loop. Held messages have no run in Temporal that waits, so one statement a poll is all
 * they cost. Any number of loops may run: the row of the channel is locked.
 */
export function startRelease(deps: ReleaseDeps): HeldRelease {
  const stopping = new AbortController();
  const loop = runLoop(deps, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}

/** Restarts messages of every channel that can send again. @returns number of messages */
export async function releaseOnce({ dataSource }: Pick<ReleaseDeps, "dataSource">) {
  let released = 0;
  for (const channel of await listChannels(dataSource)) {
    if (isSendingHeld(channel)) continue;
    const { id, accountId } = channel;
    released += await transaction(dataSource, systemOf(accountId), (tx) => releaseHeld(tx, id));
  }
  return released;
}

/** Fails messages that have been held for 24 hours. @returns number of messages */
export async function expireOnce({ dataSource }: Pick<ReleaseDeps, "dataSource">) {
  let expired = 0;
  for (const { id, accountId } of await listChannels(dataSource)) {
    const options = systemOf(accountId);
    const ids = await oneStatement(dataSource, options, (tx) => listExpiredHeld(tx, id));
    for (const one of ids) await transaction(dataSource, options, (tx) => failHeld(tx, one));
    expired += ids.length;
  }
  return expired;
}

async function listChannels(dataSource: DataSource): Promise<HoldingChannel[]> {
  return await oneStatement(dataSource, systemOf(), listHoldingChannels);
}

async function runLoop(deps: ReleaseDeps, stopping: AbortSignal): Promise<void> {
  let expiredAt = 0;
  while (!stopping.aborted) {
    try {
      const released = await releaseOnce(deps);
      if (released > 0) deps.log.info({ messages: released }, "messages.released");
      if (performance.now() - expiredAt >= expireEveryMs) {
        await expireOnce(deps);
        expiredAt = performance.now();
      }
    } catch (error) {
      deps.log.error({ err: error }, "messages.release_failed");
    }
    await sleep(pollMs, undefined, { signal: stopping }).catch(() => undefined);
  }
}
