/**
 * An element and all its ancestors. They are the candidates for the keyboard focus where the
 * element is gone or disabled.
 */
export function focusPath(from: Element | null): HTMLElement[] {
  const path: HTMLElement[] = [];
  for (let at = from; at !== null; at = at.parentElement) {
    if (at instanceof HTMLElement) path.push(at);
  }
  return path;
}

/**
 * Focuses the first element that accepts the keyboard focus, unless another element already has it.
 */
export function focusFirst(path: readonly HTMLElement[]): void {
  for (const element of path) {
    if (document.activeElement !== document.body) return;
    element.focus({ preventScroll: true });
  }
}
