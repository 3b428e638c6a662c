import { MessageMedia } from "../../../db/entities/message-media.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { StoredMedia } from "../media/media-downloads.ts";
import { recordChange } from "../outbox/changes.ts";
import { lockOwnedIfThere } from "../sql.ts";
import { chatFileReasons } from "./chat-messages.ts";

/** A file of an imported chat that is not in the storage yet. */
export interface WaitingFile {
  /** Of the row of the import. */
  number: number;
  mediaId: number;
  /** Name within the archive. */
  filename: string | null;
}

/** Rows of imports as `r` with their files as `m`, which wait for bytes. The parameter is the reason. */
const waitingRows = `import_rows r FORCE INDEX (PRIMARY)
       JOIN message_media m FORCE INDEX (message_media_message)
         ON m.message_id = r.message_id AND m.account_id = r.account_id
        AND r.state = 'created' AND m.state = 'failed' AND m.reason = ?`;

/** Condition of SQL: files of a row of `imports` wait for their bytes. */
export const hasWaitingFiles = {
  sql: `EXISTS (SELECT 1 FROM ${waitingRows} WHERE r.import_id = imports.id)`,
  values: [chatFileReasons.waiting],
};

/** Files of an import that wait for their bytes, behind a row, in the order of the chat. */
export async function listWaitingFiles(
  tx: Tx,
  importId: number,
  { after, limit }: { after: number; limit: number },
): Promise<WaitingFile[]> {
  const rows = await tx.manager.query<WaitingFile[]>(
    `SELECT r.number, m.id AS mediaId, m.filename
       FROM ${waitingRows}
      WHERE r.import_id = ? AND r.number > ? AND r.account_id = ?
      ORDER BY r.number LIMIT ?`,
    [chatFileReasons.waiting, importId, after, tx.actor.accountId, limit],
  );
  return rows.map((row) => ({ ...row, mediaId: Number(row.mediaId) }));
}

/** Outcome of a file. A missing one is noted at its row. */
export type ChatFileOutcome =
  | { kind: "stored"; stored: StoredMedia }
  | { kind: "missing" }
  | { kind: "refused"; reason: "too_large" | "infected" };

/**
 * Stores the outcome of a file.
 * @returns false if the message is gone by now: then the caller deletes the bytes
 */
export async function settleChatFile(
  tx: Tx,
  importId: number,
  { number, mediaId }: WaitingFile,
  outcome: ChatFileOutcome,
): Promise<boolean> {
  const row = await lockOwnedIfThere(tx, MessageMedia, { id: mediaId });
  if (row === null || row.state === "erased") return false;
  await tx.manager.update(MessageMedia, mediaId, { ...columnsOf(outcome), updatedAt: tx.now });
  if (outcome.kind === "missing") {
    await tx.manager.query(
      "UPDATE import_rows SET reason = 'media_missing' WHERE import_id = ? AND number = ?",
      [importId, number],
    );
  }
  const { messageId, conversationId, contactId } = row;
  await recordChange(tx, { kind: "message.updated", messageId, conversationId, contactId });
  return true;
}

function columnsOf(outcome: ChatFileOutcome): Partial<MessageMedia> {
  switch (outcome.kind) {
    case "stored":
      return { ...outcome.stored, state: "ready", reason: null };
    case "missing":
      return { state: "failed", reason: chatFileReasons.missing };
    case "refused":
      return { state: "refused", reason: outcome.reason };
  }
}
