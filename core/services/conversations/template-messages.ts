import type { ChannelAccount } from "../../../db/entities/channel-account.ts";
import type { Conversation } from "../../../db/entities/conversation.ts";
import type { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { GraphTemplate } from "../../channels/meta/template-message.ts";
import type { AttachmentKind } from "../../model/attachment.ts";
import type { MessageError, Template } from "../../model/message.ts";
import { findSentFile } from "./outgoing-files.ts";
import { requestWabaSync } from "../templates/template-syncs.ts";
import {
  judgeTemplate,
  templateError,
  templateFailure,
  unreadableList,
} from "../templates/templates.ts";
import { getChannelAccount } from "../conversation-records/conversation-records.ts";

/** Text of a template that is recorded, or the reason why it cannot be sent. */
export interface RecordedTemplate {
  /** The text that the customer will read; null where the list of templates does not tell yet. */
  content: string | null;
  failure: MessageError | null;
}

/**
 * Checks a template before it is recorded. If the list of templates is too old to judge it, a read
 * of the list is requested, and the send judges it.
 * @param isStrict throws where the template cannot be sent; else the failure is recorded.
 * @param file kind of the message's file, which is the heading.
 * @throws AppError `template_unavailable`, `invalid_template_params`
 */
export async function recordTemplate(
  tx: Tx,
  conversation: Conversation,
  template: Template,
  { isStrict, file }: { isStrict: boolean; file: AttachmentKind | null },
): Promise<RecordedTemplate> {
  const channel = await getChannelAccount(tx, conversation.channelAccountId);
  const verdict = await judgeTemplate(tx, channel, template, tx.now, file);
  switch (verdict.state) {
    case "free":
      return { content: null, failure: null };
    case "ready":
      return { content: verdict.content, failure: null };
    case "unread":
      await requestWabaSync(tx, verdict.wabaId);
      return { content: null, failure: null };
    case "refused":
      if (isStrict) throw templateError(verdict.refusal);
      return { content: null, failure: templateFailure(verdict.refusal) };
  }
}

/** A template that can be sent, the reason why it cannot, or a wait for the list. */
export type OpenedTemplate =
  | { template: GraphTemplate | null; content: string | null }
  | { error: MessageError }
  | { waitMs: number };

const minWaitMs = 1_000;
const maxWaitMs = 30_000;

/**
 * Judges the template of a message right before it is sent. The list may have changed since the
 * message was recorded, or was too old then. A message without a template opens at once.
 */
export async function openTemplate(
  tx: Tx,
  { id, template, content, createdAt, attachmentCount }: Message,
  channel: ChannelAccount,
): Promise<OpenedTemplate> {
  if (template === null) return { template: null, content };
  const file = attachmentCount === 0 ? null : await findSentFile(tx, id);
  const verdict = await judgeTemplate(tx, channel, template, createdAt, file?.kind ?? null);
  switch (verdict.state) {
    case "free":
      return { template: null, content };
    case "ready":
      return { template: verdict.template, content: verdict.content };
    case "refused":
      return { error: templateFailure(verdict.refusal) };
    case "unread": {
      if (verdict.failure !== null) return { error: unreadableList(verdict.failure) };
      if (!verdict.isRequested) await requestWabaSync(tx, verdict.wabaId);
      const ageMs = tx.now.getTime() - createdAt.getTime();
      return { waitMs: Math.min(maxWaitMs, Math.max(minWaitMs, Math.floor(ageMs / 4))) };
    }
  }
}
