import { Button, type ButtonProps } from "@mantine/core";
import type { ComponentPropsWithoutRef, MouseEvent } from "react";

interface PendingButtonProps
  extends
    Omit<ButtonProps, "loading">,
    Omit<ComponentPropsWithoutRef<"button">, keyof ButtonProps> {
  /** Whether what it began is under way. */
  pending: boolean;
}

/**
 * A button that begins nothing more while what it began is under way. It is not disabled meanwhile: that
 * would take the keyboard's focus away.
 */
export function PendingButton({
  pending,
  disabled = false,
  onClick,
  ...props
}: PendingButtonProps) {
  return (
    <Button
      {...props}
      loading={pending}
      aria-busy={pending}
      aria-disabled={pending || undefined}
      onClick={pending ? beginNothing : onClick}
      renderRoot={(root) => <button {...root} disabled={disabled} />}
    />
  );
}

/** Enter in a field of a form presses its button too. */
function beginNothing(event: MouseEvent): void {
  event.preventDefault();
}
