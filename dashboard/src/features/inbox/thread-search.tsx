import "./thread-search.css";
import { TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { IconChevronDown, IconChevronUp, IconSearch, IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import { useTranslation } from "react-i18next";
import { maxSearchLength } from "../../../../core/model/wire.ts";
import { IconAction } from "../../components/icon-action.tsx";
import { callApi } from "../../lib/api.ts";
import { messagesKey, type Conversation } from "./api.ts";
import { clearMatches, markMatches } from "./match-marks.ts";
import styles from "./thread-search.module.css";
import type { usePlace } from "./use-place.ts";
import type { useThread } from "./use-thread.ts";

/** Matches that are counted. Nobody walks through more of them. */
const mostMatches = 1_000;

interface ThreadSearchProps {
  conversation: Conversation;
  thread: ReturnType<typeof useThread>;
  place: ReturnType<typeof usePlace>;
  scroll: RefObject<HTMLElement | null>;
  onClose: () => void;
}

/** Field that finds words in the messages of a conversation, and walks from match to match. */
export function ThreadSearch({ conversation, thread, place, scroll, onClose }: ThreadSearchProps) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [query] = useDebouncedValue(text.trim(), 250);
  const { ids, hasMore, isSearching } = useMatches(conversation.id, query);
  const step = useSteps(query, ids, thread, place);
  useMarks(scroll, query, ids[step.index] ?? null);
  const input = useReturnedField();
  const press = (event: KeyboardEvent): void => {
    if (event.key === "Escape") onClose();
    else if (event.key === "Enter") (event.shiftKey ? step.toNewer : step.toOlder)();
    else return;
    event.preventDefault();
  };
  return (
    <div className={styles["search"]} role="search" aria-label={t("find.field")}>
      <TextInput
        ref={input}
        size="xs"
        flex={1}
        miw={0}
        maxLength={maxSearchLength}
        leftSection={<IconSearch size={14} aria-hidden />}
        aria-label={t("find.field")}
        placeholder={t("find.field")}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={press}
      />
      <span className={styles["count"]} role="status">
        {query !== "" && <Count {...{ ids, hasMore, isSearching }} index={step.index} />}
      </span>
      <IconAction label={t("find.older")} disabled={ids.length === 0} onClick={step.toOlder}>
        <IconChevronUp size={18} />
      </IconAction>
      <IconAction label={t("find.newer")} disabled={ids.length === 0} onClick={step.toNewer}>
        <IconChevronDown size={18} />
      </IconAction>
      <IconAction label={t("find.close")} onClick={onClose}>
        <IconX size={18} />
      </IconAction>
    </div>
  );
}

type Matches = ReturnType<typeof useMatches>;

function Count({ ids, hasMore, isSearching, index }: Matches & { index: number }) {
  const { t } = useTranslation();
  if (ids.length === 0) return t(isSearching || hasMore ? "find.searching" : "find.none");
  const places = { place: index + 1, count: ids.length };
  return t(hasMore ? "find.count_more" : "find.count", places);
}

/** Ids of the messages with the words, newest first. Pages are read until all are found. */
function useMatches(conversationId: number, query: string) {
  const search = useInfiniteQuery({
    queryKey: [...messagesKey(conversationId), "search", query],
    queryFn: async ({ pageParam }) => {
      const page = { q: query, limit: 100, before_id: pageParam };
      return await callApi("GET /conversations/:id/messages/search", {
        id: conversationId,
        query: page,
      });
    },
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ meta }) => meta.next,
    enabled: query !== "",
  });
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = search;
  const ids =
    query === "" ? [] : (data?.pages.flatMap((page) => page.data.map(({ id }) => id)) ?? []);
  const isFull = ids.length >= mostMatches;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError && !isFull) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, isFull, fetchNextPage]);
  return { ids, hasMore: hasNextPage, isSearching: isFetching };
}

/** The match in view: first the newest one. A match that is not loaded brings its neighbours. */
function useSteps(
  query: string,
  ids: number[],
  { messageRows }: ThreadSearchProps["thread"],
  { go }: ThreadSearchProps["place"],
) {
  const [current, setCurrent] = useState<{ query: string; id: number } | null>(null);
  const [newest] = ids;
  const show = (id: number): void => {
    setCurrent({ query, id });
    go(
      { id },
      messageRows.some((row) => row.id === id),
    );
  };
  const isNew = newest !== undefined && current?.query !== query;
  useEffect(() => {
    if (isNew) show(newest);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- a new query shows its newest match once
  }, [isNew, newest]);
  const index = Math.max(0, current === null ? 0 : ids.indexOf(current.id));
  const move = (by: number): void => {
    const id = ids.at((index + by) % ids.length);
    if (id !== undefined) show(id);
  };
  return { index, toOlder: () => move(1), toNewer: () => move(-1) };
}

/** Marks the words in the thread as long as the search is open, also in bubbles that come later. */
function useMarks(
  scroll: RefObject<HTMLElement | null>,
  query: string,
  currentId: number | null,
): void {
  useEffect(() => {
    const thread = scroll.current;
    if (thread === null) return undefined;
    const mark = (): void => markMatches(thread, query, currentId);
    mark();
    const observer = new MutationObserver(mark);
    observer.observe(thread, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      clearMatches();
    };
  }, [scroll, query, currentId]);
}

/** Focuses the field when the search opens. The focus goes back where it was when it closes. */
function useReturnedField(): RefObject<HTMLInputElement | null> {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    // The menu that opened the search gives the focus back first.
    const timer = setTimeout(() => input.current?.focus(), 50);
    return () => {
      clearTimeout(timer);
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return input;
}
