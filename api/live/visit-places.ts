import { eventBlock } from "./event-stream.ts";
import type { DeliveryReports } from "./delivery-reports.ts";
import type { StreamGroups } from "./stream-groups.ts";
import type { MessageNews, VisitReader } from "./visit-news.ts";
import type { VisitStream } from "./visit-stream.ts";

/** State of a conversation as its live streams were told. */
export interface Told {
  blocks: string;
  isAgentTyping: boolean;
  isPersonTyping: boolean;
  isTyping: boolean;
}

/** Visitors' streams of a process, by session, conversation and account. */
export interface VisitPlaces extends VisitReader {
  deliveries: DeliveryReports;
  bySession: StreamGroups<number, VisitStream>;
  byConversation: StreamGroups<number, VisitStream>;
  byAccount: StreamGroups<number, VisitStream>;
  /** Streams that are not live, in the order in which they are served. */
  late: Set<VisitStream>;
  told: Map<number, Told>;
}

/** Takes the stream out of its conversation. */
export function leaveConversation(
  { byConversation, told }: VisitPlaces,
  stream: VisitStream,
): void {
  const { conversationId } = stream;
  if (conversationId === null) return;
  byConversation.remove(conversationId, stream);
  if (byConversation.of(conversationId).size === 0) told.delete(conversationId);
}

/** Puts the stream into the conversation that its session has now. */
export function moveStream(
  places: VisitPlaces,
  stream: VisitStream,
  to: { contactId: number | null; conversationId: number | null },
): void {
  stream.contactId = to.contactId;
  if (stream.conversationId === to.conversationId) return;
  leaveConversation(places, stream);
  if (stream.conversationId !== null && stream.standing !== "new") stream.standing = "moved";
  stream.conversationId = to.conversationId;
  if (to.conversationId !== null) places.byConversation.add(to.conversationId, stream);
}

/** Writes messages, which are delivered once they have left this process. */
export function writeNews(
  { deliveries }: Pick<VisitPlaces, "deliveries">,
  stream: VisitStream,
  text: string,
  news: readonly MessageNews[],
): void {
  const ids = news.flatMap(({ deliveredId }) => deliveredId ?? []);
  stream.write(text, () => {
    for (const id of ids) deliveries.add(stream.accountId, id);
  });
}

/** The event that tells if somebody types. */
export function typingBlock(isTyping: boolean): string {
  return eventBlock("typing", null, { is_typing: isTyping });
}
