import type { Icon } from "@tabler/icons-react";
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";

/** An action of the opened page, offered by the command palette too. */
export interface PageAction {
  /** Unique on the page. */
  id: string;
  label: string;
  icon: Icon;
  run: () => void;
}

let offered: PageAction[] = [];
const listeners = new Set<() => void>();

function offer(next: PageAction[]): void {
  offered = next;
  for (const tell of listeners) tell();
}

/** Offers an action in the command palette while the component is mounted; null offers nothing. */
export function usePageAction(action: PageAction | null): void {
  const { id, label, icon } = action ?? { id: null, label: "", icon: null };
  const run = useEffectEvent(() => action?.run());
  useEffect(() => {
    if (id === null || icon === null) return undefined;
    const own = { id, label, icon, run: () => run() };
    offer([...offered, own]);
    return () => offer(offered.filter((one) => one !== own));
  }, [id, label, icon]);
}

/** The actions of the opened page. */
export function usePageActions(): PageAction[] {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => offered,
  );
}
