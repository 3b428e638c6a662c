import { useEffect, useRef, type RefObject } from "react";

/**
 * For an element that takes the place of what had the keyboard's focus: it has the focus then, when it
 * comes and with each change of `content`. Give it `tabIndex={-1}`.
 */
export function useKeptFocus<E extends HTMLElement>(content?: unknown): RefObject<E | null> {
  const element = useRef<E>(null);
  useEffect(() => {
    if (document.activeElement === document.body) element.current?.focus();
  }, [content]);
  return element;
}

/**
 * For what holds rows: it has the keyboard's focus once a row goes that had it. Give it
 * `tabIndex={-1}`.
 */
export function useFocusAfterRow<E extends HTMLElement>(rows: number): RefObject<E | null> {
  const element = useRef<E>(null);
  const before = useRef(rows);
  useEffect(() => {
    const isFewer = rows < before.current;
    before.current = rows;
    if (isFewer && document.activeElement === document.body) element.current?.focus();
  }, [rows]);
  return element;
}
