import { In, LessThan, Not } from "typeorm";
import { Message } from "../../../db/entities/message.ts";
import { MessageMedia } from "../../../db/entities/message-media.ts";
import type { Tx } from "../../../db/transaction.ts";
import {
  kindsOf,
  type ContactFilesQuery,
  type ContactFileView,
} from "../../model/contact-files.ts";
import { getContact } from "../contacts/contacts.ts";
import { presentAttachment } from "./message-views.ts";
import { cutPage } from "../sql.ts";

/**
 * Files of all conversations of a contact, newest first, without those that were erased. The
 * address of a file is null: the API adds it.
 * @throws AppError `contact_not_found`
 */
export async function listContactFiles(
  tx: Tx,
  contactId: number,
  { limit, before_id: before, kind }: ContactFilesQuery,
): Promise<{ files: ContactFileView[]; next: number | null }> {
  await getContact(tx, contactId);
  const found = await tx.manager.find(MessageMedia, {
    where: {
      accountId: tx.actor.accountId,
      contactId,
      state: Not("erased"),
      ...(kind === undefined ? {} : { kind: In(kindsOf(kind)) }),
      ...(before === undefined ? {} : { id: LessThan(before) }),
    },
    order: { id: "DESC" },
    take: limit + 1,
  });
  const { page, next } = cutPage(found, limit);
  const messages = await tx.manager.find(Message, {
    select: { id: true, direction: true },
    where: { id: In(page.map(({ messageId }) => messageId)) },
  });
  const directions = new Map(messages.map(({ id, direction }) => [id, direction]));
  const files = page.map((row) => ({
    ...presentAttachment(row),
    id: row.id,
    message_id: row.messageId,
    conversation_id: row.conversationId,
    direction: directions.get(row.messageId) ?? ("inbound" as const),
    created_at: row.createdAt.toISOString(),
  }));
  return { files, next: next?.id ?? null };
}
