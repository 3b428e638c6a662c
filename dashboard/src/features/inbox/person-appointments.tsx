import { Anchor, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { AppointmentLines } from "../../components/appointment-lines.tsx";
import { BookButton } from "../../components/book-button.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { contactAppointmentsQuery } from "../../lib/appointments.ts";
import type { ContactCard } from "../../lib/contact.ts";
import { contactPath } from "../../paths.ts";

/** Number of appointments beside a conversation. The contact's page has the others. */
const shownHere = 3;

/** Next and last appointments of the contact, and a button to book. */
export function PersonAppointments({ card }: { card: ContactCard }) {
  const { t } = useTranslation();
  const appointments = useQuery(contactAppointmentsQuery(card.id, { limit: shownHere }));
  return (
    <Stack gap="xs" component="section" aria-label={t("contact.appointments")}>
      <Group justify="space-between">
        <Title order={2}>{t("contact.appointments")}</Title>
        <BookButton contact={card} size="xs" variant="default" />
      </Group>
      <QueryState query={appointments} rows={1}>
        {({ data, meta }) => (
          <>
            {meta.total === 0 && (
              <Text size="sm" c="dimmed">
                {t("contact.no_appointments")}
              </Text>
            )}
            <AppointmentLines appointments={data} />
            {meta.total > shownHere && (
              <Anchor component={Link} to={contactPath(card.id)} size="xs">
                {t("contact.more_appointments", { count: meta.total - shownHere })}
              </Anchor>
            )}
          </>
        )}
      </QueryState>
    </Stack>
  );
}
