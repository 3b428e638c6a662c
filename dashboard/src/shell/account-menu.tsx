import { Avatar, Button, Menu, Text, useMantineColorScheme, VisuallyHidden } from "@mantine/core";
import {
  IconCheck,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSun,
  IconUserCircle,
} from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { tellFailure } from "../lib/notify.ts";
import type { Session } from "../lib/session.ts";
import { paths } from "../paths.ts";
import { logOut, switchAccount } from "./session-actions.ts";

const schemes = [
  { value: "auto", icon: IconDeviceDesktop },
  { value: "light", icon: IconSun },
  { value: "dark", icon: IconMoon },
] as const;

/** Menu of the logged-in user: profile, other accounts, theme, logout. */
export function AccountMenu({ session }: { session: Session }) {
  const { t } = useTranslation();
  const { user, account } = session;
  const tellLogoutFailed = (error: unknown): void => tellFailure(t("account.logout_failed"), error);
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <Button variant="subtle" color="gray" px={6}>
          <Avatar size={28} name={user.name} color="initials" aria-hidden />
          <VisuallyHidden>{t("account.menu")}</VisuallyHidden>
          <Text size="sm" ml="xs" maw={160} truncate visibleFrom="sm">
            {account.name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" truncate>
            {user.name}
          </Text>
          <Text size="xs" truncate>
            {user.email}
          </Text>
        </Menu.Label>
        <Menu.Item component={Link} to={paths.profile} leftSection={<IconUserCircle size={16} />}>
          {t("nav.profile")}
        </Menu.Item>
        <AccountItems session={session} />
        <Menu.Divider />
        <SchemeItems />
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconLogout size={16} />}
          onClick={() => void logOut().catch(tellLogoutFailed)}
        >
          {t("account.logout")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function AccountItems({ session: { account, accounts } }: { session: Session }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  if (accounts.length < 2) return null;
  const change = (id: number): void => {
    void switchAccount(client, id).catch((error: unknown) =>
      tellFailure(t("account.switch_failed"), error),
    );
  };
  return (
    <>
      <Menu.Divider />
      <Menu.Label>{t("account.accounts")}</Menu.Label>
      {accounts.map(({ id, name }) => (
        <Menu.Item
          key={id}
          onClick={() => change(id)}
          rightSection={id === account.id ? <IconCheck size={16} /> : null}
          aria-current={id === account.id}
        >
          <Text size="sm" truncate>
            {name}
          </Text>
        </Menu.Item>
      ))}
    </>
  );
}

function SchemeItems() {
  const { t } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <Menu.Label>{t("theme.title")}</Menu.Label>
      {schemes.map(({ value, icon: Icon }) => (
        <Menu.Item
          key={value}
          leftSection={<Icon size={16} />}
          rightSection={value === colorScheme ? <IconCheck size={16} /> : null}
          aria-current={value === colorScheme}
          onClick={() => setColorScheme(value)}
        >
          {t(`theme.${value}`)}
        </Menu.Item>
      ))}
    </>
  );
}
