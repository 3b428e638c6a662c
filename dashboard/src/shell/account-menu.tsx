import { Menu, Text, UnstyledButton, useMantineColorScheme, VisuallyHidden } from "@mantine/core";
import {
  IconCheck,
  IconDeviceDesktop,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconLogout,
  IconMoon,
  IconSelector,
  IconSun,
  IconUserCircle,
} from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Avatar } from "../components/avatar.tsx";
import { Mark } from "../components/mark.tsx";
import { tellFailure } from "../lib/notify.ts";
import type { Session } from "../lib/session.ts";
import { paths } from "../paths.ts";
import { logOut, switchAccount } from "./session-actions.ts";
import styles from "./shell.module.css";

const schemes = [
  { value: "auto", icon: IconDeviceDesktop },
  { value: "light", icon: IconSun },
  { value: "dark", icon: IconMoon },
] as const;

/** Folding of the sidebar, where the person and not the width of the screen decides. */
export interface Folding {
  folded: boolean;
  onFold: () => void;
}

interface AccountMenuProps {
  session: Session;
  /** True for the avatar alone. */
  folded: boolean;
  folding: Folding | null;
}

/** Menu of the logged-in user: profile, sidebar, theme, logout. */
export function AccountMenu({ session: { user }, folded, folding }: AccountMenuProps) {
  const { t } = useTranslation();
  const tellLogoutFailed = (error: unknown): void => tellFailure(t("account.logout_failed"), error);
  return (
    <Menu position="top-start" width={240}>
      <Menu.Target>
        <UnstyledButton className={styles["person"] ?? ""} fz="sm">
          <Avatar id={user.id} name={user.name} size={26} online />
          <VisuallyHidden>{t("account.menu")}</VisuallyHidden>
          {!folded && (
            <Text span fw={500} truncate>
              {user.name}
            </Text>
          )}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text span display="block" size="xs" truncate>
            {user.email}
          </Text>
        </Menu.Label>
        <Menu.Item component={Link} to={paths.profile} leftSection={<IconUserCircle size={16} />}>
          {t("nav.profile")}
        </Menu.Item>
        {folding !== null && <FoldItem {...folding} />}
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

function FoldItem({ folded, onFold }: Folding) {
  const { t } = useTranslation();
  const Picture = folded ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse;
  return (
    <Menu.Item leftSection={<Picture size={16} />} onClick={onFold}>
      {t(folded ? "nav.unfold" : "nav.fold")}
    </Menu.Item>
  );
}

/** The account's name, and a menu of the user's other accounts where there are some. */
export function AccountSwitcher({ session, folded }: { session: Session; folded: boolean }) {
  const { t } = useTranslation();
  const { account, accounts } = session;
  const shown = (
    <>
      <Mark size={24} />
      {folded ? <VisuallyHidden>{account.name}</VisuallyHidden> : <Name>{account.name}</Name>}
    </>
  );
  if (accounts.length < 2) return <div className={styles["account"]}>{shown}</div>;
  return (
    <Menu position="bottom-start" width={220}>
      <Menu.Target>
        <UnstyledButton className={styles["account"] ?? ""} fz="sm">
          {shown}
          <VisuallyHidden>{t("account.switch")}</VisuallyHidden>
          {!folded && <IconSelector size={14} color="var(--parley-ink-3)" aria-hidden />}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t("account.accounts")}</Menu.Label>
        <AccountItems session={session} />
      </Menu.Dropdown>
    </Menu>
  );
}

function Name({ children }: { children: string }) {
  return (
    <span className={styles["name"]} title={children}>
      {children}
    </span>
  );
}

function AccountItems({ session: { account, accounts } }: { session: Session }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const change = (id: number): void => {
    void switchAccount(client, id).catch((error: unknown) =>
      tellFailure(t("account.switch_failed"), error),
    );
  };
  return accounts.map(({ id, name }) => (
    <Menu.Item
      key={id}
      onClick={() => change(id)}
      rightSection={id === account.id ? <IconCheck size={16} /> : null}
      aria-current={id === account.id}
    >
      <Text span display="block" truncate>
        {name}
      </Text>
    </Menu.Item>
  ));
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
