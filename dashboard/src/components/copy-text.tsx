import { ActionIcon, Code, CopyButton, Group, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

/** An id, a URL or a secret in monospace, with a button that copies it and says so. */
export function CopyText({ value, label }: { value: string; label: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Code role="group" aria-label={label} style={{ overflowWrap: "anywhere" }}>
        {value}
      </Code>
      <CopyAction value={value} label={label} />
    </Group>
  );
}

/** A button that copies and says so; `label` is what it copies. */
export function CopyAction({ value, label }: { value: string; label: string }) {
  const { t } = useTranslation();
  return (
    <CopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Tooltip label={t(copied ? "common.copied" : "common.copy")} opened={copied || undefined}>
          <ActionIcon
            variant="subtle"
            color="gray"
            onClick={copy}
            aria-label={copied ? t("common.copied") : `${t("common.copy")}: ${label}`}
          >
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
