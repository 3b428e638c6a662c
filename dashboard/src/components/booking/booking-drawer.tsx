import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { resourcesQuery, servicesQuery } from "../../lib/appointments.ts";
import { SideDialog } from "../dialog.tsx";
import { LoadFailed, LoadingRows } from "../load-states.tsx";
import { BookingForm, type BookingStart } from "./booking-form.tsx";

interface BookingDrawerProps {
  /** The contact of the appointment, where the page knows it. */
  contact?: { id: number; name: string };
  at?: BookingStart;
  onClose: () => void;
}

/** Drawer for a new appointment, beside the page. */
export function BookingDrawer({ onClose, ...given }: BookingDrawerProps) {
  const { t } = useTranslation();
  const resources = useQuery(resourcesQuery());
  const services = useQuery(servicesQuery());
  const error = resources.error ?? services.error;
  const loaded = resources.data !== undefined && services.data !== undefined;
  const retry = async () => await Promise.all([resources.refetch(), services.refetch()]);
  return (
    <SideDialog onClose={onClose} size="lg" title={t("booking.title")}>
      {!loaded && error !== null && <LoadFailed error={error} retry={retry} />}
      {!loaded && error === null && <LoadingRows />}
      {loaded && resources.data.data.length === 0 && <Text>{t("booking.no_agenda")}</Text>}
      {loaded && resources.data.data.length > 0 && (
        <BookingForm
          {...given}
          resources={resources.data.data}
          services={services.data.data}
          onDone={onClose}
        />
      )}
    </SideDialog>
  );
}
