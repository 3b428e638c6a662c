import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource } from "typeorm";
import type { Graph } from "../../activities/channels/graph.ts";
import { buildReadRequest } from "../../core/channels/meta/typing-request.ts";
import type { Logger } from "../../core/log.ts";
import { openChannelAccess } from "../../core/services/channels/channel-access.ts";
import {
  claimReadMarks,
  hasReadMarks,
  readMark,
  type ClaimedMark,
} from "../../core/services/conversations/read-marks.ts";
import type { SecretBox } from "../../core/secrets.ts";
import { oneStatement, systemOf, transaction } from "../../db/transaction.ts";

/** Marks that a worker sends at once. */
const atOnce = 16;
const pollMs = 500;
const faultMs = 10_000;
const timeoutMs = 5_000;

/** Dependencies of the marks. */
export interface ReadMarkDeps {
  dataSource: DataSource;
  secretBox: SecretBox;
  graph: Graph;
  log: Logger;
}

/**
 * Starts the loop that marks customers' messages as read at their network. Any number may run: a
 * mark is taken under a lock, before its call.
 * @returns a function that stops, and resolves after the calls under way
 */
export function startReadMarks(deps: ReadMarkDeps): () => Promise<void> {
  const stopping = new AbortController();
  const loop = runLoop(deps, stopping.signal);
  return async () => {
    stopping.abort();
    await loop;
  };
}

async function runLoop(deps: ReadMarkDeps, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    let pauseMs = pollMs;
    try {
      if ((await sendReadMarks(deps)) === atOnce) pauseMs = 0;
    } catch (error) {
      deps.log.error({ err: error }, "channels.read_marks_failed");
      pauseMs = faultMs * (0.5 + Math.random() / 2);
    }
    await sleep(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
  }
}

/** Sends the marks that are due, each once at most. @returns their number */
export async function sendReadMarks(deps: ReadMarkDeps): Promise<number> {
  const { dataSource } = deps;
  if (!(await oneStatement(dataSource, systemOf(), hasReadMarks))) return 0;
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
