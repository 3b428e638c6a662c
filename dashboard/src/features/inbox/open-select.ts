/** Gives a select the focus and opens its list, as a key of the inbox does. */
export function openSelect(input: HTMLInputElement | null): void {
  input?.focus();
  input?.click();
  // Marked, so that whoever types a name does not write behind the one that stands there.
  input?.select();
}
