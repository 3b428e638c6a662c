import { buildSendRequest, type OutgoingContent } from "../../core/channels/meta/send-request.ts";
import { readSendResult } from "../../core/channels/meta/send-result.ts";
import { isMetaDriver } from "../../core/model/channels.ts";
import type { MessageError } from "../../core/model/message.ts";
import type {
  SendMaterial,
  SendResult,
} from "../../core/services/conversations/message-sending.ts";
import type { Graph } from "./graph.ts";
import type { ChannelPort } from "./port.ts";

/** Meta answers most sends within a second. Later the outcome counts as unknown. */
const sendTimeoutMs = 12_000;

const noFiles: MessageError = {
  code: "media_unavailable",
  message: "This channel sends no files yet. Send a link to the file as text.",
  provider_code: null,
};
const noTemplates: MessageError = {
  code: "template_unavailable",
  message: "This channel has no templates. Send a text.",
  provider_code: null,
};

/** Sends over WhatsApp Cloud API, Messenger and Instagram. */
export function createMetaChannel(graph: Graph): ChannelPort {
  return {
    async send(material, access) {
      // A channel without a token was disconnected after the message had been read.
      if (access === null) {
        return { kind: "blocked", state: "needs_reauth", providerCode: "no_token" };
      }
      const content = readContent(material);
      if (content === null) return { kind: "permanent", error: noFiles };
      const { driver, from: externalId, parentId, to, replyToProviderId, tagged } = material;
      if (!isMetaDriver(driver)) throw new Error(`${driver} is no driver of Meta.`);
      const sender = { driver, externalId, parentId };
      const { id } = material.message;
      const request = buildSendRequest(sender, to, { id, content, replyToProviderId, tagged });
      if (request === null) return { kind: "permanent", error: noTemplates };
      const exchange = await graph.call({
        base: request.host,
        method: "POST",
        path: request.path,
        body: request.body,
        ...access,
        timeoutMs: sendTimeoutMs,
      });
      return presentResult(readSendResult(exchange));
    },
  };
}

/** Null for a message with a file. */
function readContent({ message, template }: SendMaterial): OutgoingContent | null {
  if (template !== null) return { template };
  return message.type === "text" ? { text: message.content ?? "" } : null;
}

function presentResult(result: ReturnType<typeof readSendResult>): SendResult {
  switch (result.kind) {
    case "accepted":
      return { ...result, reports: [] };
    case "transient":
      return { ...result, waitMs: 0 };
    case "blocked":
    case "permanent":
    case "unknown":
      return result;
  }
}
