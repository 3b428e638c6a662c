import { Button, Group } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useUrlDisclosure } from "../../lib/url-disclosure.ts";
import { BookingDrawer } from "../../components/booking/booking-drawer.tsx";
import type { BookingStart } from "../../components/booking/booking-form.tsx";
import { ExportButton } from "../../components/exports/export-button.tsx";
import { Empty } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { resourcesQuery, type Resource } from "../../lib/appointments.ts";
import type { ExportBody } from "../../lib/exports.ts";
import { useSession } from "../../lib/session.ts";
import { dateText, weekText } from "../../lib/time.ts";
import { paths } from "../../paths.ts";
import { AppointmentDrawer } from "./appointment-drawer.tsx";
import { CalendarControls, Turns, ViewSwitch } from "./calendar-controls.tsx";
import { CalendarView } from "./calendar-view.tsx";
import { useCalendar, type CalendarState } from "./use-calendar.ts";

/** Calendar of a day or a week. The URL keeps the view and the opened appointment. */
export function AppointmentsPage() {
  const { t } = useTranslation();
  const { role } = useSession();
  const query = useQuery(resourcesQuery());
  const [booking, setBooking] = useState<BookingStart | null>(null);
  const resources = query.data?.data ?? [];
  const state = useCalendar(resources);
  const [isNew, fresh] = useUrlDisclosure();
  const start = booking ?? (isNew && query.isSuccess ? onScreen(state) : null);
  const close = (): void => {
    setBooking(null);
    fresh.close();
  };
  const add = (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={() => setBooking(onScreen(state))}
    >
      {t("booking.title")}
    </Button>
  );
  return (
    <Page
      title={titleOf(state)}
      tab={t("appointments.title")}
      aside={!state.asList && <Turns state={state} />}
      action={
        resources.length > 0 && (
          <Group gap="xs" wrap="nowrap">
            {!state.asList && <ViewSwitch state={state} />}
            {role === "admin" && <ExportButton isIcon body={exportOf(state)} />}
            {add}
          </Group>
        )
      }
    >
      <CalendarControls state={state} resources={resources} />
      <QueryState query={query}>
        {({ data }) => <Calendar state={state} resources={data} onBook={setBooking} />}
      </QueryState>
      {start !== null && <BookingDrawer at={start} onClose={close} />}
    </Page>
  );
}

/** The appointments on the screen, for an export. */
function exportOf({ range, agendaIds }: CalendarState): ExportBody {
  const agendas = agendaIds === null ? {} : { resource_ids: agendaIds };
  return { kind: "appointments", filters: { from: range.from, to: range.to, ...agendas } };
}

/** The shown days in words; short on a phone, beside the button. */
function titleOf({ view, asList, date, today, days }: CalendarState): string {
  const [first = date, last = date] = [days[0], days.at(-1)];
  if (view === "week") return weekText(first, last);
  const year = first.slice(0, 4) === today.slice(0, 4) ? undefined : "numeric";
  const length = asList ? "short" : "long";
  return dateText(first, { weekday: length, day: "numeric", month: length, year });
}

/** Agenda and day on the screen, for a new booking. A past day becomes today. */
function onScreen({ date, today, agendaIds }: CalendarState): BookingStart {
  const [only, ...others] = agendaIds ?? [];
  const where = only === undefined || others.length > 0 ? {} : { resource_id: only };
  return { date: date < today ? today : date, ...where };
}

interface CalendarProps {
  state: CalendarState;
  resources: Resource[];
  onBook: (at: BookingStart) => void;
}

function Calendar({ state, resources, onBook }: CalendarProps) {
  const { t } = useTranslation();
  const { role } = useSession();
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
        <CalendarView state={state} resources={resources} onBook={onBook} />
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
