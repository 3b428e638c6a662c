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

const expireEveryMs = minuteMs;

/** Dependencies of the release. */
export interface ReleaseDeps {
  dataSource: DataSource;
  log: Logger;
}

/**
 * Creates the release of held messages, which have no run in Temporal that waits. A call restarts
 * those whose channel can send again. Once a minute it fails those that were held for too long.
 */
export function createRelease(deps: ReleaseDeps): () => Promise<void> {
  let expiredAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const released = await releaseOnce(deps);
    if (released > 0) deps.log.info({ messages: released }, "messages.released");
    if (performance.now() - expiredAt < expireEveryMs) return;
    await expireOnce(deps);
    expiredAt = performance.now();
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
