import { Button, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "./dialog.tsx";
import { PendingButton } from "./pending-button.tsx";

interface ConfirmModalProps {
  title: string;
  text: string;
  /** Label of the button that confirms. */
  action: string;
  /** Label of the other button, where "Cancel" could be read as the action. */
  keep?: string | undefined;
  /** Red for an action that removes something. */
  color?: "bad" | undefined;
  pending: boolean;
  onConfirm: () => void;
  onClose: () => void;
  /** A field that the action needs. */
  children?: ReactNode;
}

/** Dialog that describes an action and asks for confirmation. */
export function ConfirmModal(props: ConfirmModalProps) {
  const { title, text, action, keep, color, pending, onConfirm, onClose, children } = props;
  const { t } = useTranslation();
  return (
    <Dialog onClose={onClose} title={title}>
      <Stack gap={18}>
        <Text size="md" c="var(--parley-ink-2)">
          {text}
        </Text>
        {children}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {keep ?? t("common.cancel")}
          </Button>
          <PendingButton color={color} pending={pending} onClick={onConfirm}>
            {action}
          </PendingButton>
        </Group>
      </Stack>
    </Dialog>
  );
}
