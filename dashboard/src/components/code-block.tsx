import { ActionIcon, Box, Code, CopyButton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

/** Lines of code or of an answer, with a Copy button. Long lines scroll within the block. */
export function CodeBlock({ value, label }: { value: string; label: string }) {
  const { t } = useTranslation();
  return (
    <Box pos="relative">
      <Code block tabIndex={0} role="group" aria-label={label} pr={44}>
        {value}
      </Code>
      <Box pos="absolute" top={6} right={6}>
        <CopyButton value={value} timeout={2_000}>
          {({ copied, copy }) => (
            <Tooltip
              label={t(copied ? "common.copied" : "common.copy")}
              opened={copied || undefined}
            >
              <ActionIcon
                variant="default"
                onClick={copy}
                aria-label={copied ? t("common.copied") : `${t("common.copy")}: ${label}`}
              >
                {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
              </ActionIcon>
            </Tooltip>
          )}
        </CopyButton>
      </Box>
    </Box>
  );
}
