import { ActionIcon, Code, CopyButton, Group, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

/** An id, a URL or a secret in monospace, with a Copy button that confirms the copy. */
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

/** Copy button that confirms the copy. `label` names the copied value. */
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
