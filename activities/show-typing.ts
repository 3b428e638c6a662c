import { buildTypingRequests } from "../core/channels/meta/typing-request.ts";
import { findTurnMessage } from "../core/services/agent/turn-messages.ts";
import { noteMarked } from "../core/services/conversations/read-marks.ts";
import { openChannelAccess } from "../core/services/channels/channel-access.ts";
import { oneStatement, systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./deps.ts";

/** A sign that comes later than this is of no use. */
const timeoutMs = 3_000;

type TypingDeps = Pick<ActivityDeps, "dataSource" | "secretBox" | "graph" | "log">;

/**
 * Shows the customer of a turn that the message was read and an answer is on its way. Nobody waits
 * for it, and a failure changes nothing: the answer itself tells more.
 */
export function startTyping(deps: TypingDeps, accountId: number, turnId: number): void {
  showTyping(deps, accountId, turnId).catch((error: unknown) => {
    deps.log.warn({ err: error, turn_id: turnId }, "agent.typing_failed");
  });
}

async function showTyping(
  { dataSource, secretBox, graph }: TypingDeps,
  accountId: number,
  turnId: number,
): Promise<void> {
  const options = systemOf(accountId);
  const message = await oneStatement(dataSource, options, (tx) => findTurnMessage(tx, turnId));
  if (message === null) return;
  const access = await transaction(dataSource, options, async (tx) => {
    const found = await openChannelAccess(tx, secretBox, message.channelAccountId);
    if (found !== null) await noteMarked(tx, turnId);
    return found;
  });
  if (access === null) return;
  const { customer, messageId } = message;
  for (const { host, path, body } of buildTypingRequests(message, customer, messageId)) {
    await graph.call({ base: host, method: "POST", path, body, ...access, timeoutMs });
  }
}
