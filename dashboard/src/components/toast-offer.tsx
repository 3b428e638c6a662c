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

/** Text and actions of a toast. A long text is cut, a button never is. */
export function ToastOffer({ message, actions, hide }: ToastOfferProps) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Text flex="1 1 0" miw={0} lineClamp={2} title={message}>
        {message}
      </Text>
      {actions.map(({ label, run }) => (
        <Button
          key={label}
          size="compact-sm"
          variant="subtle"
          fw={600}
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
