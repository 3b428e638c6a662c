import type { Activities } from "../../activities/index.ts";
import type { SendPace } from "../../activities/limits/send-pace.ts";
import type { Logger } from "../../core/log.ts";
import { channelOf } from "../../core/model/partition-key.ts";
import type { SendMessageInput, SendOutcome } from "../../core/model/workflow/sending.ts";
import type { ClaimedRow } from "../../core/services/outbox/outbox-claims.ts";

/** Dependencies of first hand-overs. */
export interface FirstSendDeps {
  log: Logger;
  sendToChannel: Activities["sendToChannel"];
  /** The pace of `sendToChannel`. */
  sendPace: SendPace;
}

/** First hand-over of a message, by the relay. */
export interface FirstSend {
  input: SendMessageInput;
  channelAccountId: number;
  conversationId: number;
}

/**
 * Result of a first hand-over:
 * - `handed_over`: nothing is left to do;
 * - `tried`: a run goes on, and the message may wait for its next try;
 * - `laterMs`: the relay looks again.
 */
export type FirstSendResult = "handed_over" | "tried" | { laterMs: number };

/**
 * The relay looks again after this, however long the wait for order or pace is. It needs no Temporal
 * for that.
 */
const maxLaterMs = 5_000;
/** A message that has waited for so long is claimed anew, since its lease ends before long. */
const maxQueuedMs = 5_000;

/**
 * The first hand-over for a row; null if the row goes to Temporal instead. A row whose process died
 * goes there first: a hand-over may have begun, and a run waits for the network's word. A row whose
 * start failed, or had no clear answer, may have a run. Whichever of the two writes the hand-over down
 * first makes it.
 * @param isAway Temporal does not answer, so a row whose process died need not go there first
 */
export function findFirstSend(
  { partition_key: key, ...row }: ClaimedRow,
  isAway: boolean,
): FirstSend | null {
  const channelAccountId = channelOf(key);
  if (channelAccountId === null || (row.taken_over && !isAway)) return null;
  const { command, account_id: accountId } = row;
  if (command === null || !("workflow" in command) || command.conversationId === undefined) {
    return null;
  }
  const { messageId } = command.input;
  if (command.workflow !== "sendMessage" || typeof messageId !== "number") return null;
  // A crash may follow a refusal at once, before the row says that there was one.
  const input = { accountId, messageId, tried: true } as const;
  return { input, channelAccountId, conversationId: command.conversationId };
}

/** First hand-overs of one relay. */
export interface FirstSends {
  /** Never throws. After an error of ours a run takes the message. */
  send(first: FirstSend): Promise<FirstSendResult>;
  /** Hand-overs that have not ended. */
  underWay(this: void): number;
}

/**
 * Creates the first hand-overs of one relay. They use the code of the activity: the same write-ahead,
 * order, pause and pace. Messages of a conversation go one after the other, so none of them asks in
 * vain whether the one before it has left. Messages that wait for it count as begun for the pace, and stay
 * in the outbox once `stopping` is aborted.
 */
export function createFirstSends(deps: FirstSendDeps, stopping: AbortSignal): FirstSends {
  // The last hand-over of each conversation. Bounded by the hand-overs under way.
  const last = new Map<number, Promise<FirstSendResult>>();
  let underWay = 0;
  return {
    underWay: () => underWay,
    async send(first) {
      const { conversationId, channelAccountId, input } = first;
      const turn = { messageId: input.messageId, channelAccountId };
      underWay += 1;
      deps.sendPace.announce(turn);
      const claimedAt = performance.now();
      const before = last.get(conversationId) ?? Promise.resolve();
      const own = before.then(async () => {
        const isLate = performance.now() - claimedAt > maxQueuedMs;
        return isLate || stopping.aborted ? { laterMs: 0 } : await sendNow(deps, input);
      });
      last.set(conversationId, own);
      try {
        return await own;
      } finally {
        deps.sendPace.drop(turn);
        underWay -= 1;
        if (last.get(conversationId) === own) last.delete(conversationId);
      }
    },
  };
}

async function sendNow(
  { sendToChannel, log }: FirstSendDeps,
  input: SendMessageInput,
): Promise<FirstSendResult> {
  try {
    return resultOf(await sendToChannel(input));
  } catch (error) {
    log.error({ err: error, message_id: input.messageId }, "relay.send_failed");
    return "tried";
  }
}

function resultOf(outcome: SendOutcome): FirstSendResult {
  switch (outcome.state) {
    case "sent":
      // Networks report by themselves. The sandbox has a run for its reports.
      return outcome.reports.length === 0 ? "handed_over" : "tried";
    case "waiting": {
      const { why, waitMs } = outcome;
      const isOurs = why === "order" || why === "pace";
      return isOurs ? { laterMs: Math.min(waitMs, maxLaterMs) } : "tried";
    }
    case "upload":
    case "unknown":
      return "tried";
    case "held":
    case "failed":
    case "cancelled":
    case "over":
      return "handed_over";
  }
}
