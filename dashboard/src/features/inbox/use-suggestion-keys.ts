import { useId, useState, type KeyboardEvent, type RefObject } from "react";
import type { Conversation } from "./api.ts";
import { useSuggestions, type Suggestion } from "./composer-suggestions.ts";
import { insertText } from "./insert-text.ts";

interface Field {
  conversation: Conversation;
  mode: "reply" | "note";
  text: string;
  setText: (text: string) => void;
  inputRef: RefObject<HTMLTextAreaElement | null>;
}

/** Id of an option, for `aria-activedescendant`. */
export function optionId(listId: string, index: number): string {
  return `${listId}-${index}`;
}

/** Suggestions at the caret of a text field, and the keys that choose one. */
export function useSuggestionKeys({ conversation, mode, text, setText, inputRef }: Field) {
  const listId = useId();
  const [caret, setCaret] = useState<number | null>(null);
  const [active, setActive] = useState(0);
  const [previewed, setPreviewed] = useState(false);
  // The word whose list was closed by Escape.
  const [closedAt, setClosedAt] = useState<number | null>(null);
  const found = useSuggestions(conversation, mode, caret === null ? "" : text.slice(0, caret));
  if (found === null && closedAt !== null) setClosedAt(null);
  const suggestions = found === null || found.start === closedAt ? null : found;
  const rows = suggestions?.rows ?? [];
  const at = Math.min(active, Math.max(rows.length - 1, 0));

  const close = (start: number | null): void => {
    setClosedAt(start);
    setActive(0);
    setPreviewed(false);
  };
  const follow = (): void => {
    const input = inputRef.current;
    setCaret(input === null || input !== document.activeElement ? null : input.selectionStart);
  };
  const insert = (start: number, added: string): void => {
    const input = inputRef.current;
    if (input === null) return;
    insertText({ input, setText }, added, start, caret ?? text.length);
    setCaret(start + added.length);
    close(null);
  };
  const pick = ({ text: added }: Suggestion): void => insert(suggestions?.start ?? 0, added);

  /** @returns true where the key was for the list. */
  const press = (event: KeyboardEvent): boolean => {
    if (suggestions === null || event.nativeEvent.isComposing) return false;
    const row = rows[at];
    switch (event.key) {
      case "Escape":
        close(suggestions.start);
        return true;
      case "ArrowDown":
      case "ArrowUp":
        if (row === undefined) return false;
        setActive((at + (event.key === "ArrowDown" ? 1 : rows.length - 1)) % rows.length);
        return true;
      case "Enter":
        if (event.shiftKey) return false;
        // The unfinished word is never sent to a customer while its list loads.
        if (row !== undefined) pick(row);
        return row !== undefined || suggestions.loading;
      case "Tab":
        if (row === undefined || event.shiftKey) return false;
        if (mode === "note") pick(row);
        else setPreviewed(!previewed);
        return true;
      default:
        return false;
    }
  };
  return { listId, suggestions, active: at, previewed, setActive, pick, press, follow };
}
