import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { messagesKey, notesKey, readMessages, readNotes, type MessagePlace } from "./api.ts";
import { useSentReplies } from "./use-reply.ts";

const newest: MessagePlace = {};

/**
 * Messages and notes of a conversation, newest first, with paging to older and newer ones. Each
 * place is a list of its own, and a change reads the list in view again.
 * @returns `isPast`: newer messages are not loaded. `sendingId`: the newest reply on its way.
 */
export function useThread(id: number, place = newest) {
  const isNewest = Object.keys(place).length === 0;
  const messages = useInfiniteQuery({
    queryKey: isNewest ? messagesKey(id) : [...messagesKey(id), place],
    queryFn: async ({ pageParam }) => await readMessages(id, pageParam),
    initialPageParam: place,
    getNextPageParam: ({ meta }): MessagePlace | null =>
      meta.next === null ? null : { before_id: meta.next },
    getPreviousPageParam: ({ meta }): MessagePlace | null =>
      meta.previous === null ? null : { after_id: meta.previous },
    placeholderData: keepPreviousData,
  });
  const notes = useInfiniteQuery({
    queryKey: notesKey(id),
    queryFn: async ({ pageParam }) => await readNotes(id, pageParam),
    initialPageParam: 0,
    getNextPageParam: ({ meta }) =>
      meta.offset + meta.limit < meta.total ? meta.offset + meta.limit : null,
  });
  const readRows = messages.data?.pages.flatMap((page) => page.data) ?? [];
  const sent = useSentReplies(id, readRows);
  const isPast = messages.hasPreviousPage;
  const messageRows = isPast ? readRows : [...sent, ...readRows];
  const noteRows = notes.data?.pages.flatMap((page) => page.data) ?? [];
  const oldestMessage = messageRows.at(-1)?.created_at ?? "";
  const oldestNote = noteRows.at(-1)?.created_at ?? "";
  const { hasNextPage, isFetching, fetchNextPage } = notes;
  // Notes are loaded as far back as messages. Otherwise older messages would stay hidden until the
  // notes are there.
  useEffect(() => {
    if (hasNextPage && !isFetching && oldestNote > oldestMessage) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage, oldestNote, oldestMessage]);
  const sendingId = sent.find((reply) => reply.id < 0)?.id;
  return { messages, notes, messageRows, noteRows, isPast, sendingId };
}
