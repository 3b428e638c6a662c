import { ActionIcon, Indicator, Popover } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBell } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { notificationsQuery } from "../lib/notifications.ts";
import type { BellList } from "./bell-list.tsx";

/** Number of unread notifications. */
export function useUnread(): number {
  return useQuery(notificationsQuery).data?.meta.unread ?? 0;
}

/** Bell with the number of unread notifications, and a list of the newest ones. */
export function Bell() {
  const { t } = useTranslation();
  const [opened, popover] = useDisclosure(false);
  const unread = useUnread();
  const [List, setList] = useState<typeof BellList | null>(null);
  // Fetched at the first click. The list is there when the popover opens, so it takes the focus.
  const toggle = async (): Promise<void> => {
    if (List === null) {
      const part = await import("./bell-list.tsx");
      setList(() => part.BellList);
    }
    popover.toggle();
  };
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
            onClick={() => void toggle()}
            aria-label={t("bell.label", { count: unread })}
          >
            <IconBell size={17} stroke={1.75} />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown p={0} aria-label={t("bell.title")}>
        {List !== null && <List onClose={popover.close} />}
      </Popover.Dropdown>
    </Popover>
  );
}
