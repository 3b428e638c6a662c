import { Box, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Moment } from "../components/moment.tsx";
import { conversationPath, deliveryPath, subscriptionPath } from "../paths.ts";
import type { NotificationRow } from "./notifications-api.ts";

/** One notification, which leads to what it is about. */
export function NotificationItem({ row, onOpen }: { row: NotificationRow; onOpen: () => void }) {
  const { t } = useTranslation();
  const words = useWords(row);
  const to = targetOf(row);
  const content = (
    <>
      <Text size="sm" fw={row.read_at === null ? 600 : 400}>
        {row.read_at === null && (
          <Text span c="accent" role="img" aria-label={t("bell.unread")}>
            ●{" "}
          </Text>
        )}
        {words.title}
      </Text>
      <Text size="xs" c="dimmed">
        {words.body}
      </Text>
      <Text size="xs" c="dimmed">
        <Moment at={row.created_at} />
      </Text>
    </>
  );
  const style = { borderTop: "1px solid var(--mantine-color-default-border)" };
  if (to === null) {
    return (
      <Box px="md" py="xs" style={style}>
        {content}
      </Box>
    );
  }
  return (
    <Box
      component={Link}
      to={to}
      onClick={onOpen}
      px="md"
      py="xs"
      display="block"
      c="inherit"
      td="none"
      style={style}
    >
      {content}
    </Box>
  );
}

/** What a notification is about: a conversation, a delivery, a subscription. */
function targetOf({ conversation_id, subscription_id, delivery_id }: NotificationRow) {
  if (conversation_id !== null) return conversationPath(conversation_id);
  if (subscription_id === null) return null;
  if (delivery_id === null) return subscriptionPath(subscription_id);
  return deliveryPath(subscription_id, delivery_id);
}

function useWords({ kind, params, conversation_id }: NotificationRow): {
  title: string;
  body: string;
} {
  const { t } = useTranslation();
  const last = params["status_code"] ?? params["error_class"];
  const values = {
    subscription: String(params["subscription_name"] ?? ""),
    event: String(params["event_type"] ?? ""),
    attempts: Number(params["attempts"] ?? 6),
    answer: typeof last === "number" ? `HTTP ${last}` : String(last ?? "").replaceAll("_", " "),
    conversation: conversation_id ?? "",
    resource: String(params["resource_name"] ?? ""),
  };
  return {
    title: t(`notification.${kind}.title`, values),
    body: t(`notification.${kind}.body`, values),
  };
}
