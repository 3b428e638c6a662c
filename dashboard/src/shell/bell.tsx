import {
  ActionIcon,
  Box,
  Button,
  Group,
  Indicator,
  Popover,
  ScrollArea,
  Text,
  Title,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBell } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { QueryState } from "../components/load-states.tsx";
import { notificationsQuery, useMarkRead, type NotificationRow } from "../lib/notifications.ts";
import { paths } from "../paths.ts";
import { NotificationItem } from "./notification-item.tsx";

/** Number of unread notifications. */
export function useUnread(): number {
  return useQuery(notificationsQuery).data?.meta.unread ?? 0;
}

/** Bell with the number of unread notifications, and a list of the newest ones. */
export function Bell() {
  const { t } = useTranslation();
  const [opened, popover] = useDisclosure(false);
  const unread = useUnread();
  return (
    <Popover
      opened={opened}
      onChange={(open) => (open ? popover.open() : popover.close())}
      width={360}
      position="bottom-start"
      trapFocus
    >
      <Indicator
        label={unread > 99 ? "99+" : unread}
        size={16}
        offset={8}
        disabled={unread === 0}
        color="bad"
      >
        <Popover.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            onClick={popover.toggle}
            aria-label={t("bell.label", { count: unread })}
          >
            <IconBell size={17} stroke={1.75} />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown p={0} aria-label={t("bell.title")}>
        <BellList onClose={popover.close} />
      </Popover.Dropdown>
    </Popover>
  );
}

function BellList({ onClose }: { onClose: () => void }) {
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
        <Title order={2}>{t("bell.title")}</Title>
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
        <ScrollArea.Autosize mah={420} viewportProps={{ tabIndex: 0 }}>
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
        </ScrollArea.Autosize>
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
