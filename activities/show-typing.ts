import { buildTypingRequests } from "../core/channels/meta/typing-request.ts";
import { findTurnPlace } from "../core/services/agent/turn-place.ts";
import { noteMarked } from "../core/services/conversations/read-marks.ts";
import { openChannelAccess } from "../core/services/channels/channel-access.ts";
import { systemOf, transaction } from "../db/transaction.ts";
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
  const found = await transaction(dataSource, systemOf(accountId), async (tx) => {
    const place = await findTurnPlace(tx, turnId);
    if (place === null) return null;
    const access = await openChannelAccess(tx, secretBox, place.channelAccountId);
    if (access === null) return null;
    await noteMarked(tx, turnId);
    return { place, access };
  });
  if (found === null) return;
  const { place, access } = found;
  for (const { host, path, body } of buildTypingRequests(place, place.customer, place.messageId)) {
    await graph.call({ base: host, method: "POST", path, body, ...access, timeoutMs });
  }
}
