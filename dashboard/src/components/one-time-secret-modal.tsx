import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CopyText } from "./copy-text.tsx";
import { Dialog } from "./dialog.tsx";

interface OnceModalProps {
  title: string;
  /** Instruction for the value. */
  text: string;
  /** Name of the value. */
  label: string;
  value: string;
  /** Further content that helps while the value is visible. */
  children?: ReactNode;
  onClose: () => void;
}

/**
 * Dialog with a link or a secret that is shown only once. A click outside does not close the
 * dialog.
 */
export function OneTimeSecretModal({
  title,
  text,
  label,
  value,
  children,
  onClose,
}: OnceModalProps) {
  const { t } = useTranslation();
  return (
    <Dialog onClose={onClose} title={title} closeOnClickOutside={false} size="lg">
      <Stack>
        <Text>{text}</Text>
        <Alert color="warn" icon={<IconKey aria-hidden />} title={t("common.shown_once")}>
          <CopyText value={value} label={label} />
        </Alert>
        {children}
        <Group justify="flex-end">
          <Button onClick={onClose}>{t("common.done")}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
