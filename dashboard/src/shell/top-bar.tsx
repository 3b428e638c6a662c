import { ActionIcon, Badge, Button, Group, Kbd, Text } from "@mantine/core";
import { spotlight } from "@mantine/spotlight";
import { IconMenu2, IconPlugConnectedX, IconSearch } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { LiveState } from "../lib/live-stream.ts";
import type { Session } from "../lib/session.ts";
import { AccountMenu } from "./account-menu.tsx";
import { Bell } from "./bell.tsx";

interface TopBarProps {
  session: Session;
  live: LiveState;
  menuOpened: boolean;
  onMenu: () => void;
}

/** Header: menu button of a phone, search, warning about a cut stream, bell and user menu. */
export function TopBar({ session, live, menuOpened, onMenu }: TopBarProps) {
  const { t } = useTranslation();
  return (
    <Group h="100%" px="md" justify="space-between" wrap="nowrap">
      <Group gap="xs" wrap="nowrap">
        <ActionIcon
          hiddenFrom="sm"
          variant="subtle"
          color="gray"
          onClick={onMenu}
          aria-label={t("nav.open")}
          aria-expanded={menuOpened}
        >
          <IconMenu2 size={20} />
        </ActionIcon>
        <Button
          variant="default"
          visibleFrom="sm"
          w={260}
          justify="space-between"
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={<Kbd size="xs">Ctrl K</Kbd>}
          onClick={spotlight.open}
          fw={400}
        >
          <Text c="dimmed" size="sm">
            {t("palette.placeholder")}
          </Text>
        </Button>
        <ActionIcon
          hiddenFrom="sm"
          variant="subtle"
          color="gray"
          onClick={spotlight.open}
          aria-label={t("palette.placeholder")}
        >
          <IconSearch size={20} />
        </ActionIcon>
      </Group>
      <Group gap="xs" wrap="nowrap">
        {live === "cut" && (
          <Badge
            color="warn"
            variant="light"
            leftSection={<IconPlugConnectedX size={14} aria-hidden />}
            role="status"
          >
            {t("live.cut")}
          </Badge>
        )}
        <Bell />
        <AccountMenu session={session} />
      </Group>
    </Group>
  );
}
