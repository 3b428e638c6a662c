import type { DataSource } from "typeorm";
import type { VisitConversation, VisitMessage } from "../../core/model/widget-visit.ts";
import type { NumberedChange } from "../../core/services/outbox/changes.ts";
import { readVisitConversations } from "../../core/services/widgets/visit-conversations.ts";
import { listAgentTyping } from "../../core/services/widgets/visit-streams.ts";
import { presentVisitMessages } from "../../core/services/widgets/visit-views.ts";
import { eventBlock } from "./event-stream.ts";

/** Reads and presents for all streams of a conversation at once. */
export interface VisitReader {
  dataSource: DataSource;
  /** Adds links to files. */
  addLinks: (accountId: number, messages: readonly VisitMessage[]) => VisitMessage[];
}

/** A message in an event. */
export interface MessageNews {
  seq: number;
  block: string;
  /** Id of a message that counts as delivered once a stream has taken the event. */
  deliveredId: number | null;
}

/** State of a conversation in events. */
export interface ConversationNews {
  conversation: VisitConversation;
  /** Events `conversation` and `agent`. */
  blocks: string;
  isAgentTyping: boolean;
}

/** A changed message, at its last change. */
interface ChangedMessage {
  seq: number;
  accountId: number;
  conversationId: number;
  isNew: boolean;
}

/** Reads the messages of changes, once for each account. @returns events by conversation. */
export async function readMessageNews(
  { dataSource, addLinks }: VisitReader,
  changes: readonly NumberedChange[],
): Promise<Map<number, MessageNews[]>> {
  const changed = listChanged(changes);
  const news = new Map<number, MessageNews[]>();
  for (const accountId of new Set([...changed.values()].map((one) => one.accountId))) {
    const ids = [...changed].filter(([, one]) => one.accountId === accountId).map(([id]) => id);
    const found = await presentVisitMessages(dataSource.manager, accountId, ids);
    for (const message of addLinks(accountId, found)) {
      const place = changed.get(message.id);
      if (place === undefined) continue;
      const known = news.get(place.conversationId);
      const own = present(message, place);
      if (known === undefined) news.set(place.conversationId, [own]);
      else known.push(own);
    }
  }
  for (const own of news.values()) own.sort((left, right) => left.seq - right.seq);
  return news;
}

function listChanged(changes: readonly NumberedChange[]): Map<number, ChangedMessage> {
  const changed = new Map<number, ChangedMessage>();
  for (const { kind, seq, account_id, conversation_id, message_id } of changes) {
    if (kind !== "message.created" && kind !== "message.updated") continue;
    if (message_id === null || conversation_id === null) continue;
    changed.set(message_id, {
      seq,
      accountId: account_id,
      conversationId: conversation_id,
      isNew: kind === "message.created" || changed.get(message_id)?.isNew === true,
    });
  }
  return changed;
}

/** A message of ours is seen from its sending on, which is its first event. */
function present(message: VisitMessage, { seq, isNew }: ChangedMessage): MessageNews {
  const isSent = message.direction === "outbound" && message.status === "sent";
  return {
    seq,
    block: eventBlock(isNew || isSent ? "message" : "message_updated", seq, message),
    deliveredId: isSent ? message.id : null,
  };
}

/** Reads the states of conversations. Erased ones are left out. */
export async function readConversationNews(
  { dataSource: { manager } }: VisitReader,
  conversationIds: readonly number[],
): Promise<Map<number, ConversationNews>> {
  const states = await readVisitConversations(manager, conversationIds);
  const typing = await listAgentTyping(manager, conversationIds);
  return new Map(
    Array.from(states, ([id, { conversation, isAgentOn }]) => {
      const agent = eventBlock("agent", null, { is_on: isAgentOn });
      const blocks = eventBlock("conversation", null, conversation) + agent;
      return [id, { conversation, blocks, isAgentTyping: typing.has(id) }];
    }),
  );
}
