import { useContext, useEffect, useState } from "react";
import type { InboxRow } from "../../lib/inbox-queue.ts";
import { Selecting } from "./selection.ts";

/** Rows of the list that are selected, and ways to change the selection. */
export interface Selection {
  rows: InboxRow[];
  has: (id: number) => boolean;
  /** Selects a row, or takes it out. Other conversations cannot be selected. */
  toggle: (id: number) => void;
  /** Selects all rows from the last toggled row to this one. */
  extend: (id: number) => void;
  clear: () => void;
}

/** The selection among the loaded rows. A row that leaves the list leaves the selection too. */
export function useSelection(rows: InboxRow[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set());
  const [anchor, setAnchor] = useState<number | null>(null);
  const selected = ids.size === 0 ? [] : rows.filter(({ id }) => ids.has(id));
  // A row that comes back later is not selected again.
  const kept = new Set(selected.map(({ id }) => id));
  if (kept.size < ids.size) setIds(kept);
  const { set } = useContext(Selecting);
  const isSelecting = selected.length > 0;
  useEffect(() => {
    set(isSelecting);
    return () => set(false);
  }, [isSelecting, set]);
  return {
    rows: selected,
    has: (id) => ids.has(id),
    toggle: (id) => {
      if (!rows.some((row) => row.id === id)) return;
      const next = new Set(ids);
      if (!next.delete(id)) next.add(id);
      setIds(next);
      setAnchor(id);
    },
    extend: (id) => {
      const to = rows.findIndex((row) => row.id === id);
      if (to < 0) return;
      const from = rows.findIndex((row) => row.id === anchor);
      const [first, last] = from < 0 ? [to, to] : [Math.min(from, to), Math.max(from, to)];
      const between = rows.slice(first, last + 1).map((row) => row.id);
      setIds(new Set([...ids, ...between]));
      setAnchor(id);
    },
    clear: () => setIds(new Set()),
  };
}
