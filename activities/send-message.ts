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
import type { ActivityDeps } from "./index.ts";
import { retryFor } from "./retry-for.ts";

/** A hand-over that could not be written down within this time does not happen. */
const beginMs = 3_000;
/** For how long the channel's word is worth writing down: without it the message counts as lost. */
const completionMs = 40_000;
const notSent = { kind: "transient", providerCode: null } as const;

/** The activities that take a message to its channel. Each may run twice and sends once. */
export function createSendMessage({ dataSource, log }: ActivityDeps) {
  return {
    /** Hands a message to its channel and writes down what the channel made of it. */
    async sendToChannel(input: SendMessageInput): Promise<SendOutcome> {
      const options = systemOf(input.accountId);
      const calledAt = performance.now();
      const start = await transaction(dataSource, options, (tx) => beginSend(tx, input));
      if (!start.go) return start.outcome;
      const { material } = start;
      // Beyond this time someone else may have begun; what has not left may be sent again.
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

    /** Gives up on a message that left without an answer. */
    async endUnknownSend(input: SendMessageInput): Promise<void> {
      await transaction(dataSource, systemOf(input.accountId), (tx) => endUnknownSend(tx, input));
    },

    /** Where an operator cancelled the run in Temporal UI. */
    async cancelSend(input: SendMessageInput): Promise<SendOutcome["state"]> {
      return await transaction(dataSource, systemOf(input.accountId), (tx) =>
        cancelSend(tx, input),
      );
    },

    /** Takes in what the sandbox would report of a message. */
    async recordReport(input: SendMessageInput & { status: ReportedStatus }): Promise<void> {
      await transaction(dataSource, systemOf(input.accountId), (tx) =>
        recordMessageStatus(tx, input.messageId, input.status),
      );
    },
  };
}
