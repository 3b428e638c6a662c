import { Text } from "@mantine/core";
import { useDocumentVisibility } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { liveKeys } from "../../lib/live-changes.ts";
import { openTabs, type Told } from "../../lib/live-stream.ts";
import { useSession } from "../../lib/session.ts";

/** Line that the visitor of web chat is typing. The live stream alone knows. */
export function VisitorTyping({ conversationId }: { conversationId: number }) {
  const { t } = useTranslation();
  const { data: isTyping } = useQuery({
    queryKey: liveKeys.visitorTyping(conversationId),
    queryFn: () => false,
    enabled: false,
    initialData: false,
  });
  useReset(conversationId);
  return (
    <div role="status">
      {isTyping && (
        <Text size="xs" c="dimmed" mb={4}>
          {t("web_chat.visitor_types")}
        </Text>
      )}
    </div>
  );
}

/**
 * The server tells the end to those who look at the conversation, and a cut stream brings nothing.
 * So the line goes when the person leaves and when the stream is cut. A person who returns, and a
 * new stream, are told again.
 */
function useReset(conversationId: number): void {
  const client = useQueryClient();
  const { account } = useSession();
  const visibility = useDocumentVisibility();
  useEffect(() => {
    const set = (isTyping: boolean): void => {
      client.setQueryData(liveKeys.visitorTyping(conversationId), isTyping);
    };
    const tabs = openTabs(account.id);
    tabs.onmessage = ({ data }: MessageEvent<Told>) => {
      const event = "event" in data ? data.event : null;
      if (event?.type === "everything" || ("state" in data && data.state === "cut")) set(false);
      // The page has this event already, and a reset from before it may come later.
      if (event?.type === "typing" && event.typing.conversation_id === conversationId) {
        set(event.typing.is_typing);
      }
    };
    return () => {
      tabs.close();
      set(false);
    };
  }, [client, conversationId, account.id, visibility]);
}
