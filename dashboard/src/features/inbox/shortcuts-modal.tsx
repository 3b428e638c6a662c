import { Group, Kbd, Modal, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";

const shortcuts = [
  ["j", "next"],
  ["k", "previous"],
  ["Enter", "open"],
  ["r", "reply"],
  ["n", "note"],
  ["e", "resolve"],
  ["p", "agent"],
  ["a", "assign"],
  ["s", "stage"],
  ["/", "search"],
  ["?", "help"],
  ["Ctrl K", "palette"],
] as const;

/** Every key of the inbox. */
export function ShortcutsModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("shortcuts.title")}
      closeButtonProps={{ "aria-label": t("common.close") }}
    >
      <Stack gap="xs">
        {shortcuts.map(([key, what]) => (
          <Group key={key} justify="space-between">
            <Text>{t(`shortcuts.${what}`)}</Text>
            <Kbd>{key}</Kbd>
          </Group>
        ))}
      </Stack>
    </Modal>
  );
}
