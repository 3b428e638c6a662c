import { Button, Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Dialog } from "./dialog.tsx";
import { PendingButton } from "./pending-button.tsx";

interface ConfirmModalProps {
  title: string;
  text: string;
  /** Label of the button that confirms. */
  action: string;
  /** Red for an action that removes something. */
  color?: "bad" | undefined;
  pending: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Dialog that describes an action and asks for confirmation. */
export function ConfirmModal(props: ConfirmModalProps) {
  const { title, text, action, color, pending, onConfirm, onClose } = props;
  const { t } = useTranslation();
  return (
    <Dialog onClose={onClose} title={title}>
      <Stack>
        <Text>{text}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("common.cancel")}
          </Button>
          <PendingButton color={color} pending={pending} onClick={onConfirm}>
            {action}
          </PendingButton>
        </Group>
      </Stack>
    </Dialog>
  );
}
