import { ActionIcon, Tooltip } from "@mantine/core";
import { IconClockPause, IconClockPlay } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Conversation } from "./api.ts";
import { useConversationChange } from "./use-conversation-change.ts";

/** Sets a conversation to wait for the customer's reply, or back to active. */
export function WaitButton({ conversation: { id, status } }: { conversation: Conversation }) {
  const { t } = useTranslation();
  const change = useConversationChange(id);
  const waiting = status === "waiting";
  const Picture = waiting ? IconClockPlay : IconClockPause;
  const word = t(waiting ? "inbox.end_waiting" : "inbox.set_waiting");
  return (
    <Tooltip label={word}>
      <ActionIcon
        size={30}
        flex="none"
        variant="default"
        aria-label={word}
        onClick={() => change.mutate({ type: "status", status: waiting ? "active" : "waiting" })}
      >
        <Picture size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
