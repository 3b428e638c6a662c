import { Box, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, type ReactNode, type RefObject } from "react";
import { QueryState } from "../../components/load-states.tsx";
import { rowsQuery, type Import, type ImportRow, type RowFilter } from "./api.ts";
import styles from "./imports.module.css";
import { RowCells, useRowHeads } from "./row-cells.tsx";

/** Height in px of a row, and of its card on a phone; the style sheet has the same. */
const rowHeight = 40;
const cardHeight = 88;
/** Number of rows before the last loaded one from which the next page is read. */
const readAhead = 60;

interface RowListProps {
  one: Import;
  filter: RowFilter;
  /** Changes with the plan or the outcome, so that no earlier rows are shown. */
  version: string;
  label: string;
  /** Shown where no row fits. */
  empty: ReactNode;
}

/**
 * Rows of the file. Only the rows in view are rendered, and pages are read as somebody scrolls, so
 * a file of any size scrolls smoothly. The list scrolls by keyboard too.
 */
export function RowList({ one, filter, version, label, empty }: RowListProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const { query, rows, virtual } = useRows(one.id, filter, version, scroll);
  const heads = useRowHeads(one);
  return (
    <QueryState query={query} height={rowHeight - 8}>
      {() =>
        rows.length === 0 ? (
          <Text c="dimmed" p="md">
            {empty}
          </Text>
        ) : (
          <Box
            ref={scroll}
            role="region"
            aria-label={label}
            tabIndex={0}
            className={styles["rows"] ?? ""}
          >
            <div role="table" aria-rowcount={query.hasNextPage ? -1 : rows.length + 1}>
              <div role="row" aria-rowindex={1} className={styles["rowHead"]} data-kind={one.kind}>
                {heads.map((head) => (
                  <span key={head} role="columnheader">
                    {head}
                  </span>
                ))}
              </div>
              <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: "relative" }}>
                {virtual.getVirtualItems().map(({ key, index, start }) => (
                  <div
                    key={String(key)}
                    role="row"
                    aria-rowindex={index + 2}
                    className={styles["row"]}
                    data-kind={one.kind}
                    style={{ transform: `translateY(${start}px)` }}
                  >
                    <RowCells one={one} row={rows[index]} />
                  </div>
                ))}
              </div>
            </div>
          </Box>
        )
      }
    </QueryState>
  );
}

/** The loaded rows, and their places on the screen. Further pages are read as somebody scrolls. */
function useRows(
  id: number,
  filter: RowFilter,
  version: string,
  scroll: RefObject<HTMLDivElement | null>,
) {
  const query = useInfiniteQuery(rowsQuery(id, filter, version));
  const { data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query;
  const rows = useMemo<ImportRow[]>(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const isPhone = useMediaQuery("(max-width: 47.99em)") === true;
  const height = isPhone ? cardHeight : rowHeight;
  const virtual = useVirtualizer({
    count: rows.length + (hasNextPage ? 1 : 0),
    getScrollElement: () => scroll.current,
    // No keys of our own: a new function for each frame would measure all rows for each frame.
    estimateSize: () => height,
    overscan: 12,
  });
  useEffect(() => virtual.measure(), [virtual, height]);
  const last = virtual.getVirtualItems().at(-1)?.index ?? 0;
  const isNear = last >= rows.length - readAhead;
  useEffect(() => {
    if (isNear && hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [isNear, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage]);
  return { query, rows, virtual };
}
