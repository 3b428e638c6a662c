import { Text } from "@mantine/core";
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useVirtualizer, type VirtualItem } from "@tanstack/react-virtual";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Empty, EmptyList } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { countWords } from "../../lib/count-words.ts";
import { isEmptyList } from "../../lib/empty-list.ts";
import { listPageQuery, pageRows, type InboxRow, type ListFilter } from "./api.ts";
import { ConversationRow, rowHeight } from "./conversation-row.tsx";
import styles from "./inbox.module.css";
import type { View } from "./list-state.ts";
import { useShortcuts } from "./use-shortcuts.ts";

interface ConversationRowsProps {
  filter: ListFilter;
  view: View;
  openId: number | null;
  /** Opens the form to write as a customer, for an empty list. */
  onWrite: () => void;
}

/** Rows of the list. Only rows in view are rendered and loaded, for any length of the list. */
export function ConversationRows({ filter, view, openId, onWrite }: ConversationRowsProps) {
  const { t } = useTranslation();
  const scroll = useRef<HTMLDivElement>(null);
  const first = useQuery({ ...listPageQuery(filter, 0), placeholderData: keepPreviousData });
  const total = first.data?.meta.total ?? 0;
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 5,
  });
  const rows = useRows(filter, virtual.getVirtualItems());
  const focus = useRowFocus(total, rows, (index) => virtual.scrollToIndex(index));
  return (
    <QueryState query={first} rows={8} height={rowHeight - 8}>
      {(page) =>
        isEmptyList(page) ? (
          <NoRows filter={filter} view={view} onWrite={onWrite} />
        ) : (
          <div ref={scroll} className={styles["rows"]}>
            <Text component="p" size="xs" c="dimmed" px="md" pb={4} className="tabular">
              {t("inbox.count", { count: total, total: countWords(t, page.meta) })}
            </Text>
            <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
              {rows.map(({ key, index, start, row }) => (
                <ConversationRow
                  key={key}
                  row={row}
                  start={start}
                  open={row?.id === openId}
                  focused={index === focus.wanted}
                  onFocused={focus.taken}
                />
              ))}
            </div>
          </div>
        )
      }
    </QueryState>
  );
}

/** A position of the list that is in view. */
interface PlacedRow {
  key: string;
  index: number;
  /** Distance from the top of the list in px. */
  start: number;
  /** Undefined while its page is loading. */
  row: InboxRow | undefined;
}

/**
 * Rows in view, loaded by page. A row keeps its key, and so its focus, when the list moves. So
 * Enter opens the conversation that the person chose. Two pages loaded at different times may both
 * hold the same row. The second copy gets the key of its position.
 */
function useRows(filter: ListFilter, items: VirtualItem[]): PlacedRow[] {
  const pages = [...new Set(items.map(({ index }) => Math.floor(index / pageRows)))];
  const results = useQueries({
    queries: pages.map((page) => listPageQuery(filter, page)),
  });
  const seen = new Set<number>();
  return items.map(({ index, start }) => {
    const page = pages.indexOf(Math.floor(index / pageRows));
    const row = results[page]?.data?.data[index % pageRows];
    const isFirst = row !== undefined && !seen.has(row.id);
    if (isFirst) seen.add(row.id);
    return { key: isFirst ? `conversation ${row.id}` : `place ${index}`, index, start, row };
  });
}

/**
 * Keys j and k move the focus from row to row; Enter opens the focused link. A row takes the focus
 * once per key. Later movements of the list leave the focus where the person has put it.
 */
function useRowFocus(total: number, rows: PlacedRow[], reveal: (index: number) => void) {
  const [last, setLast] = useState<{ index: number; id: number } | null>(null);
  const [wanted, setWanted] = useState<number | null>(null);
  const move = (by: number): void => {
    if (total === 0) return;
    const moved = rows.find(({ row }) => row !== undefined && row.id === last?.id);
    const from = wanted ?? moved?.index ?? last?.index ?? -1;
    const next = Math.min(Math.max(from + by, 0), total - 1);
    setWanted(next);
    reveal(next);
  };
  useShortcuts({ j: () => move(1), k: () => move(-1) });
  const taken = (id: number): void => {
    if (wanted !== null) setLast({ index: wanted, id });
    setWanted(null);
  };
  return { wanted, taken };
}

function NoRows({ filter, view, onWrite }: Omit<ConversationRowsProps, "openId">) {
  const { t } = useTranslation();
  if (filter.search !== undefined || filter.channel !== undefined) {
    return <Empty title={t("inbox.no_match")} text={t("inbox.no_match_text")} />;
  }
  return (
    <EmptyList
      title={t(`inbox.empty.${filter.answered === "true" ? "answered" : view}`)}
      text={t("inbox.empty_text")}
      first={t("sandbox.title")}
      onFirst={onWrite}
    />
  );
}
