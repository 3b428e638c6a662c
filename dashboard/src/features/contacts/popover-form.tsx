import { Button, Popover, Stack, type ButtonProps, type PopoverProps } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";

interface PopoverFormProps extends Pick<ButtonProps, "size" | "color" | "leftSection"> {
  /** Word of the button, and name of the popover for screen readers. */
  label: string;
  position: NonNullable<PopoverProps["position"]>;
  onSubmit: (close: () => void) => void;
  /** Fields and buttons of the form. */
  children: (close: () => void) => ReactNode;
}

/** Button that opens a short form above or below itself. */
export function PopoverForm({ label, position, onSubmit, children, ...button }: PopoverFormProps) {
  const [opened, { toggle, close }] = useDisclosure(false);
  return (
    <Popover opened={opened} onChange={close} trapFocus returnFocus position={position}>
      <Popover.Target>
        <Button variant="subtle" {...button} onClick={toggle}>
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            onSubmit(close);
          }}
        >
          <Stack gap="sm" w={260}>
            {children(close)}
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
