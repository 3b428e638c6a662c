import { useTranslation } from "react-i18next";
import { SectionLinks } from "../../components/section-links.tsx";
import { useSession } from "../../lib/session.ts";
import { paths } from "../../paths.ts";

/** Links between calendar, booking links and setup. Only admins get the setup. */
export function SectionNav() {
  const { t } = useTranslation();
  const { role } = useSession();
  const links = [
    { to: paths.appointments, label: t("appointments.calendar") },
    { to: paths.bookingLinks, label: t("booking_links.title") },
    ...(role === "admin" ? [{ to: paths.appointmentSetup, label: t("setup.nav") }] : []),
  ];
  return <SectionLinks label={t("appointments.parts")} links={links} />;
}
