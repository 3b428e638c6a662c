import { useEffect, useRef, type RefObject } from "react";

/**
 * For an element that replaces a focused element. It takes the lost keyboard focus when it is
 * mounted and with each change of `content`. Give it `tabIndex={-1}`.
 */
export function useKeptFocus<E extends HTMLElement>(content?: unknown): RefObject<E | null> {
  const element = useRef<E>(null);
  useEffect(() => {
    if (document.activeElement === document.body) element.current?.focus();
  }, [content]);
  return element;
}

/**
 * For a container of rows, or their heading. It takes the keyboard focus when a focused row
 * disappears. Give it `tabIndex={-1}`.
 */
export function useFocusAfterRow<E extends HTMLElement>(rows: number): RefObject<E | null> {
  const element = useRef<E>(null);
  const before = useRef(rows);
  useEffect(() => {
    const isFewer = rows < before.current;
    before.current = rows;
    // A dialog that goes with its row leaves the focus at an ancestor of both.
    const isLost = document.activeElement?.contains(element.current) ?? true;
    if (isFewer && isLost) element.current?.focus();
  }, [rows]);
  return element;
}
