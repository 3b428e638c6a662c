import { In, type EntityManager } from "typeorm";
import { Message } from "../../../db/entities/message.ts";
import { MessageMedia } from "../../../db/entities/message-media.ts";
import type { AttachmentView } from "../../model/attachment.ts";
import { readSentInteractive, type InteractiveOption } from "../../model/interactive.ts";
import type { VisitMessage } from "../../model/widget-visit.ts";
import { presentAttachment, sentFile } from "../conversations/message-views.ts";
import { cutPage, inOrder, placeholders } from "../sql.ts";

/**
 * Messages that a visitor sees. One of ours shows once it has left: a pause cancels a message that
 * waits, and nobody may have read that one.
 */
const isVisible = "(direction = 'inbound' OR status IN ('sent', 'delivered', 'read'))";

/** A page of a visitor's conversation, the newest message last. */
export async function listVisitMessages(
  manager: EntityManager,
  { accountId, conversationId }: { accountId: number; conversationId: number | null },
  { before_id: before, limit }: { before_id?: number | undefined; limit: number },
): Promise<{ messages: VisitMessage[]; nextBeforeId: number | null }> {
  if (conversationId === null) return { messages: [], nextBeforeId: null };
  const found = await manager.query<{ id: number }[]>(
    `SELECT id FROM messages FORCE INDEX (messages_conversation)
      WHERE conversation_id = ? AND account_id = ? AND id < ? AND ${isVisible}
      ORDER BY id DESC LIMIT ?`,
    [conversationId, accountId, before ?? Number.MAX_SAFE_INTEGER, limit + 1],
  );
  const { page, next } = cutPage(found, limit);
  const ids = page.map(({ id }) => Number(id)).toReversed();
  const messages = await presentVisitMessages(manager, accountId, ids);
  return { messages, nextBeforeId: next === null ? null : Number(next.id) };
}

/** Number of our messages that the visitor has not seen, on this device or on another one. */
export async function countUnseen(
  manager: EntityManager,
  conversationId: number | null,
  readMessageId: number | null,
): Promise<number> {
  if (conversationId === null) return 0;
  const [row] = await manager.query<{ n: number }[]>(
    `SELECT COUNT(*) AS n FROM messages FORCE INDEX (messages_conversation)
      WHERE conversation_id = ? AND id > ? AND direction = 'outbound'
        AND status IN ('sent', 'delivered')`,
    [conversationId, readMessageId ?? 0],
  );
  return Number(row?.n ?? 0);
}

/**
 * Messages of one account as visitors see them, in the order of the ids, in a constant number of
 * statements. Ids of other accounts, and of messages that no visitor sees, are left out. Files have
 * no address: the API adds it.
 */
export async function presentVisitMessages(
  manager: EntityManager,
  accountId: number,
  ids: readonly number[],
): Promise<VisitMessage[]> {
  if (ids.length === 0) return [];
  const rows = await manager
    .createQueryBuilder(Message, "m")
    .where("m.id IN (:...ids) AND m.accountId = :accountId", { ids: [...ids], accountId })
    .andWhere("(m.direction = 'inbound' OR m.status IN ('sent', 'delivered', 'read'))")
    .getMany();
  const ordered = inOrder(ids, rows);
  const names = await readNames(manager, accountId, ordered);
  const clientIds = await readClientIds(manager, ordered);
  const files = await readFiles(manager, ordered);
  return ordered.map((row) => ({
    ...present(row),
    author: authorOf(row, names),
    client_id: clientIds.get(row.id) ?? null,
    attachments: files.get(row.id) ?? sentFile(row),
  }));
}

function present(row: Message): Omit<VisitMessage, "author" | "client_id" | "attachments"> {
  const sent = row.direction === "outbound" ? readSentInteractive(row.interactive) : null;
  const chosen: unknown =
    row.direction === "inbound" && row.interactive !== null && "id" in row.interactive
      ? row.interactive.id
      : null;
  return {
    id: row.id,
    direction: row.direction,
    type: row.type,
    content: row.deletedAt === null ? row.content : null,
    options: sent === null ? null : { kind: sent.kind, choices: sent.options.map(choiceOf) },
    option_id: typeof chosen === "string" ? chosen : null,
    reply_to_message_id: row.replyToMessageId,
    status: row.status,
    created_at: row.createdAt.toISOString(),
    edited_at: row.editedAt?.toISOString() ?? null,
    deleted_at: row.deletedAt?.toISOString() ?? null,
  };
}

function choiceOf({ id, title, description }: InteractiveOption) {
  return { id, title, description: description ?? null };
}

interface Names {
  company: string;
  agent: string;
  users: Map<number, string>;
}

/** A message of a program or of the service shows the company's name. */
function authorOf(
  { direction, senderType, senderUserId }: Message,
  { company, agent, users }: Names,
): VisitMessage["author"] {
  if (direction === "inbound") return null;
  if (senderType === "ai") return { name: agent === "" ? company : agent, is_ai: true };
  return { name: users.get(senderUserId ?? 0) ?? company, is_ai: false };
}

async function readNames(
  manager: EntityManager,
  accountId: number,
  rows: readonly Message[],
): Promise<Names> {
  const [account] = await manager.query<{ company: string; agent: string | null }[]>(
    `SELECT a.name AS company, v.settings->>'$.persona.name' AS agent
       FROM accounts a
       LEFT JOIN agent_profiles p ON p.account_id = a.id
       LEFT JOIN agent_versions v ON v.account_id = a.id AND v.number = p.published_number
      WHERE a.id = ?`,
    [accountId],
  );
  const userIds = [...new Set(rows.flatMap(({ senderUserId }) => senderUserId ?? []))];
  const users =
    userIds.length === 0
      ? []
      : await manager.query<{ id: number; name: string }[]>(
          `SELECT id, name FROM users WHERE id IN (${placeholders(userIds)})`,
          userIds,
        );
  return {
    company: account?.company ?? "",
    agent: account?.agent ?? "",
    users: new Map(users.map(({ id, name }) => [Number(id), name])),
  };
}

/** The visitor's own ids, which follow the first colon of the channel's ids. */
async function readClientIds(
  manager: EntityManager,
  rows: readonly Message[],
): Promise<Map<number, string>> {
  const ids = rows.filter(({ direction }) => direction === "inbound").map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const found = await manager.query<{ messageId: number; providerId: string }[]>(
    `SELECT message_id AS messageId, provider_id AS providerId FROM message_provider_ids
      WHERE message_id IN (${placeholders(ids)})`,
    ids,
  );
  return new Map(
    found.map(({ messageId, providerId }) => [
      Number(messageId),
      providerId.slice(providerId.indexOf(":") + 1),
    ]),
  );
}

async function readFiles(
  manager: EntityManager,
  rows: readonly Message[],
): Promise<Map<number, AttachmentView[]>> {
  const ids = rows.filter(({ attachmentCount }) => attachmentCount > 0).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const found = await manager.find(MessageMedia, {
    where: { messageId: In(ids) },
    order: { messageId: "ASC", position: "ASC" },
  });
  const files = new Map<number, AttachmentView[]>();
  for (const file of found) {
    files.set(file.messageId, [...(files.get(file.messageId) ?? []), presentAttachment(file)]);
  }
  return files;
}
