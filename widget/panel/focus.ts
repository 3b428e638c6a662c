/** The panel is open and drawn. */
let isShown = false;

/** Notes that the panel is shown, or no longer, once its fields have looked for the focus. */
export function noteShown(shown: boolean): void {
  isShown = shown;
}

/**
 * The panel may take the focus when it opens. Later it may only move a focus that it has, since the
 * visitor may be writing in a field of the site.
 */
export function mayTakeFocus(): boolean {
  return !isShown || document.hasFocus();
}

const reachable =
  "a[href],button:not(:disabled),input:not(:disabled),textarea:not(:disabled),select,[tabindex='0']";

/** Wraps the Tab key around the panel, which covers the whole window. */
export function keepFocusInside(event: KeyboardEvent): void {
  const all = [...document.querySelectorAll<HTMLElement>(reachable)].filter(
    (one) => one.getClientRects().length > 0,
  );
  const [first, last] = [all[0], all.at(-1)];
  const from = event.shiftKey ? first : last;
  if (document.activeElement !== from) return;
  event.preventDefault();
  (event.shiftKey ? last : first)?.focus();
}
