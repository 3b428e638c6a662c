import type { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { MessageError, Template } from "../../model/message.ts";
import { requestWabaSync } from "../templates/template-syncs.ts";
import { judgeTemplate, templateError, templateFailure } from "../templates/templates.ts";
import { getChannelAccount } from "./conversation-records.ts";

/** Text of a template that is recorded, or the reason why it cannot be sent. */
export interface RecordedTemplate {
  /** What the customer will read; null where the list of templates does not tell yet. */
  content: string | null;
  failure: MessageError | null;
}

/**
 * Checks a template before it is recorded. If the list of templates is too old to judge it, a read
 * of the list is requested, and the send judges it.
 * @param isStrict throws where the template cannot be sent; else the failure is recorded.
 * @throws AppError `template_unavailable`, `invalid_template_params`
 */
export async function recordTemplate(
  tx: Tx,
  conversation: Conversation,
  template: Template,
  isStrict: boolean,
): Promise<RecordedTemplate> {
  const channel = await getChannelAccount(tx, conversation.channelAccountId);
  const verdict = await judgeTemplate(tx, channel, template, tx.now);
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
