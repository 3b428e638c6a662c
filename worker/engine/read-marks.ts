import type { DataSource } from "typeorm";
import type { Graph } from "../../activities/channels/graph.ts";
import { buildReadRequest } from "../../core/channels/meta/typing-request.ts";
import type { Logger } from "../../core/log.ts";
import { openChannelAccess } from "../../core/services/channels/channel-access.ts";
import {
  claimReadMarks,
  readMark,
  type ClaimedMark,
} from "../../core/services/conversations/read-marks.ts";
import type { SecretBox } from "../../core/secrets.ts";
import { systemOf, transaction } from "../../db/transaction.ts";

/** Marks that a worker sends at once. */
const atOnce = 16;
const timeoutMs = 5_000;

/** Dependencies of the marks. */
export interface ReadMarkDeps {
  dataSource: DataSource;
  secretBox: SecretBox;
  graph: Graph;
  log: Logger;
}

/**
 * Marks customers' messages as read at their network, until no mark is due. A mark is taken under a
 * lock, before its call.
 */
export async function sendAllReadMarks(deps: ReadMarkDeps, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && (await sendReadMarks(deps)) === atOnce);
}

/** Sends the marks that are due, each once at most. @returns their number */
export async function sendReadMarks(deps: ReadMarkDeps): Promise<number> {
  const { dataSource } = deps;
  const marks = await transaction(dataSource, systemOf(), (tx) => claimReadMarks(tx, atOnce));
  await Promise.all(marks.map((mark) => sendOne(deps, mark)));
  return marks.length;
}

/** A failure changes nothing: the mark of the customer's next message covers this one. */
async function sendOne(
  { dataSource, secretBox, graph, log }: ReadMarkDeps,
  claimed: ClaimedMark,
): Promise<void> {
  try {
    const found = await transaction(dataSource, systemOf(claimed.accountId), async (tx) => {
      const mark = await readMark(tx, claimed);
      const access =
        mark === null ? null : await openChannelAccess(tx, secretBox, mark.channelAccountId);
      return mark === null || access === null ? null : { mark, access };
    });
    if (found === null) return;
    const { mark, access } = found;
    const { host, path, body } = buildReadRequest(mark, mark.customer, mark.messageId);
    await graph.call({ base: host, method: "POST", path, body, ...access, timeoutMs });
  } catch (error) {
    log.warn({ err: error, message_id: claimed.messageId }, "channels.read_mark_failed");
  }
}
