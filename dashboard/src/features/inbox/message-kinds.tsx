import { ActionIcon, Menu, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCamera, IconListDetails, IconPlus, IconTemplate } from "@tabler/icons-react";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { lazyPart } from "../../lib/lazy-part.ts";
import type { Conversation } from "./api.ts";

const OptionsDialog = lazyPart(async () => (await import("./options-dialog.tsx")).OptionsDialog);

interface MessageKindsProps {
  conversation: Conversation;
  /** Null where the channel has no templates. */
  onTemplate: (() => void) | null;
  onCamera: () => void;
}

/** Menu of messages that are more than text: options, a template, and a picture of the camera. */
export function MessageKinds({ conversation, onTemplate, onCamera }: MessageKindsProps) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(false);
  const [dialog, { open, close }] = useDisclosure(false);
  return (
    <>
      <Menu position="top-start" opened={opened} onChange={setOpened}>
        <Tooltip label={t("option_message.menu")} disabled={opened}>
          <Menu.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="var(--parley-control-small)"
              aria-label={t("option_message.menu")}
            >
              <IconPlus size={18} stroke={1.75} />
            </ActionIcon>
          </Menu.Target>
        </Tooltip>
        <Menu.Dropdown>
          <Menu.Item
            hiddenFrom="sm"
            leftSection={<IconCamera size={16} aria-hidden />}
            onClick={onCamera}
          >
            {t("attach.camera")}
          </Menu.Item>
          <Menu.Item leftSection={<IconListDetails size={16} aria-hidden />} onClick={open}>
            {t("option_message.title")}
          </Menu.Item>
          {onTemplate !== null && (
            <Menu.Item leftSection={<IconTemplate size={16} aria-hidden />} onClick={onTemplate}>
              {t("composer.template")}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {dialog && (
        <Suspense fallback={null}>
          <OptionsDialog conversation={conversation} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
