import { setTimeout as sleep } from "node:timers/promises";
import type { ChannelDanger } from "../core/channels/meta/send-result.ts";
import { signMediaToken } from "../core/media/media-token.ts";
import { restLinkMs } from "../core/model/media.ts";
import { isMetaDriver } from "../core/model/channels.ts";
import type { ReportedStatus } from "../core/model/message.ts";
import type { SendMessageInput, SendOutcome } from "../core/model/workflow/sending.ts";
import { openChannelAccess } from "../core/services/channels/channel-access.ts";
import { reportChannelTrouble } from "../core/services/channels/channel-state.ts";
import {
  beginSend,
  cancelSend,
  completeSend,
  endUnknownSend,
  recordMessageStatus,
  type BookTurn,
  type SendMaterial,
  type SendResult,
} from "../core/services/conversations/message-sending.ts";
import { requestTemplateSync } from "../core/services/templates/template-syncs.ts";
import { systemOf, transaction, type Tx } from "../db/transaction.ts";
import { createChannelPorts } from "./channels/index.ts";
import type { LinkFile } from "./channels/meta.ts";
import type { ActivityDeps } from "./deps.ts";
import type { SendPace } from "./limits/send-pace.ts";
import { createSendShare, type ReadShare } from "./limits/send-share.ts";
import { retryFor } from "./retry-for.ts";

/** Time limit from the call to the first byte. A later hand-over does not happen. */
const beginMs = 3_000;
/** Time limit to store the channel's answer. After that the outcome counts as unknown. */
const completionMs = 40_000;
const notSent = { kind: "transient", scope: "provider", waitMs: 0, providerCode: null } as const;

/** The activities that hand a message to its channel. Each may run twice and sends once. */
export function createSendMessage(deps: ActivityDeps) {
  const { dataSource, log, sendPace: pace } = deps;
  const ports = createChannelPorts(deps.graph, linkFileOf(deps));
  const book = createBookTurn(pace, createSendShare());

  /** Records the hand-over, and opens the credentials of its channel. */
  async function begin(tx: Tx, input: SendMessageInput) {
    const start = await beginSend(tx, input, book);
    if (!start.go) return start;
    const leaveAt = performance.now() + start.delayMs;
    const { driver, message } = start.material;
    const access = isMetaDriver(driver)
      ? await openChannelAccess(tx, deps.secretBox, message.channelAccountId)
      : null;
    return { ...start, access, leaveAt };
  }

  return {
    /** Hands a message to its channel and stores the channel's answer. */
    async sendToChannel(this: void, input: SendMessageInput): Promise<SendOutcome> {
      const options = systemOf(input.accountId);
      const beginBy = performance.now() + beginMs;
      const start = await transaction(dataSource, options, (tx) => begin(tx, input));
      if (!start.go) return start.outcome;
      const { material, access, leaveAt } = start;
      // The commit has taken a part of the wait.
      const waitMs = leaveAt - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      // After this time another worker may have begun. A message that has not left may be sent
      // again.
      const late = performance.now() > beginBy;
      const port = ports[material.driver];
      const { id, channel, channelAccountId, tries } = material.message;
      pace.leave({ channelAccountId, messageId: id });
      const result = late ? notSent : await port.send(material, access, beginBy);
      learn(pace, material, result);
      const outcome = await retryFor(
        () =>
          transaction(dataSource, options, async (tx) => {
            const completed = await completeSend(tx, input, result);
            const danger = findDanger(result);
            if (danger !== null) await reportChannelTrouble(tx, channelAccountId, danger);
            if (isTemplateRefused(result)) await requestTemplateSync(tx, channelAccountId);
            return completed;
          }),
        completionMs,
      );
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

/** A network reads the file right away, or within the hour. */
function linkFileOf({ publicUrl, secretBox }: ActivityDeps): LinkFile {
  return (accountId, mediaId) => {
    const grant = { accountId, mediaId, variant: "original", disposition: "inline" } as const;
    const token = signMediaToken(secretBox, grant, new Date(Date.now() + restLinkMs));
    return `${publicUrl}/media/${token}`;
  };
}

/** Books turns by this process's share of the pace. The sandbox has no pace. */
export function createBookTurn(pace: SendPace, readShare: ReadShare): BookTurn {
  return async (tx, { message, driver, to, isCoexisting }, soonMs) => {
    if (!isMetaDriver(driver)) return 0;
    const { id: messageId, channelAccountId, type, part } = message;
    const share = await readShare(tx, channelAccountId, driver === "whatsapp_cloud");
    // The caption that follows a file is a text.
    const isHeavy = (type === "audio" || type === "video") && part !== 1;
    const turn = { messageId, channelAccountId, driver, to, isCoexisting, isHeavy, share };
    return pace.book(turn, soonMs);
  };
}

function learn(pace: SendPace, { message, driver }: SendMaterial, result: SendResult): void {
  if (!isMetaDriver(driver) || result.kind !== "transient" || result.scope !== "number") return;
  pace.slowDown({ channelAccountId: message.channelAccountId, driver });
}

/** The list of templates is out of date. */
function isTemplateRefused(result: SendResult): boolean {
  return result.kind === "permanent" && result.error.code === "template_rejected";
}

/** State of the channel of which a result tells, or null. */
export function findDanger(result: SendResult): ChannelDanger | null {
  if (result.kind === "blocked") return result;
  return result.kind === "permanent" ? (result.danger ?? null) : null;
}
