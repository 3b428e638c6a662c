import { createContext, useContext, useRef } from "react";
import { useConversationKeys } from "./selection.ts";

/** Keys that open a select: assignee and stage. */
export type SelectKey = "a" | "s";

/** The drawer that contains the selects on a narrow screen. */
export const SelectDrawer = createContext({
  /** Inside the drawer: the select for which it was opened. */
  wanted: null as SelectKey | null,
  open: (_wanted: SelectKey): void => undefined,
});

/**
 * Binds a key that opens a select, or the drawer where the select is hidden. @returns props of the
 * select
 */
export function useSelectKey(key: SelectKey) {
  const ref = useRef<HTMLInputElement>(null);
  const drawer = useContext(SelectDrawer);
  useConversationKeys({
    [key]: () => {
      // A hidden select has a copy in the drawer.
      if (ref.current?.offsetParent === null) drawer.open(key);
      else openSelect(ref.current);
    },
  });
  const isWanted = drawer.wanted === key;
  return {
    ref,
    // A drawer focuses the element with this mark, else its first button. The focus opens the
    // select.
    "data-autofocus": isWanted || undefined,
    onFocus: () => {
      if (isWanted) ref.current?.select();
    },
  };
}

function openSelect(input: HTMLInputElement | null): void {
  input?.focus();
  input?.click();
  // Selects the text, so that a typed name replaces the present name.
  input?.select();
}
