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
