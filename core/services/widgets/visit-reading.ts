import type { EntityManager } from "typeorm";
import type { Tx } from "../../../db/transaction.ts";
import { recordReports, lockReported } from "../conversations/reported-messages.ts";
import { storeSession } from "./sessions.ts";
import type { Visit } from "./visit.ts";
import { lockVisit } from "./visit-messages.ts";
import { listVisitMessages } from "./visit-views.ts";

/** Messages that one call marks. Older ones were marked before. */
const maxMarked = 200;

/** Marks the company's messages up to an id as read. A lower id than before changes nothing. */
export async function markVisitRead(tx: Tx, visit: Visit, upToMessageId: number): Promise<void> {
  const session = await lockVisit(tx, visit);
  const { conversationId, readMessageId } = session;
  if (conversationId === null || upToMessageId <= (readMessageId ?? 0)) return;
  const rows = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM messages FORCE INDEX (messages_conversation)
      WHERE conversation_id = ? AND account_id = ? AND id > ? AND id <= ?
        AND direction = 'outbound' AND status IN ('sent', 'delivered', 'read')
      ORDER BY id DESC LIMIT ?`,
    [conversationId, visit.accountId, readMessageId ?? 0, upToMessageId, maxMarked],
  );
  const [newest] = rows;
  if (newest === undefined) return;
  const ids = rows.map(({ id }) => Number(id));
  await storeSession(tx, session, { readMessageId: Number(newest.id) });
  const reports = ids.map((messageId) => ({ messageId, status: "read", at: tx.now }) as const);
  await recordReports(tx, await lockReported(tx, ids), reports);
}

/** Messages of a transcript. */
const maxTranscript = 1_000;

/** The visitor's conversation as text, one line for each message, oldest first, times in UTC. */
export async function renderTranscript(
  manager: EntityManager,
  visit: Pick<Visit, "accountId" | "conversationId">,
  visitorName: string,
): Promise<string> {
  const { messages } = await listVisitMessages(manager, visit, { limit: maxTranscript });
  const lines = messages.map(({ created_at: at, author, content, type, attachments }) => {
    const files = attachments.map(({ filename }) => `[${filename ?? type}]`);
    const text = [content ?? "", ...files].filter((part) => part !== "").join(" ");
    const when = at.slice(0, 16).replace("T", " ");
    return `${when} UTC  ${author?.name ?? visitorName}: ${text.replaceAll(/\r?\n/gu, "\n    ")}`;
  });
  return `${lines.join("\n")}\n`;
}
