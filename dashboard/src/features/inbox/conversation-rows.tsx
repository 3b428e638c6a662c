import { Button, Text } from "@mantine/core";
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useVirtualizer, type VirtualItem } from "@tanstack/react-virtual";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Empty, LoadFailed, LoadingRows } from "../../components/load-states.tsx";
import { listPageQuery, pageRows, type InboxRow, type ListFilter } from "./api.ts";
import { ConversationRow, rowHeight } from "./conversation-row.tsx";
import styles from "./inbox.module.css";
import type { View } from "./list-state.ts";
import { useShortcuts } from "./use-shortcuts.ts";

interface ConversationRowsProps {
  filter: ListFilter;
  view: View;
  openId: number | null;
  /** Writes as a customer, where there is nobody yet. */
  onWrite: () => void;
}

/** The rows: only those in view are drawn and read, however many there are. */
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
  const items = virtual.getVirtualItems();
  const rowAt = useRows(filter, items);
  const focus = useRowFocus(total, (index) => virtual.scrollToIndex(index));
  if (first.data === undefined && first.error !== null) {
    return <LoadFailed error={first.error} retry={first.refetch} />;
  }
  if (first.data === undefined) return <LoadingRows rows={8} height={56} />;
  if (first.data.meta.total === 0) return <NoRows filter={filter} view={view} onWrite={onWrite} />;
  return (
    <div ref={scroll} className={styles["rows"]}>
      <Text component="p" size="xs" c="dimmed" px="md" pb={4} className="tabular">
        {t("inbox.count", { count: total })}
      </Text>
      <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {items.map(({ index, start }) => (
          <ConversationRow
            key={index}
            row={rowAt(index)}
            start={start}
            open={rowAt(index)?.id === openId}
            focused={index === focus.wanted}
            onFocused={focus.taken}
          />
        ))}
      </div>
    </div>
  );
}

/** The rows in view, read a page at a time. */
function useRows(
  filter: ListFilter,
  items: VirtualItem[],
): (index: number) => InboxRow | undefined {
  const pages = [...new Set(items.map(({ index }) => Math.floor(index / pageRows)))];
  const results = useQueries({
    queries: pages.map((page) => listPageQuery(filter, page)),
  });
  return (index) => {
    const page = pages.indexOf(Math.floor(index / pageRows));
    return results[page]?.data?.data[index % pageRows];
  };
}

/**
 * j and k move the focus from row to row; Enter then opens the link it is on. A row takes the focus once
 * for each key: whatever moves in the list later leaves it where the person has put it since.
 */
function useRowFocus(total: number, reveal: (index: number) => void) {
  const [focused, setFocused] = useState<number | null>(null);
  const [wanted, setWanted] = useState<number | null>(null);
  const move = (by: number): void => {
    if (total === 0) return;
    const next = Math.min(Math.max((focused ?? -by + (by > 0 ? 0 : 1)) + by, 0), total - 1);
    setFocused(next);
    setWanted(next);
    reveal(next);
  };
  useShortcuts({ j: () => move(1), k: () => move(-1) });
  return { wanted, taken: () => setWanted(null) };
}

function NoRows({ filter, view, onWrite }: Omit<ConversationRowsProps, "openId">) {
  const { t } = useTranslation();
  if (filter.search !== undefined || filter.channel !== undefined) {
    return <Empty title={t("inbox.no_match")} text={t("inbox.no_match_text")} />;
  }
  return (
    <Empty
      title={t(`inbox.empty.${view}`)}
      text={t("inbox.empty_text")}
      action={
        <Button variant="default" onClick={onWrite}>
          {t("sandbox.title")}
        </Button>
      }
    />
  );
}
