/** An element, then whatever is around it: the next best for the keyboard's focus where it is gone or disabled. */
export function focusPath(from: Element | null): HTMLElement[] {
  const path: HTMLElement[] = [];
  for (let at = from; at !== null; at = at.parentElement) {
    if (at instanceof HTMLElement) path.push(at);
  }
  return path;
}

/** Gives the first of these that takes it the keyboard's focus, unless something has it. */
export function focusFirst(path: readonly HTMLElement[]): void {
  for (const element of path) {
    if (document.activeElement !== document.body) return;
    element.focus({ preventScroll: true });
  }
}
