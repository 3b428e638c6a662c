import { ActionIcon, Tooltip, type ActionIconProps } from "@mantine/core";
import type { ReactNode } from "react";

interface IconActionProps extends ActionIconProps {
  /** Name of the button, also in its tooltip. */
  label: string;
  onClick?: (() => void) | undefined;
  children: ReactNode;
}

/** A button that is only an icon, with a tooltip. */
export function IconAction({ label, ...rest }: IconActionProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} {...rest} />
    </Tooltip>
  );
}
