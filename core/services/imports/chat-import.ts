import type { ImportRow } from "../../../db/entities/import.ts";
import type { Tx } from "../../../db/transaction.ts";
import { phoneKey } from "../../model/contact.ts";
import type { ChatMapping } from "../../model/import.ts";
import { placeholders } from "../sql.ts";
import { insertChatMessages, noteChatMessages } from "./chat-messages.ts";
import { findChatContactId, lockOrOpenChatConversation } from "./chat-conversation.ts";
import { findNewNumbers, messageOf, type NumberedMessage } from "./chat-repeats.ts";
import { undoChatRows } from "./chat-undo.ts";
import type { ImportJob, ImportKind, PlannedRow, RawRecord } from "./import-kind.ts";

/**
 * Import of the export of one WhatsApp chat. Its messages join the contact's WhatsApp conversation
 * at the times that they had.
 */
export const chatImport: ImportKind = {
  planBatch,
  commitBatch,
  undoBatch: undoChatRows,
};

function mappingOf({ mapping }: ImportJob): ChatMapping {
  if (mapping === null || !("us" in mapping)) throw new Error("The chat has no mapping.");
  return mapping;
}

async function planBatch(tx: Tx, job: ImportJob, records: RawRecord[]): Promise<PlannedRow[]> {
  const mapping = mappingOf(job);
  const contactId = await findChatContactId(tx, mapping);
  const messages = toMessages(records);
  const isNew = await findNewNumbers(tx, job.id, contactId, messages);
  const key = phoneKey(mapping.contact.phone);
  const isEmpty = new Set(messages.filter(({ raw }) => isEmptyText(raw)).map((one) => one.number));
  return records.map(({ number }) => {
    const plan = isEmpty.has(number) ? "skip" : isNew.has(number) ? "create" : "unchanged";
    const reason = plan === "skip" ? "empty_message" : null;
    const shared = { fields: null, firstRow: null, email: null };
    return { number, plan, reason, contactId, phoneKey: key, ...shared };
  });
}

/** Marks alone are left of such a message. */
function isEmptyText({ kind, text }: NumberedMessage["raw"]): boolean {
  return kind === "text" && text.trim() === "";
}

function toMessages(rows: readonly Pick<ImportRow, "number" | "raw">[]): NumberedMessage[] {
  return rows.flatMap(({ number, raw }) => {
    const message = messageOf(raw);
    return message === null ? [] : [{ number, raw: message }];
  });
}

async function commitBatch(tx: Tx, job: ImportJob, rows: ImportRow[]): Promise<void> {
  const chat = await lockOrOpenChatConversation(tx, mappingOf(job));
  const { conversation } = chat;
  const messages = toMessages(rows);
  const isNew = await findNewNumbers(tx, job.id, conversation.contactId, messages);
  const added = messages.filter(({ number }) => isNew.has(number));
  const ids = await insertChatMessages(tx, conversation, added);
  await noteChatMessages(tx, conversation, added, ids);
  const numbers = added.map(({ number }) => number);
  await storeCreated(tx, job.id, conversation.contactId, { numbers, ids });
  const others = rows.map(({ number }) => number).filter((number) => !isNew.has(number));
  await storeUnchanged(tx, job.id, conversation.contactId, others);
  const [first] = numbers;
  if (first === undefined || !chat.createdConversation) return;
  // An undo of the whole import takes back the conversation too.
  const before = { conversation: conversation.id, contact: chat.createdContact };
  await tx.manager.query(
    "UPDATE import_rows SET before_values = ? WHERE import_id = ? AND number = ?",
    [JSON.stringify(before), job.id, first],
  );
}

async function storeCreated(
  tx: Tx,
  importId: number,
  contactId: number,
  { numbers, ids }: { numbers: readonly number[]; ids: readonly number[] },
): Promise<void> {
  if (numbers.length === 0) return;
  await tx.manager.query(
    `UPDATE import_rows r
       JOIN (VALUES ${numbers.map(() => "ROW(?, ?)").join(", ")}) AS v (number, message_id)
         ON r.number = v.number
        SET r.state = 'created', r.contact_id = ?, r.message_id = v.message_id
      WHERE r.import_id = ?`,
    [...numbers.flatMap((number, index) => [number, ids[index]]), contactId, importId],
  );
}

async function storeUnchanged(
  tx: Tx,
  importId: number,
  contactId: number,
  numbers: readonly number[],
): Promise<void> {
  if (numbers.length === 0) return;
  await tx.manager.query(
    `UPDATE import_rows SET state = 'unchanged', contact_id = ?
      WHERE import_id = ? AND number IN (${placeholders(numbers)})`,
    [contactId, importId, ...numbers],
  );
}
