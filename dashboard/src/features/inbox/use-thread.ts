import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { messagesKey, notesKey, readMessages, readNotes } from "./api.ts";
import { useSentReplies } from "./use-reply.ts";

/** Messages and notes of a conversation, newest first, with paging to older ones. */
export function useThread(id: number) {
  const messages = useInfiniteQuery({
    queryKey: messagesKey(id),
    queryFn: async ({ pageParam }) => await readMessages(id, pageParam),
    initialPageParam: null as number | null,
    getNextPageParam: ({ meta }) => meta.next,
  });
  const notes = useInfiniteQuery({
    queryKey: notesKey(id),
    queryFn: async ({ pageParam }) => await readNotes(id, pageParam),
    initialPageParam: 0,
    getNextPageParam: ({ meta }) =>
      meta.offset + meta.limit < meta.total ? meta.offset + meta.limit : null,
  });
  const readRows = messages.data?.pages.flatMap((page) => page.data) ?? [];
  const messageRows = [...useSentReplies(id, readRows), ...readRows];
  const noteRows = notes.data?.pages.flatMap((page) => page.data) ?? [];
  const oldestMessage = messageRows.at(-1)?.created_at ?? "";
  const oldestNote = noteRows.at(-1)?.created_at ?? "";
  const { hasNextPage, isFetching, fetchNextPage } = notes;
  // Notes are loaded as far back as messages. Otherwise older messages would stay hidden until the
  // notes are there.
  useEffect(() => {
    if (hasNextPage && !isFetching && oldestNote > oldestMessage) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage, oldestNote, oldestMessage]);
  return { messages, notes, messageRows, noteRows };
}
