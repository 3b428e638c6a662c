import type { DataSource } from "typeorm";
import { checkStoredChannel } from "../../activities/channels/check-channel.ts";
import type { Graph } from "../../activities/channels/graph.ts";
import { ProviderAwayError } from "../../activities/channels/setup-calls.ts";
import type { Logger } from "../../core/log.ts";
import {
  claimChecks,
  endChecks,
  postponeCheck,
  readCheck,
  storeFindings,
  type DueCheck,
} from "../../core/services/channels/channel-checks.ts";
import type { SecretBox } from "../../core/secrets.ts";
import { systemOf, transaction } from "../../db/transaction.ts";

/** Channels that are checked at once by a worker. */
const atOnce = 4;

/** Dependencies of the checks, and of the marks and the release beside them. */
export interface ChannelCheckDeps {
  dataSource: DataSource;
  secretBox: SecretBox;
  graph: Graph;
  log: Logger;
  /** Origin of the URLs that Meta calls. */
  publicUrl: string;
}

/**
 * Checks the channels that are due, until none is left: every channel once an hour, and at once
 * where a send was refused. A check is claimed by a lease. It needs MySQL and Meta alone.
 */
export async function checkAllDueChannels(
  deps: ChannelCheckDeps,
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted && (await checkDueChannels(deps)) > 0);
}

/** Checks the channels that are due now. @returns their number */
export async function checkDueChannels(deps: ChannelCheckDeps): Promise<number> {
  const { dataSource } = deps;
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
