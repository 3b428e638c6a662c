import { Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { MessageView } from "../../../../core/model/message.ts";
import { AgentAvatar } from "../../components/avatar.tsx";
import { clockTime, exactTime } from "../../lib/time.ts";
import { useSession } from "../../lib/session.ts";
import { useColleagueName } from "../../lib/team.ts";
import { errorCodeText } from "../../lib/error-text.ts";
import styles from "./inbox.module.css";
import { MessageContent } from "./message-content.tsx";
import { MessageStatusIcon } from "./message-status-icon.tsx";
import { TryAgain } from "./try-again.tsx";

interface MessageBubbleProps {
  message: MessageView;
  /** True where a retry has replaced this failed message. */
  retried: boolean;
}

/** Bubble of a message: the customer's on the left, ours on the right with author and status. */
export function MessageBubble({ message, retried }: MessageBubbleProps) {
  const { account } = useSession();
  const own = message.direction === "outbound";
  return (
    <Stack gap={2} align={own ? "flex-end" : "flex-start"}>
      {own && <Author message={message} />}
      <div className={`${styles["bubble"]} ${own ? styles["own"] : ""}`} dir="auto">
        <MessageContent message={message} />
      </div>
      <Group gap={6}>
        <Text size="xs" c="dimmed">
          <time
            dateTime={message.created_at}
            title={exactTime(message.created_at, account.time_zone)}
          >
            {clockTime(message.created_at, account.time_zone)}
          </time>
        </Text>
        {own && <MessageStatusIcon status={message.status} />}
      </Group>
      {message.error !== null && (
        <Text size="xs" c="bad" maw={420} ta="right">
          {errorCodeText(message.error)}
        </Text>
      )}
      {own && message.status === "failed" && !retried && <TryAgain message={message} />}
    </Stack>
  );
}

function Author({ message }: { message: MessageView }) {
  const { t } = useTranslation();
  const name = useColleagueName(message.sender_user_id);
  return (
    <Group gap={6}>
      {message.sender_type === "ai" && <AgentAvatar />}
      <Text size="xs" c="dimmed" fw={500}>
        {name ?? t(`sender.${message.sender_type}`)}
      </Text>
    </Group>
  );
}
