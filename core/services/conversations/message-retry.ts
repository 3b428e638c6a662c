import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, notFound } from "../../errors.ts";
import { inboxSendBody, messageSendBody, retryIdOf } from "../../model/message.ts";
import { readSentInteractive } from "../../model/interactive.ts";
import { findSentFile } from "./outgoing-files.ts";
import { findByExternalId, sendMessage } from "./messages.ts";
import { isListedIn } from "./options.ts";

/**
 * Sends a failed message once more, as a new message of the acting user. A failed message is sent
 * again once: a repeat returns the message that replaced it.
 * @param confirmed true if the user accepts that the customer may read the message twice.
 * The file of the failed message moves to the new one; that of an address is fetched once more.
 * @throws AppError `upload_unavailable` where the file is gone, `message_not_found`, `message_not_failed`, `messaging_window_closed`,
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
  const replaced = await findByExternalId(tx, failed.conversationId, retryIdOf(id));
  // Its file has moved, so the failed message could not be sent anew.
  if (replaced !== null) return { row: replaced, created: false };
  const { type, media, template, replyToMessageId } = failed;
  const again = { reply_to_message_id: replyToMessageId ?? undefined, external_id: retryIdOf(id) };
  if (failed.attachmentCount > 0 && media === null) {
    // The text of a template is rendered from its values once more.
    const content = type === "template" ? undefined : (failed.content ?? undefined);
    const kind = inboxSendBody.shape.type.parse(type);
    return await sendMessage(tx, failed.conversationId, {
      ...again,
      type: kind,
      content,
      template: template ?? undefined,
      movedFrom: id,
    });
  }
  const file = media === null ? null : await findSentFile(tx, id);
  const body = messageSendBody.parse({
    ...again,
    type,
    // The text of a template or of options is made once more.
    content:
      type === "template" || type === "interactive" ? undefined : (failed.content ?? undefined),
    interactive: optionsOf(failed),
    media_url: media?.url,
    filename: file?.filename ?? undefined,
    template: template ?? undefined,
  });
  const sent = readSentInteractive(failed.interactive);
  const isListed = sent !== null && isListedIn(failed.content, sent);
  return await sendMessage(tx, failed.conversationId, { ...body, isListed });
}

/** The options of a message, without the form in which they went. */
function optionsOf({ interactive }: Message) {
  const sent = readSentInteractive(interactive);
  if (sent === null) return undefined;
  const { kind, body, options } = sent;
  return { kind, body, options };
}
