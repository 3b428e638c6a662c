import { otherAppCodes } from "../../core/channels/meta/graph-errors.ts";
import {
  buildSendRequest,
  buildTakeRequest,
  type OutgoingContent,
  type SendRequest,
} from "../../core/channels/meta/send-request.ts";
import { readSendResult, type MetaSendResult } from "../../core/channels/meta/send-result.ts";
import { withHeaderFile, type GraphTemplate } from "../../core/channels/meta/template-message.ts";
import { safeFileName } from "../../core/media/file-name.ts";
import { unknownType } from "../../core/media/media-type.ts";
import { readSentInteractive } from "../../core/model/interactive.ts";
import { isMetaDriver } from "../../core/model/channels.ts";
import type { MessageError } from "../../core/model/message.ts";
import type { SentFile } from "../../core/services/conversations/message-content.ts";
import type {
  SendMaterial,
  SendResult,
} from "../../core/services/conversations/message-sending.ts";
import { fileKindOf } from "./file-kind.ts";
import type { Graph, GraphExchange } from "./graph.ts";
import type { ChannelPort } from "./port.ts";

/** Meta answers most sends within a second. Later the outcome counts as unknown. */
const sendTimeoutMs = 12_000;

/** Time that is left for a message once its conversation is taken. Both share the time of a send. */
const resendMs = 5_000;

type Post = (request: SendRequest, timeoutMs: number, beginBy: number) => Promise<GraphExchange>;

const noTemplates: MessageError = {
  code: "template_unavailable",
  message: "This channel has no templates. Send a text.",
  provider_code: null,
};

/** Signs an address from which a network reads a stored file. */
export type LinkFile = (accountId: number, mediaId: number) => string;

/** Sends over WhatsApp Cloud API, Messenger and Instagram. */
export function createMetaChannel(graph: Graph, linkFile: LinkFile): ChannelPort {
  return {
    async send(material, access, beginBy) {
      // A channel without a token was disconnected after the message had been read.
      if (access === null) {
        return { kind: "blocked", state: "needs_reauth", providerCode: "no_token" };
      }
      const content = readContent(material, linkFile);
      const { driver, from: externalId, parentId, to, replyToProviderId, tagged } = material;
      if (!isMetaDriver(driver)) throw new Error(`${driver} is no driver of Meta.`);
      const sender = { driver, externalId, parentId };
      const { id, part } = material.message;
      const isCaption = part === 1;
      const request = buildSendRequest(sender, to, {
        id,
        content,
        hasMore: part === 0,
        // The file is the answer, and its caption follows it.
        replyToProviderId: isCaption ? null : replyToProviderId,
        tagged,
      });
      if (request === null) return { kind: "permanent", error: noTemplates };
      const endsAt = performance.now() + sendTimeoutMs;
      const post: Post = async ({ host, path, body }, timeoutMs, by) =>
        await graph.call({
          base: host,
          method: "POST",
          path,
          body,
          ...access,
          timeoutMs,
          beginBy: by,
        });
      const result = readSendResult(await post(request, sendTimeoutMs, beginBy));
      const taking = isHeldByOther(material, result) ? buildTakeRequest(sender, to) : null;
      if (taking === null || !(await take(post, taking, endsAt))) return presentResult(result);
      return presentResult(readSendResult(await post(request, leftUntil(endsAt), endsAt)));
    },
  };
}

/** Another app has the conversation that a person answers. The reply takes it. */
function isHeldByOther({ message }: SendMaterial, result: MetaSendResult): boolean {
  if (message.senderType !== "user" || result.kind !== "permanent") return false;
  return otherAppCodes.has(result.error.provider_code ?? "");
}

/** Takes a conversation, and leaves time for its message. @returns false where Meta refuses */
async function take(post: Post, request: SendRequest, endsAt: number): Promise<boolean> {
  const timeoutMs = leftUntil(endsAt) - resendMs;
  if (timeoutMs <= 0) return false;
  const answer = await post(request, timeoutMs, endsAt);
  return answer.answered && answer.statusCode === 200;
}

function leftUntil(endsAt: number): number {
  return Math.floor(endsAt - performance.now());
}

function readContent(material: SendMaterial, linkFile: LinkFile): OutgoingContent {
  const { message, template, file } = material;
  if (template !== null)
    return { template: file === null ? template : withHeading(template, file) };
  if (file === null) {
    const text = message.content ?? "";
    const choices = readSentInteractive(message.interactive);
    // Numbered lines are a text as any other.
    return choices === null || choices.sent_as === "text" ? { text } : { text, choices };
  }
  const { id, kind, providerMediaId, mime } = file;
  const filename = safeFileName(file.filename, mime ?? unknownType);
  const source =
    providerMediaId === null ? { link: linkFile(message.accountId, id) } : { id: providerMediaId };
  const caption = message.part === null ? message.content : null;
  return { file: { kind: fileKindOf(kind), source, caption, filename } };
}

/** @throws Error for a file that Meta does not have: our bug, because the upload comes first */
function withHeading(template: GraphTemplate, file: SentFile): GraphTemplate {
  const { kind, providerMediaId: id, mime } = file;
  if (id === null || (kind !== "image" && kind !== "video" && kind !== "document")) {
    throw new Error("The heading of a template is no file that Meta has.");
  }
  const filename = safeFileName(file.filename, mime ?? unknownType);
  return withHeaderFile(template, { kind, id, filename });
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
