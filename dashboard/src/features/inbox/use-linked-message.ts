import { useEffect, useRef, type RefObject } from "react";
import { useLocation } from "react-router";
import type { useThread } from "./use-thread.ts";

/**
 * Scrolls to the message that the URL names, and loads older messages until it is there. @returns
 * the id of that message
 */
export function useLinkedMessage(
  { messages, messageRows }: ReturnType<typeof useThread>,
  scroll: RefObject<HTMLElement | null>,
): number | null {
  const { hash } = useLocation();
  const named = /^#message-([1-9]\d{0,14})$/.exec(hash)?.[1];
  const id = named === undefined ? null : Number(named);
  const found = messageRows.some((row) => row.id === id);
  const oldest = messageRows.at(-1)?.id ?? 0;
  const { hasNextPage, isFetching, isError, fetchNextPage } = messages;
  const shown = useRef<number | null>(null);
  useEffect(() => {
    if (id === null || shown.current === id) return;
    if (found) {
      shown.current = id;
      scroll.current?.querySelector(`[data-message="${id}"]`)?.scrollIntoView({ block: "center" });
    } else if (hasNextPage && !isFetching && !isError && oldest > id) void fetchNextPage();
  }, [id, found, oldest, hasNextPage, isFetching, isError, fetchNextPage, scroll]);
  return id;
}
