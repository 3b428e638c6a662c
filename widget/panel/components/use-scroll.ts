import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { PanelState } from "../state.ts";

/** Distance in pixels from an end that counts as being there. */
export const nearPx = 80;

interface Scroll {
  box: RefObject<HTMLDivElement>;
  /** There are messages below that the visitor has not scrolled to. */
  hasNew: boolean;
  toEnd: () => void;
  onScroll: () => void;
  /** Call it before older messages come above. */
  beforeOlder: () => void;
}

/** Keeps the newest message in view, unless the visitor reads older ones. */
export function useScroll({ messages, unsent, uploads, isTyping, isOpen }: PanelState): Scroll {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const heightBefore = useRef<number | null>(null);
  const [hasNew, setNew] = useState(false);
  const toEnd = (): void => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
    setNew(false);
  };
  const last = messages.at(-1);
  const firstId = messages[0]?.id;
  useLayoutEffect(() => {
    if (isAtEnd.current) toEnd();
    else if (last?.direction === "outbound") setNew(true);
    // A change of a known message is no new one.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [last?.id]);
  useLayoutEffect(() => {
    if (unsent.length + uploads.length > 0) isAtEnd.current = true;
    if (isAtEnd.current) toEnd();
  }, [unsent.length, uploads.length, isTyping, isOpen]);
  useLayoutEffect(() => {
    // The visitor's place stays, while older messages come above.
    const { current } = box;
    if (current === null || heightBefore.current === null) return;
    current.scrollTop += current.scrollHeight - heightBefore.current;
    heightBefore.current = null;
  }, [firstId]);
  useEffect(() => {
    const { current } = box;
    if (current === null) return;
    // Pictures and a screen keyboard change the height after the messages were drawn.
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) toEnd();
    });
    observer.observe(current);
    if (current.firstElementChild !== null) observer.observe(current.firstElementChild);
    return () => observer.disconnect();
  }, []);
  return {
    box,
    hasNew,
    toEnd,
    onScroll() {
      const { current } = box;
      if (current === null) return;
      isAtEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < nearPx;
      if (isAtEnd.current) setNew(false);
    },
    beforeOlder() {
      heightBefore.current = box.current?.scrollHeight ?? null;
    },
  };
}
