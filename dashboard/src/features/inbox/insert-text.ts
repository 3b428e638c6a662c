import { flushSync } from "react-dom";

/** A text field that React fills, and the function that sets its text. */
export interface TextField {
  input: HTMLTextAreaElement;
  setText: (text: string) => void;
}

/** Replaces a range of the text, by default the selection, and puts the caret behind the new text. */
export function insertText(
  { input, setText }: TextField,
  added: string,
  start = input.selectionStart,
  end = input.selectionEnd,
): void {
  const { value } = input;
  // Rendered before the caret moves, because a new value moves the caret to the end.
  flushSync(() => setText(value.slice(0, start) + added + value.slice(end)));
  const caret = start + added.length;
  input.focus();
  input.setSelectionRange(caret, caret);
}
