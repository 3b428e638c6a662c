import { Box, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Moment } from "../components/moment.tsx";
import {
  notificationTarget,
  useNotificationWords,
  type NotificationRow,
} from "../lib/notifications.ts";

/** One notification, with a link to its subject. */
export function NotificationItem({ row, onOpen }: { row: NotificationRow; onOpen: () => void }) {
  const { t } = useTranslation();
  const words = useNotificationWords(row);
  const to = notificationTarget(row);
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
