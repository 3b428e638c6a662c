import { createContext } from "react";

/** Tool that is open in the thread: the search, or the choice of a day. */
export type ThreadTool = "search" | "day" | null;

/** Opens a tool of the thread, or closes it. */
export const ThreadTools = createContext((_tool: ThreadTool): void => undefined);
