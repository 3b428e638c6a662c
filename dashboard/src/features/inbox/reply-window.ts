import { useEffect, useState } from "react";
import { hourMs } from "../../../../core/model/durations.ts";
import type { Conversation } from "./api.ts";

/** Time for free text of a person in the Dashboard. */
export interface ReplyWindow {
  open: boolean;
  /** Null where the channel has no window, or the customer has yet to write. */
  end: string | null;
  /** Length in ms of the whole time, of which the ring shows the rest. */
  wholeMs: number;
  /** True once only people may answer: the time of the AI agent is over. */
  isForPeople: boolean;
}

/** The window as people have it: Messenger and Instagram may give them 7 days instead of 24 hours. */
export function useReplyWindow({ messaging_window: window }: Conversation): ReplyWindow {
  const { open, expires_at: end, human_expires_at: humanEnd } = window;
  const isInTime = useIsAhead(humanEnd);
  if (!open && isInTime) {
    return { open: true, end: humanEnd, wholeMs: 168 * hourMs, isForPeople: true };
  }
  return { open, end, wholeMs: 24 * hourMs, isForPeople: false };
}

/** @returns true until the moment has come, at which the component renders again. */
function useIsAhead(moment: string | null): boolean {
  const [now, setNow] = useState(() => Date.now());
  const at = moment === null ? 0 : new Date(moment).getTime();
  useEffect(() => {
    if (at === 0) return undefined;
    const timer = setTimeout(() => setNow(Date.now()), Math.max(at - Date.now(), 0) + 1);
    return () => clearTimeout(timer);
  }, [at]);
  return at > now;
}
