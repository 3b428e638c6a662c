import { Box, Button, Group, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { QueryState } from "../components/load-states.tsx";
import styles from "../components/notification.module.css";
import { notificationsQuery, useMarkRead, type NotificationRow } from "../lib/notifications.ts";
import { paths } from "../paths.ts";
import { NotificationItem } from "./notification-item.tsx";

/** The newest notification of each cause, with a link to all of them. */
export function BellList({ onClose }: { onClose: () => void }) {
  const notifications = useQuery(notificationsQuery);
  return (
    <QueryState query={notifications} rows={3}>
      {({ data, meta }) => <Newest rows={data} unread={meta.unread} onClose={onClose} />}
    </QueryState>
  );
}

interface NewestProps {
  rows: NotificationRow[];
  unread: number;
  onClose: () => void;
}

function Newest({ rows, unread, onClose }: NewestProps) {
  const { t } = useTranslation();
  const markRead = useMarkRead();
  return (
    <>
      <Group justify="space-between" px="md" py="xs">
        <Title order={2}>
          {t("bell.title")}{" "}
          {unread > 0 && (
            <Text span size="xs" c="dimmed" fw={400} className="tabular">
              {unread}
            </Text>
          )}
        </Title>
        {unread > 0 && (
          <Button size="compact-xs" variant="subtle" onClick={() => markRead.mutate("all")}>
            {t("bell.read_all")}
          </Button>
        )}
      </Group>
      {rows.length === 0 ? (
        <Text c="dimmed" size="sm" px="md" pb="md">
          {t("bell.empty")}
        </Text>
      ) : (
        <div className={styles["newest"]}>
          {newestOfEachCause(rows).map((row) => (
            <NotificationItem
              key={row.id}
              row={row}
              onOpen={() => {
                markRead.mutate({ group_key: row.group_key, through_id: row.id });
                onClose();
              }}
            />
          ))}
        </div>
      )}
      <Box p="xs" style={{ borderTop: "1px solid var(--mantine-color-default-border)" }}>
        <Button
          component={Link}
          to={paths.notifications}
          onClick={onClose}
          variant="subtle"
          size="compact-sm"
          fullWidth
        >
          {t("bell.see_all")}
        </Button>
      </Box>
    </>
  );
}

/** A newer notification replaces older ones with the same cause. */
function newestOfEachCause(newestFirst: NotificationRow[]): NotificationRow[] {
  const seen = new Set<string>();
  return newestFirst.filter(({ group_key: key }) => !seen.has(key) && seen.add(key));
}
