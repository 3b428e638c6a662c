import { useRef, type PointerEvent } from "react";

/** Way in px after which a swipe opens the actions, and width of the opened actions. */
const openAfter = 48;
const openWidth = 160;

/**
 * Swipe of a row by a finger: to the left it opens the actions behind the row. `offset` is written
 * to the element directly, so that a swipe renders nothing.
 */
export function useSwipe(isOpen: boolean, setOpen: (isOpen: boolean) => void) {
  const start = useRef<{ x: number; y: number; isSwipe: boolean } | null>(null);
  const swiped = useRef(false);
  const move = (element: HTMLElement, offset: number | null): void => {
    if (offset === null) element.style.removeProperty("--swipe");
    else element.style.setProperty("--swipe", `${offset}px`);
  };
  const end = (event: PointerEvent<HTMLElement>): void => {
    const from = start.current;
    start.current = null;
    move(event.currentTarget, null);
    if (from?.isSwipe !== true) return;
    const way = event.clientX - from.x;
    setOpen(isOpen ? way < openAfter : way < -openAfter);
  };
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>): void => {
      swiped.current = false;
      if (event.pointerType !== "touch") return;
      start.current = { x: event.clientX, y: event.clientY, isSwipe: false };
    },
    onPointerMove: (event: PointerEvent<HTMLElement>): void => {
      const from = start.current;
      if (from === null) return;
      const way = event.clientX - from.x;
      if (!from.isSwipe && Math.abs(way) < 8) return;
      from.isSwipe = true;
      swiped.current = true;
      const offset = (isOpen ? -openWidth : 0) + way;
      move(event.currentTarget, Math.max(-openWidth, Math.min(0, offset)));
    },
    onPointerUp: end,
    onPointerCancel: end,
    /** The click at the end of a swipe opens nothing. */
    onClickCapture: (event: { preventDefault: () => void; stopPropagation: () => void }): void => {
      if (!swiped.current) return;
      swiped.current = false;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}
