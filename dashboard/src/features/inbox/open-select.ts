/** Gives a select the focus and opens its list, as a key of the inbox does. */
export function openSelect(input: HTMLInputElement | null): void {
  // Without a scroll: a drawer may still be on its way in.
  input?.focus({ preventScroll: true });
  input?.click();
  // Marked, so that whoever types a name does not write behind the one that stands there.
  input?.select();
}
