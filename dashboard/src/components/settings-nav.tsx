import { useTranslation } from "react-i18next";
import { SectionLinks } from "./section-links.tsx";
import { useSession } from "../lib/session.ts";
import { paths } from "../paths.ts";

/** Links between the pages of the settings. Admins get more of them. */
export function SettingsNav() {
  const { t } = useTranslation();
  const { role } = useSession();
  const links = [
    { to: paths.account, label: t("settings.account") },
    { to: paths.users, label: t("nav.users") },
    ...(role === "admin"
      ? [
          { to: paths.calendars, label: t("calendars.title") },
          { to: paths.imports, label: t("imports.title") },
          { to: paths.exports, label: t("exports.list.title") },
          { to: paths.system, label: t("nav.system") },
        ]
      : []),
  ];
  return <SectionLinks label={t("settings.parts")} links={links} />;
}
