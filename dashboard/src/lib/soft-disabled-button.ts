/**
 * Props of a button that may be off while it has the keyboard's focus: it then looks and sounds
 * disabled. To be so would take the focus away.
 */
export function softDisabledButton(off: boolean, onTake: () => void) {
  return {
    "aria-disabled": off,
    "data-disabled": off,
    onClick: off ? undefined : onTake,
  };
}
