import { MessageMedia } from "../../../db/entities/message-media.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { WorkflowCommand } from "../../model/workflow/workflow-command.ts";
import { request } from "../outbox/outbox.ts";

/** Command that starts the download of a file. */
export function mediaCommand({
  id: mediaId,
  accountId,
}: {
  id: number;
  accountId: number;
}): WorkflowCommand {
  return {
    op: "start",
    workflow: "fetchMedia",
    workflowId: `media-${mediaId}`,
    taskQueue: "ops",
    input: { accountId, mediaId },
    summary: `file ${mediaId}`,
  };
}

/** Requests the download of the `pending` files of a message, once this transaction has committed. */
export async function requestMedia(tx: Tx, messageId: number): Promise<void> {
  for (const row of await listFiles(tx, { messageId, state: "pending" })) {
    await request(tx, mediaCommand(row));
  }
}

/** Requests the deletion of the bytes of files that their message took back. */
export async function requestMediaDeletion(tx: Tx, messageId: number): Promise<void> {
  for (const row of await listFiles(tx, { messageId, state: "erased" })) {
    // A run that fetches the file meanwhile finds it erased, and deletes it itself.
    await request(tx, { ...mediaCommand(row), again: true });
  }
}

async function listFiles(
  tx: Tx,
  where: { messageId: number; state: "pending" | "erased" },
): Promise<MessageMedia[]> {
  const { accountId } = tx.actor;
  return await tx.manager.find(MessageMedia, {
    where: { ...where, accountId },
    order: { id: "ASC" },
  });
}
