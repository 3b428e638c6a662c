import type { ReportedStatus } from "../core/model/message.ts";
import type { SendMessageInput, SendOutcome } from "../core/model/workflow/sending.ts";
import {
  beginSend,
  cancelSend,
  completeSend,
  endUnknownSend,
  recordMessageStatus,
} from "../core/services/conversations/message-sending.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import { channelPorts } from "./channels/index.ts";
import type { ActivityDeps } from "./deps.ts";
import { retryFor } from "./retry-for.ts";

/** Time limit to store the beginning of a hand-over. A later hand-over does not happen. */
const beginMs = 3_000;
/** Time limit to store the channel's answer. After that the outcome counts as unknown. */
const completionMs = 40_000;
const notSent = { kind: "transient", providerCode: null } as const;

/** The activities that hand a message to its channel. Each may run twice and sends once. */
export function createSendMessage({ dataSource, log }: ActivityDeps) {
  return {
    /** Hands a message to its channel and stores the channel's answer. */
    async sendToChannel(input: SendMessageInput): Promise<SendOutcome> {
      const options = systemOf(input.accountId);
      const calledAt = performance.now();
      const start = await transaction(dataSource, options, (tx) => beginSend(tx, input));
      if (!start.go) return start.outcome;
      const { material } = start;
      // After this time another worker may have begun. A message that has not left may be sent
      // again.
      const late = performance.now() - calledAt > beginMs;
      const result = late ? notSent : await channelPorts[material.driver].send(material);
      const outcome = await retryFor(
        () => transaction(dataSource, options, (tx) => completeSend(tx, input, result)),
        completionMs,
      );
      const { id, channel, tries } = material.message;
      log.info({ message_id: id, channel, tries, state: outcome.state }, "message.handed_over");
      return outcome;
    },

    /** Ends the wait for a message without an answer. */
    async endUnknownSend(input: SendMessageInput): Promise<void> {
      await transaction(dataSource, systemOf(input.accountId), (tx) => endUnknownSend(tx, input));
    },

    /** Cancels a message whose run an operator cancelled in Temporal UI. */
    async cancelSend(input: SendMessageInput): Promise<SendOutcome["state"]> {
      return await transaction(dataSource, systemOf(input.accountId), (tx) =>
        cancelSend(tx, input),
      );
    },

    /** Stores a report of the sandbox on a message. */
    async recordReport(input: SendMessageInput & { status: ReportedStatus }): Promise<void> {
      await transaction(dataSource, systemOf(input.accountId), (tx) =>
        recordMessageStatus(tx, input.messageId, input.status),
      );
    },
  };
}
