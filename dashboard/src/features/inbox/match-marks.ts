import { findPlaces } from "./match-places.ts";

/** Names of the highlights in `thread-search.css`. */
const names = { all: "parley-match", current: "parley-match-current" };

/** Ranges of `query` in the text nodes of an element. */
function rangesIn(element: Element, query: string): Range[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const ranges: Range[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    for (const [start, end] of findPlaces(node.textContent ?? "", query)) {
      const range = new Range();
      range.setStart(node, start);
      range.setEnd(node, end);
      ranges.push(range);
    }
  }
  return ranges;
}

/**
 * Marks a text in the bubbles of a thread, without a change of its elements. A browser without
 * highlights shows the outline of the current match alone.
 */
export function markMatches(thread: Element, query: string, currentId: number | null): void {
  if (!("highlights" in CSS)) return;
  const all = new Highlight();
  const current = new Highlight();
  current.priority = 1;
  for (const entry of thread.querySelectorAll("[data-message]")) {
    const body = entry.querySelector("[data-bubble]");
    if (body === null) continue;
    const into = Number(entry.getAttribute("data-message")) === currentId ? current : all;
    for (const range of rangesIn(body, query)) into.add(range);
  }
  CSS.highlights.set(names.all, all);
  CSS.highlights.set(names.current, current);
}

/** Removes all marks. */
export function clearMatches(): void {
  if (!("highlights" in CSS)) return;
  for (const name of Object.values(names)) CSS.highlights.delete(name);
}
