import { useCallback, useEffect, useRef, useState, type RefObject } from "react";
import { useLocation } from "react-router";
import type { MessagePlace } from "./api.ts";
import type { useThread } from "./use-thread.ts";

/** The message that the thread shows: this one, the first from a time on, or the newest. */
export type Goal = { id: number } | { at: string } | "newest";

/**
 * Part of the conversation that the thread shows, and the goal that it scrolls to. The URL names
 * the first goal; a link followed later is another goal.
 */
export function usePlace() {
  const { key, hash, search } = useLocation();
  const linkedId = linkedMessage(hash, search);
  const [state, set] = useState(() => ({ key, search, linkedId, ...goTo(linkedId) }));
  if (key !== state.key) {
    // A filter of the list changes the URL too, and leaves the reader where they are.
    const isFollowed =
      linkedId !== null && (linkedId !== state.linkedId || search === state.search);
    set({ ...state, key, search, linkedId, ...(isFollowed ? goTo(linkedId) : {}) });
  }
  /** @param isLoaded the message is in the part that the thread shows. */
  const go = useCallback(
    (goal: Goal, isLoaded = false): void =>
      set((before) => ({ ...before, goal, place: isLoaded ? before.place : placeOf(goal) })),
    [],
  );
  return { place: state.place, goal: state.goal, go };
}

function goTo(id: number | null): { goal: Goal | null; place: MessagePlace } {
  return id === null ? { goal: null, place: {} } : { goal: { id }, place: { around_id: id } };
}

function placeOf(goal: Goal): MessagePlace {
  if (goal === "newest") return {};
  return "id" in goal ? { around_id: goal.id } : { at: goal.at };
}

/** Id in `#message-7` or `?message=7`, else null. */
function linkedMessage(hash: string, search: string): number | null {
  const named = /^#message-(\d+)$/.exec(hash)?.[1] ?? new URLSearchParams(search).get("message");
  return named !== null && /^[1-9]\d{0,14}$/.test(named) ? Number(named) : null;
}

/** Scrolls to each goal once, as soon as its message is there. @returns the id of a named message */
export function useGoal(
  goal: Goal | null,
  { messages, messageRows }: ReturnType<typeof useThread>,
  scroll: RefObject<HTMLElement | null>,
): number | null {
  const reached = useRef<Goal | null>(null);
  const { isPlaceholderData } = messages;
  useEffect(() => {
    if (goal === null || reached.current === goal || isPlaceholderData) return;
    reached.current = goal;
    const id = goal === "newest" ? null : idOf(goal, messageRows);
    if (id === null) scroll.current?.scrollTo({ top: 0 });
    else {
      const block = goal !== "newest" && "id" in goal ? "center" : "start";
      scroll.current?.querySelector(`[data-message="${id}"]`)?.scrollIntoView({ block });
    }
  }, [goal, messageRows, isPlaceholderData, scroll]);
  return goal !== null && goal !== "newest" && "id" in goal ? goal.id : null;
}

/** A message that is gone has no row, and the thread stays at the newest one. */
function idOf(
  goal: Exclude<Goal, "newest">,
  newestFirst: { id: number; created_at: string }[],
): number | null {
  if ("id" in goal) return newestFirst.some(({ id }) => id === goal.id) ? goal.id : null;
  return (
    newestFirst.findLast((row) => Date.parse(row.created_at) >= Date.parse(goal.at))?.id ?? null
  );
}
