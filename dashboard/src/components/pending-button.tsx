import { Button, type ButtonProps } from "@mantine/core";
import { useLayoutEffect, useRef, type ComponentPropsWithoutRef, type MouseEvent } from "react";
import { focusFirst, focusPath } from "../lib/focus-path.ts";

interface PendingButtonProps
  extends
    Omit<ButtonProps, "loading">,
    Omit<ComponentPropsWithoutRef<"button">, keyof ButtonProps> {
  /** True while the action that the button began is running. */
  pending: boolean;
}

/**
 * A button that ignores clicks while its action is running. It is not disabled meanwhile, because a
 * disabled button loses the keyboard focus. Where the action removes the button, the nearest
 * element around it takes the focus.
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
      // Runs after React has removed the button.
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

/** Enter in a field of a form also presses the button of the form. */
function beginNothing(event: MouseEvent): void {
  event.preventDefault();
}
