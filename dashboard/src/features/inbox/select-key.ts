import { createContext, useContext, useRef } from "react";
import { useShortcuts } from "./use-shortcuts.ts";

/** Keys that open a select: the assignee's and the stage's. */
export type SelectKey = "a" | "s";

/** The drawer that has the selects where there is no room for them beside the thread. */
export const SelectDrawer = createContext({
  /** In the drawer: the select that it was opened for. */
  wanted: null as SelectKey | null,
  open: (_wanted: SelectKey): void => undefined,
});

/** Opens a select by its key: here, or in the drawer where this one is hidden. @returns its props */
export function useSelectKey(key: SelectKey) {
  const ref = useRef<HTMLInputElement>(null);
  const drawer = useContext(SelectDrawer);
  useShortcuts({
    [key]: () => {
      // In the drawer another one is there.
      if (ref.current?.offsetParent === null) drawer.open(key);
      else openSelect(ref.current);
    },
  });
  const isWanted = drawer.wanted === key;
  return {
    ref,
    // A drawer gives the focus to what is marked so, or to its first button; a select opens by it.
    "data-autofocus": isWanted || undefined,
    onFocus: () => {
      if (isWanted) ref.current?.select();
    },
  };
}

function openSelect(input: HTMLInputElement | null): void {
  input?.focus();
  input?.click();
  // Marked, so that whoever types a name does not write behind the one that stands there.
  input?.select();
}
