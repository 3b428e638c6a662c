import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { BookingDrawer } from "../../components/booking/booking-drawer.tsx";
import type { SlotChoice } from "../../components/booking/slot-picker.tsx";
import { Empty, LoadFailed, LoadingRows } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { resourcesQuery, type Resource } from "../../lib/appointments.ts";
import { useSession } from "../../lib/session.ts";
import { paths } from "../../paths.ts";
import { AppointmentDrawer } from "./appointment-drawer.tsx";
import { CalendarControls } from "./calendar-controls.tsx";
import { CalendarView } from "./calendar-view.tsx";
import { SectionNav } from "./section-nav.tsx";
import { useCalendar } from "./use-calendar.ts";

/** The appointments of a day or a week; what is shown, and what is opened, lives in the URL. */
export function AppointmentsPage() {
  const { t } = useTranslation();
  const { account } = useSession();
  const { data, error, refetch } = useQuery(resourcesQuery());
  const [booking, setBooking] = useState<Partial<SlotChoice> | null>(null);
  const resources = data?.data;
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setBooking({})}>
      {t("booking.title")}
    </Button>
  );
  return (
    <Page
      wide
      title={t("appointments.title")}
      text={t("appointments.text", { zone: account.time_zone })}
      action={resources !== undefined && resources.length > 0 && add}
    >
      <SectionNav />
      {resources === undefined && error === null && <LoadingRows />}
      {resources === undefined && error !== null && <LoadFailed error={error} retry={refetch} />}
      {resources !== undefined && <Calendar resources={resources} onBook={setBooking} />}
      {booking !== null && <BookingDrawer at={booking} onClose={() => setBooking(null)} />}
    </Page>
  );
}

interface CalendarProps {
  resources: Resource[];
  onBook: (at: Partial<SlotChoice>) => void;
}

function Calendar({ resources, onBook }: CalendarProps) {
  const { t } = useTranslation();
  const { role } = useSession();
  const state = useCalendar(resources);
  const { openedId, moving, set } = state;
  const setUp = role === "admin" && (
    <Button component={Link} to={paths.appointmentSetup}>
      {t("appointments.to_setup")}
    </Button>
  );
  return (
    <>
      {resources.length === 0 ? (
        <Empty title={t("appointments.empty")} text={t("appointments.empty_text")} action={setUp} />
      ) : (
        <>
          <CalendarControls state={state} resources={resources} />
          <CalendarView state={state} resources={resources} onBook={onBook} />
        </>
      )}
      {openedId !== null && (
        <AppointmentDrawer
          key={openedId}
          id={openedId}
          moving={moving}
          onMoving={(on) => set({ move: on ? "1" : null })}
          onClose={() => set({ appointment: null, move: null })}
        />
      )}
    </>
  );
}
