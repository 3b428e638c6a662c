import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource } from "typeorm";
import { checkStoredChannel } from "../../activities/channels/check-channel.ts";
import type { Graph } from "../../activities/channels/graph.ts";
import { ProviderAwayError } from "../../activities/channels/setup-calls.ts";
import type { Logger } from "../../core/log.ts";
import {
  claimChecks,
  endChecks,
  hasDueChecks,
  postponeCheck,
  readCheck,
  storeFindings,
  type DueCheck,
} from "../../core/services/channels/channel-checks.ts";
import type { SecretBox } from "../../core/secrets.ts";
import { oneStatement, systemOf, transaction } from "../../db/transaction.ts";

/** Channels that are checked at once by a worker. */
const atOnce = 4;
const pollMs = 1_000;
const faultMs = 10_000;

/** Dependencies of the checks. */
export interface ChannelCheckDeps {
  dataSource: DataSource;
  secretBox: SecretBox;
  graph: Graph;
  log: Logger;
  /** Origin of the URLs that Meta calls. */
  publicUrl: string;
}

/** The loop that checks channels. */
export interface ChannelChecks {
  /** Stops, and resolves after the checks under way. */
  stop(): Promise<void>;
}

/**
 * Starts the checks: every channel once an hour, and at once where a send was refused. Any number
 * of workers may run them, because a check is claimed by a lease. They need MySQL and Meta alone.
 */
export function startChannelChecks(deps: ChannelCheckDeps): ChannelChecks {
  const stopping = new AbortController();
  const loop = runLoop(deps, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}

async function runLoop(deps: ChannelCheckDeps, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    let pauseMs = pollMs;
    try {
      if ((await checkDueChannels(deps)) > 0) pauseMs = 0;
    } catch (error) {
      deps.log.error({ err: error }, "channels.checks_failed");
      pauseMs = faultMs * (0.5 + Math.random() / 2);
    }
    await sleep(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
  }
}

/** Checks the channels that are due now. @returns their number */
export async function checkDueChannels(deps: ChannelCheckDeps): Promise<number> {
  const { dataSource } = deps;
  if (!(await oneStatement(dataSource, systemOf(), hasDueChecks))) return 0;
  const due = await transaction(dataSource, systemOf(), (tx) => claimChecks(tx, atOnce));
  await Promise.all(due.map((one) => checkOne(deps, one)));
  return due.length;
}

/** A fault of ours leaves the claim, so the check is repeated when its lease ends. */
async function checkOne(
  { dataSource, secretBox, graph, log, publicUrl }: ChannelCheckDeps,
  { id, accountId }: DueCheck,
): Promise<void> {
  const options = systemOf(accountId);
  try {
    const check = await transaction(dataSource, options, (tx) =>
      readCheck(tx, secretBox, id, publicUrl),
    );
    if (check === null) {
      await transaction(dataSource, options, (tx) => endChecks(tx, id));
      return;
    }
    const findings = await checkStoredChannel(graph, check.channel);
    await transaction(dataSource, options, (tx) => storeFindings(tx, secretBox, check, findings));
  } catch (error) {
    if (error instanceof ProviderAwayError) {
      await transaction(dataSource, options, (tx) => postponeCheck(tx, id));
      return;
    }
    log.error({ err: error, channel_account_id: id }, "channels.check_failed");
  }
}
