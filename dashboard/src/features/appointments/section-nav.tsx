import { Button, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router";
import { useSession } from "../../lib/session.ts";
import { paths } from "../../paths.ts";

/** Links between calendar, booking links and setup. Only admins get the setup. */
export function SectionNav() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const { role } = useSession();
  const sections = [
    { to: paths.appointments, label: t("appointments.calendar") },
    { to: paths.bookingLinks, label: t("booking_links.title") },
    ...(role === "admin" ? [{ to: paths.appointmentSetup, label: t("setup.nav") }] : []),
  ];
  return (
    <Group component="nav" aria-label={t("appointments.parts")} gap={4} mb="md">
      {sections.map(({ to, label }) => (
        <Button
          key={to}
          component={Link}
          to={to}
          size="xs"
          variant={pathname === to ? "light" : "subtle"}
          color={pathname === to ? "accent" : "gray"}
          aria-current={pathname === to ? "page" : undefined}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}
