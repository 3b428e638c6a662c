import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, notFound } from "../../errors.ts";
import { messageSendBody, retryIdOf } from "../../model/message.ts";
import { sendMessage } from "./messages.ts";

/**
 * Sends a failed message once more, as a new message of the acting user. A failed message is sent
 * again once: a repeat returns the message that replaced it.
 * @param confirmed true if the user accepts that the customer may read the message twice.
 * @throws AppError `message_not_found`, `message_not_failed`, `messaging_window_closed`,
 * `message_too_long`, `template_unavailable`, `invalid_template_params`, and
 * `outcome_unknown` without confirmation, if the message may have arrived.
 */
export async function retryMessage(
  tx: Tx,
  id: number,
  confirmed: boolean,
): Promise<{ row: Message; created: boolean }> {
  const failed = await tx.manager.findOneBy(Message, { id, accountId: tx.actor.accountId });
  if (failed === null) throw notFound("message");
  if (failed.direction !== "outbound" || failed.status !== "failed") {
    throw new AppError("message_not_failed");
  }
  if (failed.error?.code === "outcome_unknown" && !confirmed) {
    throw new AppError("outcome_unknown");
  }
  const body = messageSendBody.parse({
    type: failed.type,
    // The text of a template is rendered from its values once more.
    content: failed.type === "template" ? undefined : (failed.content ?? undefined),
    media_url: failed.media?.url,
    template: failed.template ?? undefined,
    reply_to_message_id: failed.replyToMessageId ?? undefined,
    external_id: retryIdOf(id),
  });
  return await sendMessage(tx, failed.conversationId, body);
}
