import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CopyText } from "./copy-text.tsx";
import { Dialog } from "./dialog.tsx";

interface OnceModalProps {
  title: string;
  /** What to do with it. */
  text: string;
  /** What the value is called. */
  label: string;
  value: string;
  /** What else is of use while the value is in view. */
  children?: ReactNode;
  onClose: () => void;
}

/** A link or a secret that is shown this once; a click beside it does not close it. */
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
        <Alert color="orange" icon={<IconKey aria-hidden />} title={t("common.shown_once")}>
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
