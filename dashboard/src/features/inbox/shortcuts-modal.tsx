import { Group, Kbd, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../components/dialog.tsx";

const shortcuts = [
  ["j", "next"],
  ["k", "previous"],
  ["Enter", "open"],
  ["x", "select"],
  ["Shift x", "select_range"],
  ["r", "reply"],
  ["n", "note"],
  ["e", "resolve"],
  ["z", "snooze"],
  ["u", "unread"],
  ["i", "assign_me"],
  ["p", "agent"],
  ["a", "assign"],
  ["s", "stage"],
  ["g", "suggest"],
  ["b", "book"],
  ["f", "find"],
  ["d", "day"],
  ["/", "search"],
  ["?", "help"],
  ["Ctrl K", "palette"],
] as const;

/** Dialog with every key of the inbox. */
export function ShortcutsModal({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog onClose={onClose} title={t("shortcuts.title")}>
      <Stack gap="xs">
        {shortcuts.map(([key, what]) => (
          <Group key={key} justify="space-between">
            <Text>
              {t(what === "find" || what === "day" ? `shortcuts.${what}` : `key_help.${what}`)}
            </Text>
            <Kbd>{key}</Kbd>
          </Group>
        ))}
      </Stack>
    </Dialog>
  );
}
