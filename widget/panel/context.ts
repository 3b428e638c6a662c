import { createContext } from "preact";
import { useContext, useEffect, useReducer } from "preact/hooks";
import type { PanelChat } from "./chat.ts";
import type { Words } from "./locales/words.ts";
import type { PanelState } from "./state.ts";

interface PanelContext {
  chat: PanelChat;
  words: Words;
}

const Context = createContext<PanelContext | null>(null);

/** Gives the chat and its words to everything below. */
export const PanelProvider = Context.Provider;

/** The chat, its words and its present state. The component is drawn anew with each change. */
export function usePanel(): PanelContext & { state: PanelState } {
  const context = useContext(Context);
  if (context === null) throw new Error("There is no panel above.");
  return { ...context, state: context.chat.store.state };
}

/** Draws the component anew with each change of the chat. */
export function useChanges(chat: PanelChat): PanelState {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => chat.store.subscribe(() => redraw(undefined)), [chat]);
  return chat.store.state;
}
