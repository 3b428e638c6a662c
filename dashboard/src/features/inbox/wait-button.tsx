import { IconClockPause, IconClockPlay } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { IconAction } from "../../components/icon-action.tsx";
import type { Conversation } from "./api.ts";
import { useConversationChange } from "./use-conversation-change.ts";

/**
 * Button that sets a conversation to `waiting`, or back to `active`; nothing in other statuses. In
 * a handoff one click would end the handoff and lose its waiting time.
 */
export function WaitButton({ conversation: { id, status } }: { conversation: Conversation }) {
  const { t } = useTranslation();
  const change = useConversationChange(id);
  const waiting = status === "waiting";
  const Picture = waiting ? IconClockPlay : IconClockPause;
  if (status === "resolved" || status === "handed_off") return null;
  const word = t(waiting ? "inbox.end_waiting" : "inbox.set_waiting");
  return (
    <IconAction
      label={word}
      size={30}
      flex="none"
      variant="default"
      onClick={() => change.mutate({ type: "status", status: waiting ? "active" : "waiting" })}
    >
      <Picture size={16} />
    </IconAction>
  );
}
