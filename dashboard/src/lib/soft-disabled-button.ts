/**
 * Props of a button that may become disabled while it has the keyboard focus. The button then looks
 * and sounds disabled. A real `disabled` attribute would remove the focus.
 */
export function softDisabledButton(off: boolean, onTake: () => void) {
  return {
    "aria-disabled": off,
    "data-disabled": off,
    onClick: off ? undefined : onTake,
  };
}
