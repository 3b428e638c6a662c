import { Button, Group, Stack, Switch, Text, TextInput, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconSparkles } from "@tabler/icons-react";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { usePageAction } from "../../lib/page-actions.ts";
import { Dialog } from "../../components/dialog.tsx";
import type { Conversation } from "./api.ts";
import styles from "./thread.module.css";
import { useConversationChange } from "./use-conversation-change.ts";
import { useShortcuts } from "./use-shortcuts.ts";

/** The AI agent of a conversation, as its header and menu switch it. */
export interface AgentToggle {
  enabled: boolean;
  toggle: () => void;
  /** Dialog that asks for the reason of a pause; null while it is closed. */
  dialog: ReactNode;
}

/**
 * Binds the key and the command that switch the AI agent. Pausing asks for a reason, which appears
 * in the thread.
 */
export function useAgentToggle({ id, bot_enabled: enabled }: Conversation): AgentToggle {
  const { t } = useTranslation();
  const change = useConversationChange(id);
  const [asking, ask] = useDisclosure(false);
  const toggle = (): void => {
    if (enabled) ask.open();
    else change.mutate({ type: "bot", enabled: true });
  };
  useShortcuts({ p: toggle });
  usePageAction({
    id: "agent",
    label: t(enabled ? "inbox.pause_agent" : "inbox.resume_agent"),
    icon: IconSparkles,
    run: toggle,
  });
  const dialog = asking && (
    <PauseModal
      onClose={ask.close}
      onPause={(reason) => {
        change.mutate({ type: "bot", enabled: false, ...(reason === "" ? {} : { reason }) });
        ask.close();
      }}
    />
  );
  return { enabled, toggle, dialog };
}

/** Switch of the AI agent. A phone has it in the menu of the conversation. */
export function AgentSwitch({ enabled, toggle }: Omit<AgentToggle, "dialog">) {
  const { t } = useTranslation();
  const word = t(enabled ? "inbox.agent_on" : "inbox.agent_paused");
  return (
    <Tooltip label={word} refProp="rootRef">
      <Switch
        size="sm"
        checked={enabled}
        onChange={toggle}
        thumbIcon={<IconSparkles size={10} color="var(--parley-accent)" aria-hidden />}
        aria-label={word}
        label={word}
        classNames={{ root: styles["agent"] ?? "", labelWrapper: styles["agentWord"] ?? "" }}
      />
    </Tooltip>
  );
}

interface PauseModalProps {
  onClose: () => void;
  onPause: (reason: string) => void;
}

function PauseModal({ onClose, onPause }: PauseModalProps) {
  const { t } = useTranslation();
  const [reason, setReason] = useState("");
  return (
    <Dialog onClose={onClose} title={t("inbox.pause_title")}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onPause(reason.trim());
        }}
      >
        <Stack>
          <Text c="dimmed" size="sm">
            {t("inbox.pause_text")}
          </Text>
          <TextInput
            label={t("inbox.reason")}
            placeholder={t("common.optional")}
            maxLength={500}
            data-autofocus
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("common.cancel")}
            </Button>
            <Button type="submit">{t("inbox.pause")}</Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
