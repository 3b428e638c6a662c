import {
  changePageSize,
  listConversationChanges,
  readChangeSequence,
  type ChangeSequenceState,
} from "../../core/services/outbox/changes.ts";
import { countUnseenMessages, listVisitPlaces } from "../../core/services/widgets/visit-streams.ts";
import { eventBlock } from "./event-stream.ts";
import { moveStream, typingBlock, writeNews, type VisitPlaces } from "./visit-places.ts";
import {
  readConversationNews,
  readMessageNews,
  type ConversationNews,
  type MessageNews,
} from "./visit-news.ts";
import type { VisitStream } from "./visit-stream.ts";

/** Streams that are served together, by a constant number of statements. */
const batchSize = 200;

/** Facts for a batch of streams. */
interface CatchUpPage {
  head: number;
  /** The page reaches up to this number. */
  upTo: number;
  sequence: ChangeSequenceState;
  messages: Map<number, MessageNews[]>;
  states: Map<number, ConversationNews>;
  unseen: Map<number, number>;
}

/**
 * Serves streams that are not live: greets new ones, sends others what they missed, and ends those
 * whose session has ended or is another visitor's by now. Every stream is also told the state of its
 * conversation.
 * @returns true if a stream has more to catch up with and can take more now.
 */
export async function catchUpVisits(places: VisitPlaces, head: number): Promise<boolean> {
  const ready = [...places.late].filter((stream) => !stream.isCongested());
  const batch = ready.slice(0, batchSize);
  if (batch.length === 0) return false;
  const page = await readPage(places, batch, head);
  let more = ready.length > batchSize;
  for (const stream of batch) {
    // It may have ended meanwhile.
    if (!places.late.delete(stream)) continue;
    serve(places, stream, page);
    if (stream.standing === "live") continue;
    places.late.add(stream);
    more = true;
  }
  return more;
}

async function readPage(
  places: VisitPlaces,
  batch: readonly VisitStream[],
  head: number,
): Promise<CatchUpPage> {
  const { manager } = places.dataSource;
  const sessionIds = [...new Set(batch.map(({ sessionId }) => sessionId))];
  const found = await listVisitPlaces(manager, sessionIds, new Date());
  for (const stream of batch) {
    const place = found.get(stream.sessionId);
    if (place?.visitorId !== stream.visitorId) stream.end("visit_ended");
    else if (places.late.has(stream)) moveStream(places, stream, place);
  }
  const open = batch.filter((stream) => places.late.has(stream));
  const behind = open.filter((stream) => hasMissed(stream, head));
  const conversationIds = listConversations(behind);
  const after = Math.min(...behind.map(({ cursor }) => cursor));
  const range = { conversationIds, after, upTo: head };
  const changes = await listConversationChanges(manager, range);
  // Read after the page, so that a purge which affected the page is visible here for certain.
  const sequence = await readChangeSequence(manager);
  const fresh = open.filter(({ standing }) => standing === "new");
  const freshPlaces = fresh.flatMap(({ sessionId }) => found.get(sessionId) ?? []);
  return {
    head,
    upTo: changes.length < changePageSize ? head : (changes.at(-1)?.seq ?? head),
    sequence,
    messages: await readMessageNews(places, changes),
    states: await readConversationNews(places, listConversations(open)),
    unseen: await countUnseenMessages(manager, freshPlaces),
  };
}

function hasMissed({ standing, cursor, conversationId }: VisitStream, head: number): boolean {
  if (conversationId === null || cursor < 0 || cursor >= head) return false;
  return standing === "resumes" || standing === "behind";
}

function listConversations(streams: readonly VisitStream[]): number[] {
  return [...new Set(streams.flatMap(({ conversationId }) => conversationId ?? []))];
}

function serve(places: VisitPlaces, stream: VisitStream, page: CatchUpPage): void {
  const { head, upTo, states } = page;
  const state = stream.conversationId === null ? undefined : states.get(stream.conversationId);
  const isNew = stream.standing === "new";
  if (isNew) greet(stream, page, state);
  else if (isLost(stream, page)) stream.write(eventBlock("reset", head, {}));
  else {
    sendMissed(places, stream, page);
    if (stream.conversationId !== null && upTo < head && stream.cursor < head) {
      stream.cursor = Math.max(stream.cursor, upTo);
      stream.standing = "behind";
      return;
    }
  }
  if (state !== undefined && stream.conversationId !== null) {
    const told = places.told.get(stream.conversationId);
    const isTyping = state.isAgentTyping || told?.isPersonTyping === true;
    // A stream that was behind has not heard of the end.
    stream.write(state.blocks + (isTyping || !isNew ? typingBlock(isTyping) : ""));
  }
  // Without a conversation the stream waits for one, from its beginning on.
  if (stream.conversationId !== null || stream.cursor < 0) stream.cursor = head;
  stream.standing = "live";
}

function greet(
  stream: VisitStream,
  { head, unseen }: CatchUpPage,
  state: ConversationNews | undefined,
): void {
  const conversation = state?.conversation ?? null;
  const unread = unseen.get(stream.sessionId) ?? 0;
  // Sends the number, so that a reader who is cut off before the first event resumes here.
  stream.write(eventBlock("ready", head, { conversation, unread }));
  stream.cursor = head;
}

/** True if the reader must read everything again. */
function isLost({ standing, cursor }: VisitStream, { sequence }: CatchUpPage): boolean {
  return standing === "moved" || cursor < sequence.purgedSeq || cursor > sequence.lastSeq;
}

function sendMissed(places: VisitPlaces, stream: VisitStream, { messages }: CatchUpPage): void {
  const { conversationId, cursor } = stream;
  const all = conversationId === null ? [] : (messages.get(conversationId) ?? []);
  const missed = all.filter(({ seq }) => seq > cursor);
  if (missed.length === 0) return;
  writeNews(places, stream, missed.map(({ block }) => block).join(""), missed);
}
