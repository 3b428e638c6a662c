import { Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { SlotChoice } from "../../components/booking/slot-picker.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { appointmentLooks } from "../../components/appointment-status.tsx";
import type { Appointment, Resource } from "../../lib/appointments.ts";
import { isEmptyList } from "../../lib/empty-list.ts";
import { dateText } from "../../lib/time.ts";
import {
  calendarQuery,
  mostShown,
  openingTimesQuery,
  useWantedMoves,
  type OpeningTimes,
} from "./api.ts";
import { CalendarGrid } from "./calendar-grid.tsx";
import { DayList } from "./day-list.tsx";
import { NextStep } from "./next-step.tsx";
import { blocksOf, type Column } from "./calendar-blocks.ts";
import type { CalendarState } from "./use-calendar.ts";

interface CalendarViewProps {
  state: CalendarState;
  resources: Resource[];
  onBook: (at: Partial<SlotChoice>) => void;
}

/** The appointments of the shown days: a grid, or a list on a phone. */
export function CalendarView({ state, resources, onBook }: CalendarViewProps) {
  const { t } = useTranslation();
  const { range, resourceId } = state;
  const appointments = useQuery(calendarQuery(range, resourceId));
  const openings = useQuery(openingTimesQuery(range));
  return (
    <QueryState query={appointments} rows={8}>
      {(page) => (
        <>
          {isEmptyList(page) && <NextStep />}
          <Days
            state={state}
            resources={resources}
            appointments={page.data}
            openings={openings.data ?? []}
            onBook={onBook}
          />
          <Legend />
          {page.meta.total > page.data.length && (
            <Text size="sm" c="dimmed">
              {t("appointments.too_many", { count: mostShown })}
            </Text>
          )}
        </>
      )}
    </QueryState>
  );
}

interface DaysProps extends CalendarViewProps {
  appointments: Appointment[];
  /** Empty until the opening times are loaded. */
  openings: OpeningTimes[];
}

function Days({ state, resources, appointments, openings, onBook }: DaysProps) {
  const wanted = useWantedMoves();
  const shown = appointments.filter(({ status }) => state.all || takesPlace(status));
  const columns = columnsOf(state, agendasIn(resources, shown));
  const times = { places: blocksOf(shown, wanted), openings };
  if (state.asList) return <DayList columns={columns} {...times} set={state.set} />;
  return <CalendarGrid columns={columns} {...times} set={state.set} onBook={onBook} />;
}

/** Legend of the colours and icons. */
function Legend() {
  const { t } = useTranslation();
  const shown = ["confirmed", "completed", "no_show", "cancelled"] as const;
  return (
    <Group gap="md" mt="sm">
      {shown.map((status) => {
        const { icon: Picture, color } = appointmentLooks[status];
        return (
          <Group key={status} gap={4} c={`var(--mantine-color-${color}-light-color)`}>
            <Picture size={14} aria-hidden />
            <Text size="xs">{t(`appointment_status.${status}`)}</Text>
          </Group>
        );
      })}
    </Group>
  );
}

function takesPlace(status: Appointment["status"]): boolean {
  return status !== "cancelled" && status !== "rescheduled";
}

type Agenda = Pick<Resource, "id" | "name">;

/** The agendas that take bookings, and archived ones with appointments in the range. */
function agendasIn(resources: Resource[], shown: Appointment[]): Agenda[] {
  const known = new Map<number, Agenda>(resources.map((resource) => [resource.id, resource]));
  for (const { resource_id: id, resource_name: name } of shown) {
    if (!known.has(id)) known.set(id, { id, name });
  }
  return [...known.values()];
}

function columnsOf({ view, days, today, resourceId }: CalendarState, agendas: Agenda[]): Column[] {
  const own = agendas.filter(({ id }) => resourceId === null || id === resourceId);
  return days.flatMap((date) =>
    own.map(({ id, name }) => ({
      date,
      resourceId: id,
      label: view === "week" ? dateText(date, { weekday: "short", day: "numeric" }) : name,
      isToday: date === today,
    })),
  );
}
