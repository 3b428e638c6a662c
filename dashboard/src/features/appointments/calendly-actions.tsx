import { Alert, Anchor, Button, Text } from "@mantine/core";
import { IconAlertTriangle, IconExternalLink } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { callApi, type AnswerOf } from "../../lib/api.ts";
import type { Appointment } from "../../lib/appointments.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { isFromOutside } from "./source-mark.tsx";

/** Calendly's own pages for a booking. */
export type CalendlyBooking = NonNullable<AnswerOf<"GET /appointments/:id/calendly">>;

/**
 * Calendly's pages for an appointment; null for one without a booking there, undefined until the
 * answer is here. A booking that came through Google first has Google as its source.
 */
export function useCalendlyBooking({
  id,
  source,
}: Appointment): CalendlyBooking | null | undefined {
  const query = useQuery({
    queryKey: [...liveKeys.appointments, "calendly", id],
    queryFn: async () => await callApi("GET /appointments/:id/calendly", { id }),
    enabled: isFromOutside(source),
  });
  if (!isFromOutside(source)) return null;
  // Without an answer an appointment of Google can be moved as any other.
  return query.isError && source === "google" ? null : query.data;
}

/** Button that opens Calendly's page for another time. Calendly offers no other way to move. */
export function RescheduleInCalendly({ booking }: { booking: CalendlyBooking }) {
  const { t } = useTranslation();
  if (booking.reschedule_url === null) return null;
  return (
    <Button
      size="xs"
      component="a"
      href={booking.reschedule_url}
      target="_blank"
      rel="noreferrer"
      rightSection={<IconExternalLink size={14} aria-hidden />}
    >
      {t("appointment.calendly_move")}
    </Button>
  );
}

/** Says that only Calendly's page moves the appointment, and how its new time gets here. */
export function CalendlyNote() {
  const { t } = useTranslation();
  return (
    <Text size="xs" c="dimmed" w="100%">
      {t("appointment.calendly_move_text")}
    </Text>
  );
}

/** Warns that a cancellation ends an event of several invitees for all of them. */
export function GroupWarning({ booking }: { booking: CalendlyBooking }) {
  const { t } = useTranslation();
  const { active_invitees: count, cancel_url: url } = booking;
  if (count < 2) return null;
  return (
    <Alert color="warn" icon={<IconAlertTriangle size={18} aria-hidden />}>
      <Text size="sm">{t("appointment.calendly_group", { count })}</Text>
      {url !== null && (
        <Anchor size="sm" href={url} target="_blank" rel="noreferrer">
          {t("appointment.calendly_cancel")} <IconExternalLink size={14} aria-hidden />
        </Anchor>
      )}
    </Alert>
  );
}
