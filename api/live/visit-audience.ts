import type { Logger } from "../../core/log.ts";
import type { NumberedChange } from "../../core/services/outbox/changes.ts";
import { listSessionIds } from "../../core/services/widgets/visit-streams.ts";
import type { FeedAudience } from "./change-feed.ts";
import type { DeliveryReports } from "./delivery-reports.ts";
import { createStreamGroups, type StreamGroups } from "./stream-groups.ts";
import { catchUpVisits } from "./visit-catch-up.ts";
import {
  readConversationNews,
  readMessageNews,
  type MessageNews,
  type VisitReader,
} from "./visit-news.ts";
import {
  leaveConversation,
  typingBlock,
  writeNews,
  type Told,
  type VisitPlaces,
} from "./visit-places.ts";
import type { VisitStream } from "./visit-stream.ts";

/** Visitors' open streams. */
export interface VisitAudience extends FeedAudience {
  readonly streams: ReadonlySet<VisitStream>;
  readonly bySession: StreamGroups<number, VisitStream>;
  add(stream: VisitStream): void;
  remove(stream: VisitStream): void;
  /** Tells the visitor that a person types, or has stopped. */
  tellTyping(conversationId: number, isPersonTyping: boolean): void;
}

/** Creates the audience of visitors. */
export function createVisitAudience(
  deps: VisitReader & { log: Logger; deliveries: DeliveryReports },
): VisitAudience {
  const streams = new Set<VisitStream>();
  const places: VisitPlaces = {
    ...deps,
    bySession: createStreamGroups(),
    byConversation: createStreamGroups(),
    byAccount: createStreamGroups(),
    late: new Set(),
    told: new Map(),
  };
  return {
    streams,
    bySession: places.bySession,
    get size() {
      return streams.size;
    },
    add(stream) {
      streams.add(stream);
      places.bySession.add(stream.sessionId, stream);
      places.byAccount.add(stream.accountId, stream);
      if (stream.conversationId !== null) {
        places.byConversation.add(stream.conversationId, stream);
      }
      places.late.add(stream);
    },
    remove(stream) {
      streams.delete(stream);
      places.bySession.remove(stream.sessionId, stream);
      places.byAccount.remove(stream.accountId, stream);
      places.late.delete(stream);
      leaveConversation(places, stream);
    },
    async handOn(changes, head) {
      try {
        await handOn(places, changes, head);
      } catch (error) {
        // Dashboards go on without delay.
        deps.log.warn({ err: error }, "live.visits_not_read");
        setAllBehind(places, changes, head);
      }
    },
    catchUp: async (head) => await catchUpVisits(places, head),
    startOver() {
      for (const stream of streams) stream.end("renumbered");
    },
    tellTyping(conversationId, isPersonTyping) {
      if (places.byConversation.of(conversationId).size === 0) return;
      tellTyping(places, conversationId, { isPersonTyping });
    },
  };
}

async function handOn(
  places: VisitPlaces,
  changes: readonly NumberedChange[],
  head: number,
): Promise<void> {
  const { byAccount, byConversation } = places;
  const own = changes.filter(({ account_id: id }) => byAccount.of(id).size > 0);
  if (own.length === 0) return;
  const moving = await listMoving(places, own);
  const touched = own.filter(
    ({ conversation_id: id }) => id !== null && byConversation.of(id).size > 0,
  );
  const ids = [...new Set(touched.flatMap(({ conversation_id: id }) => id ?? []))];
  const messages = await readMessageNews(places, touched);
  const states = await readConversationNews(places, ids);
  for (const stream of moving) setBehind(places, stream, head);
  for (const id of ids) {
    sendMessages(places, id, messages.get(id) ?? [], head);
    const state = states.get(id);
    if (state === undefined) continue;
    const told = places.told.get(id);
    if (told?.blocks !== state.blocks) writeLive(places, id, state.blocks);
    const { blocks, isAgentTyping } = state;
    tellTyping(places, id, { blocks, isAgentTyping });
  }
}

/** After a failed read, streams of the changes' accounts read for themselves what they missed. */
function setAllBehind(places: VisitPlaces, changes: readonly NumberedChange[], head: number): void {
  for (const accountId of new Set(changes.map(({ account_id: id }) => id))) {
    for (const stream of places.byAccount.of(accountId)) setBehind(places, stream, head);
  }
}

/**
 * Streams whose session may have ended or changed its visitor, or has got a conversation. Their
 * sessions are read again.
 */
async function listMoving(
  { dataSource, bySession, byAccount, byConversation }: VisitPlaces,
  changes: readonly NumberedChange[],
): Promise<VisitStream[]> {
  const arrived = changes.flatMap(({ kind, conversation_id: id }) =>
    id !== null && (kind === "visitor.updated" || kind === "conversation.created") ? [id] : [],
  );
  const sessionIds = await listSessionIds(dataSource.manager, [...new Set(arrived)]);
  const placed = sessionIds
    .flatMap((id) => [...bySession.of(id)])
    .filter(({ conversationId: id }) => id === null || !arrived.includes(id));
  const ended = changes
    .filter(({ kind }) => kind === "visitor.ended")
    .flatMap((change) => {
      const { account_id: accountId, conversation_id: conversationId, contact_id } = change;
      if (conversationId !== null) return [...byConversation.of(conversationId)];
      return [...byAccount.of(accountId)].filter((stream) =>
        contact_id === null ? stream.conversationId === null : stream.contactId === contact_id,
      );
    });
  const deleted = changes
    .filter(({ kind }) => kind === "widget.deleted")
    .flatMap(({ account_id: accountId }) => [...byAccount.of(accountId)]);
  return [...placed, ...ended, ...deleted];
}

/** The stream gets a page of its own. Until then it was sent all changes up to `head`. */
function setBehind({ late }: VisitPlaces, stream: VisitStream, head: number): void {
  if (stream.standing !== "live") return;
  // Without a conversation it was sent nothing, so all changes since its beginning count.
  if (stream.conversationId !== null) stream.cursor = head;
  stream.standing = "behind";
  late.add(stream);
}

function sendMessages(
  places: VisitPlaces,
  conversationId: number,
  news: readonly MessageNews[],
  head: number,
): void {
  if (news.length === 0) return;
  const text = news.map(({ block }) => block).join("");
  for (const stream of places.byConversation.of(conversationId)) {
    if (stream.standing !== "live") continue;
    // Changes beyond what a reader can take stay in the table until the reader has caught up.
    if (stream.isCongested()) setBehind(places, stream, head);
    else writeNews(places, stream, text, news);
  }
}

function writeLive({ byConversation }: VisitPlaces, conversationId: number, text: string): void {
  for (const stream of byConversation.of(conversationId)) {
    if (stream.standing === "live" && !stream.isCongested()) stream.write(text);
  }
}

/** Notes what is new of a conversation, and tells its live streams where somebody types. */
function tellTyping(places: VisitPlaces, conversationId: number, news: Partial<Told>): void {
  const before = places.told.get(conversationId);
  const quiet = { blocks: "", isAgentTyping: false, isPersonTyping: false, isTyping: false };
  const told: Told = { ...quiet, ...before, ...news };
  told.isTyping = told.isAgentTyping || told.isPersonTyping;
  places.told.set(conversationId, told);
  if (told.isTyping !== (before?.isTyping ?? false)) {
    writeLive(places, conversationId, typingBlock(told.isTyping));
  }
}
