import { useMantineColorScheme } from "@mantine/core";
import { Spotlight, type SpotlightActionData } from "@mantine/spotlight";
import { IconLanguage, IconLogout, IconMoon, IconSearch, IconSun } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { tellFailure } from "../lib/notify.ts";
import { useChangeProfile } from "../lib/own-profile.ts";
import type { Session } from "../lib/session.ts";
import { pagesFor } from "./pages.ts";
import { logOut } from "./session-actions.ts";

/** Ctrl-K: every page, and what can be done from anywhere. */
export function CommandPalette({ session }: { session: Session }) {
  const { t } = useTranslation();
  return (
    <Spotlight
      actions={[...usePageActions(session), ...useCommands(session)]}
      shortcut={["mod + K"]}
      nothingFound={t("palette.nothing")}
      highlightQuery
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden />,
        placeholder: t("palette.placeholder"),
        "aria-label": t("palette.placeholder"),
      }}
    />
  );
}

function usePageActions({ role }: Session): SpotlightActionData[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return pagesFor(role).map(({ label, to, icon: Icon }) => ({
    id: to,
    label: t(label),
    leftSection: <Icon size={18} aria-hidden />,
    onClick: () => void navigate(to),
  }));
}

function useCommands({ user }: Session): SpotlightActionData[] {
  const { t, i18n } = useTranslation();
  const { setColorScheme } = useMantineColorScheme();
  const change = useChangeProfile();
  const other = i18n.language === "es" ? "en" : "es";
  return [
    {
      id: "light",
      label: t("palette.light"),
      leftSection: <IconSun size={18} aria-hidden />,
      onClick: () => setColorScheme("light"),
    },
    {
      id: "dark",
      label: t("palette.dark"),
      leftSection: <IconMoon size={18} aria-hidden />,
      onClick: () => setColorScheme("dark"),
    },
    {
      id: "language",
      label: t("palette.language"),
      leftSection: <IconLanguage size={18} aria-hidden />,
      onClick: () => change.mutate({ locale: other }),
    },
    {
      id: "logout",
      label: t("account.logout"),
      description: user.email,
      leftSection: <IconLogout size={18} aria-hidden />,
      onClick: () =>
        void logOut().catch((error: unknown) => tellFailure(t("account.logout_failed"), error)),
    },
  ];
}
