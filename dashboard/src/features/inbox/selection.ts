import { createContext, useContext } from "react";
import { useShortcuts, type ShortcutKey } from "./use-shortcuts.ts";

/** Tells the opened conversation if rows of the list are selected. Then its keys act on those. */
export const Selecting = createContext({
  isSelecting: false,
  set: (_isSelecting: boolean): void => undefined,
});

/** Binds keys of the opened conversation, as long as no row of the list is selected. */
export function useConversationKeys(actions: Partial<Record<ShortcutKey, () => void>>): void {
  const { isSelecting } = useContext(Selecting);
  useShortcuts(isSelecting ? {} : actions);
}
