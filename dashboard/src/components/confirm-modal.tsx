import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";

interface ConfirmModalProps {
  title: string;
  text: string;
  /** What the button says that does it. */
  action: string;
  /** Red where it takes something away. */
  color?: "red" | undefined;
  pending: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Says what is about to happen, and asks whether it shall. */
export function ConfirmModal(props: ConfirmModalProps) {
  const { title, text, action, color, pending, onConfirm, onClose } = props;
  const { t } = useTranslation();
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeButtonProps={{ "aria-label": t("common.close") }}
    >
      <Stack>
        <Text>{text}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("common.cancel")}
          </Button>
          <Button color={color} loading={pending} onClick={onConfirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
