import { Button, type ButtonProps } from "@mantine/core";
import { useLayoutEffect, useRef, type ComponentPropsWithoutRef, type MouseEvent } from "react";
import { focusFirst, focusPath } from "../lib/focus-path.ts";

interface PendingButtonProps
  extends
    Omit<ButtonProps, "loading">,
    Omit<ComponentPropsWithoutRef<"button">, keyof ButtonProps> {
  /** Whether what it began is under way. */
  pending: boolean;
}

/**
 * A button that begins nothing more while what it began is under way. It is not disabled meanwhile: that
 * would take the keyboard's focus away. Where it goes for what it did, what is around it has the focus.
 */
export function PendingButton({
  pending,
  disabled = false,
  onClick,
  ...props
}: PendingButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const own = button.current;
    return () => {
      if (document.activeElement !== own) return;
      const around = focusPath(own);
      // Once it is gone.
      queueMicrotask(() => focusFirst(around));
    };
  }, []);
  return (
    <Button
      {...props}
      ref={button}
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
