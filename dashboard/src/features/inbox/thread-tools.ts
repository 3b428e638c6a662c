import { createContext } from "react";

/**
 * Tool that is open in the thread: the search, or the calendar with a day, `2026-03-01`, in view.
 * A day of null is today.
 */
export type ThreadTool = "search" | { day: string | null } | null;

/** Opens a tool of the thread, or closes it. */
export const ThreadTools = createContext((_tool: ThreadTool): void => undefined);
