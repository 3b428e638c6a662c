import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { resourcesQuery, servicesQuery } from "../../lib/appointments.ts";
import { SideDialog } from "../dialog.tsx";
import { QueryState } from "../load-states.tsx";
import { BookingForm, type BookedContact, type BookingStart } from "./booking-form.tsx";

interface BookingDrawerProps {
  /** The contact of the appointment, where the page knows it. */
  contact?: BookedContact;
  at?: BookingStart;
  onClose: () => void;
}

/** Drawer for a new appointment, beside the page. */
export function BookingDrawer({ onClose, ...given }: BookingDrawerProps) {
  const { t } = useTranslation();
  const resources = useQuery(resourcesQuery());
  const services = useQuery(servicesQuery());
  const offers = {
    data:
      resources.data === undefined || services.data === undefined
        ? undefined
        : { resources: resources.data.data, services: services.data.data },
    error: resources.error ?? services.error,
    refetch: async () => await Promise.all([resources.refetch(), services.refetch()]),
  };
  return (
    <SideDialog onClose={onClose} size="lg" title={t("booking.title")}>
      <QueryState query={offers}>
        {(loaded) =>
          loaded.resources.length === 0 ? (
            <Text>{t("booking.no_agenda")}</Text>
          ) : (
            <BookingForm {...given} {...loaded} onDone={onClose} />
          )
        }
      </QueryState>
    </SideDialog>
  );
}
