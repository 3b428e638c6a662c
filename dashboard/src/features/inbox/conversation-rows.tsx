import { Anchor, Text } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  Suspense,
  useEffect,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
} from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Empty, EmptyList } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { callApi } from "../../lib/api.ts";
import { placeChanged, queueQuery, type InboxRow } from "../../lib/inbox-queue.ts";
import { lazyPart } from "../../lib/lazy-part.ts";
import { tellFailure } from "../../lib/notify.ts";
import { useStageHue } from "../../lib/pipelines.ts";
import { useViewLinks } from "../../lib/view-links.ts";
import { ConversationRow, rowHeight } from "./conversation-row.tsx";
import styles from "./inbox.module.css";
import { isNarrowed, type ListState } from "./list-state.ts";
import { useBulk } from "./use-bulk.ts";
import { useSelection, type Selection } from "./use-selection.ts";
import { useShortcuts } from "./use-shortcuts.ts";

const BulkBar = lazyPart(async () => (await import("./bulk-bar.tsx")).BulkBar);

interface ConversationRowsProps {
  state: ListState;
  openId: number | null;
  /** Opens the form to write as a customer, for an empty list. */
  onWrite: () => void;
}

/** Number of rows before the last loaded one from which the next page is read. */
const readAhead = 25;

/** Rows of the list. Only rows in view are rendered; pages are read as somebody scrolls. */
export function ConversationRows({ state, openId, onWrite }: ConversationRowsProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const { query, rows, virtual } = useLoadedRows(state, scroll);
  const focus = useRowFocus(rows, (index) => virtual.scrollToIndex(index));
  const selection = useSelection(rows);
  const bulk = useBulk(openId);
  const wake = useWake();
  const hueOfStage = useStageHue();
  useSelectKeys({ selection, at: focus.focusedId ?? openId });
  return (
    <QueryState query={query} rows={8} height={rowHeight - 8}>
      {() =>
        rows.length === 0 && !query.hasNextPage ? (
          <NoRows state={state} onWrite={onWrite} />
        ) : (
          <>
            <div ref={scroll} className={styles["rows"]} {...focus.handlers}>
              <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
                {virtual.getVirtualItems().map(({ key, index, start }) => (
                  <ConversationRow
                    key={String(key)}
                    row={rows[index]}
                    start={start}
                    open={rows[index]?.id === openId}
                    focused={index === focus.wanted}
                    onFocused={focus.taken}
                    selection={selection}
                    hueOfStage={hueOfStage}
                    onAct={(row, action) => bulk.mutate({ rows: [row], action })}
                    onWake={(row) => wake.mutate(row)}
                  />
                ))}
              </div>
              {!query.hasNextPage && <RestOfQueue state={state} />}
            </div>
            {selection.rows.length > 0 && (
              <Suspense fallback={null}>
                <BulkBar
                  rows={selection.rows}
                  onClear={selection.clear}
                  onAct={(action) => {
                    bulk.mutate({ rows: selection.rows, action });
                    selection.clear();
                  }}
                />
              </Suspense>
            )}
          </>
        )
      }
    </QueryState>
  );
}

/** The loaded rows, and their places on the screen. Further pages are read as somebody scrolls. */
function useLoadedRows(state: ListState, scroll: RefObject<HTMLDivElement | null>) {
  const { view, order, filter } = state;
  const query = useInfiniteQuery(queueQuery({ view, order, filter }));
  const rows = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query;
  const virtual = useVirtualizer({
    count: rows.length + (hasNextPage ? 1 : 0),
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.id ?? "more",
    overscan: 5,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const isNear = last >= rows.length - readAhead;
  useEffect(() => {
    if (isNear && hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [isNear, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage]);
  return { query, rows, virtual };
}

/**
 * Keys j and k move the focus from row to row; Enter opens the focused link. A row takes the focus
 * once per key. Later movements of the list leave the focus where the person has put it.
 */
function useRowFocus(rows: InboxRow[], reveal: (index: number) => void) {
  const [last, setLast] = useState<{ index: number; id: number } | null>(null);
  const [wanted, setWanted] = useState<number | null>(null);
  const focusAt = (index: number): void => {
    if (rows.length === 0) return;
    const next = Math.min(Math.max(index, 0), rows.length - 1);
    setWanted(next);
    reveal(next);
  };
  const move = (by: number): void => {
    const moved = rows.findIndex(({ id }) => id === last?.id);
    const from = wanted ?? (moved < 0 ? (last?.index ?? -1) : moved);
    focusAt(from + by);
  };
  useShortcuts({ j: () => move(1), k: () => move(-1) });
  const [focusedId, setFocusedId] = useState<number | null>(null);
  const handlers = {
    onKeyDown: (event: KeyboardEvent): void => {
      if (event.key !== "End" && event.key !== "Home") return;
      event.preventDefault();
      focusAt(event.key === "End" ? rows.length - 1 : 0);
    },
    onFocus: ({ target }: FocusEvent): void => {
      const id = target.closest("[data-conversation]")?.getAttribute("data-conversation");
      setFocusedId(id === null || id === undefined ? null : Number(id));
    },
    onBlur: (): void => setFocusedId(null),
  };
  const taken = (id: number): void => {
    if (wanted !== null) setLast({ index: wanted, id });
    setWanted(null);
  };
  // A row that leaves the list tells of no blur.
  const focused = rows.find(({ id }) => id === focusedId);
  return { wanted, taken, focusedId: focused?.id ?? null, handlers };
}

/**
 * Key x selects the focused row, or the open one; with Shift all rows up to it. Escape ends the
 * selection.
 */
function useSelectKeys({ selection, at }: { selection: Selection; at: number | null }): void {
  const isSelecting = selection.rows.length > 0;
  useShortcuts({
    ...(at === null
      ? {}
      : { x: () => selection.toggle(at), "shift+x": () => selection.extend(at) }),
    ...(isSelecting ? { Escape: selection.clear } : {}),
  });
}

/** Ends the snooze of a conversation from its row. */
function useWake() {
  const { t } = useTranslation();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ id }: InboxRow) =>
      await callApi("DELETE /conversations/:id/snooze", { id }),
    onError: (error) => tellFailure(t("inbox.not_changed"), error),
    onSettled: (_answer, _error, row) => void placeChanged(client, [row.contact_id]),
  });
}

/** Below the last conversation that needs an answer: the others wait for the customer. */
function RestOfQueue({ state }: { state: ListState }) {
  const { t } = useTranslation();
  const waiting = useViewLinks().find(({ key }) => key === "waiting");
  if (state.view !== "needs_answer" || isNarrowed(state) || !waiting?.count) return null;
  return (
    <Text component="p" size="xs" c="dimmed" ta="center" p="lg">
      {t("inbox.others_wait", { count: waiting.count })}
      <br />
      <Anchor component={Link} to={waiting.to} size="xs" fw={500}>
        {t("inbox.see_waiting")}
      </Anchor>
    </Text>
  );
}

function NoRows({ state, onWrite }: { state: ListState; onWrite: () => void }) {
  const { t } = useTranslation();
  if (isNarrowed(state) || state.saved !== null) {
    return <Empty title={t("inbox.no_match")} text={t("inbox.no_match_text")} />;
  }
  return (
    <>
      <EmptyList
        title={t(`inbox.empty.${state.view}`)}
        text={t("inbox.empty_text")}
        first={t("sandbox.title")}
        onFirst={onWrite}
      />
      <RestOfQueue state={state} />
    </>
  );
}
