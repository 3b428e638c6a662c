import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { liveKeys } from "../../lib/live-changes.ts";

/** Line that the visitor of web chat is typing. The live stream alone knows. */
export function VisitorTyping({ conversationId }: { conversationId: number }) {
  const { t } = useTranslation();
  const { data: isTyping } = useQuery({
    queryKey: liveKeys.visitorTyping(conversationId),
    queryFn: () => false,
    enabled: false,
    initialData: false,
  });
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
