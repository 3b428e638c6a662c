import { Button, Group, Text } from "@mantine/core";

/** A button in a toast. */
export interface ToastAction {
  label: string;
  run: () => void;
}

interface ToastOfferProps {
  message: string;
  actions: ToastAction[];
  /** Closes the toast, before an action runs. */
  hide: () => void;
}

/** Text and actions of a toast. A long text takes up to three lines; a button is never cut. */
export function ToastOffer({ message, actions, hide }: ToastOfferProps) {
  return (
    <Group gap="xs">
      <Text size="sm" flex="1 1 160px" lineClamp={3}>
        {message}
      </Text>
      {actions.map(({ label, run }) => (
        <Button
          key={label}
          size="compact-sm"
          variant="default"
          flex="none"
          onClick={() => {
            hide();
            run();
          }}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}
