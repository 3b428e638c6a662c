import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { SlotChoice } from "../../components/booking/slot-picker.tsx";
import { LoadFailed, LoadingRows, QueryState } from "../../components/load-states.tsx";
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
import { blocksOf, takesPlace, type Agenda, type Column } from "./calendar-blocks.ts";
import type { CalendarState } from "./use-calendar.ts";

interface CalendarViewProps {
  state: CalendarState;
  resources: Resource[];
  onBook: (at: Partial<SlotChoice>) => void;
}

/** The appointments of the shown days: a grid, or a list on a phone. */
export function CalendarView({ state, resources, onBook }: CalendarViewProps) {
  const { t } = useTranslation();
  const { range, agendaIds } = state;
  const appointments = useQuery(calendarQuery(range, agendaIds));
  const openings = useQuery(openingTimesQuery(range));
  // Those of other days would say that these days are closed.
  const known = openings.isPlaceholderData ? undefined : openings.data;
  // A grid stays in its place meanwhile. A list would say that the day has no appointment.
  if (state.asList && appointments.isPlaceholderData) return <LoadingRows rows={8} />;
  return (
    <QueryState query={appointments} rows={8}>
      {(page) => (
        <>
          {openings.error !== null && known === undefined && (
            <LoadFailed error={openings.error} retry={openings.refetch} />
          )}
          {isEmptyList(page) && <NextStep />}
          {page.meta.total > page.data.length && (
            <Text size="sm" c="dimmed" my="xs">
              {t("appointments.too_many", { count: mostShown })}
            </Text>
          )}
          <Days
            state={state}
            resources={resources}
            appointments={page.data}
            openings={known ?? null}
            onBook={onBook}
          />
        </>
      )}
    </QueryState>
  );
}

interface DaysProps extends CalendarViewProps {
  appointments: Appointment[];
  /** Null while the opening times of the shown days are unknown. */
  openings: OpeningTimes[] | null;
}

function Days({ state, resources, appointments, openings, onBook }: DaysProps) {
  const wanted = useWantedMoves();
  const shown = appointments.filter(({ status }) => state.all || takesPlace(status));
  const columns = columnsOf(state, agendasIn(resources, shown));
  const times = { places: blocksOf(shown, wanted, state.colour), openings };
  if (state.asList) return <DayList columns={columns} {...times} set={state.set} />;
  return (
    <CalendarGrid view={state.view} columns={columns} {...times} set={state.set} onBook={onBook} />
  );
}

/** The agendas that take bookings, and archived ones with appointments in the range. */
function agendasIn(resources: Resource[], shown: Appointment[]): Agenda[] {
  const known = new Map<number, Agenda>(resources.map((resource) => [resource.id, resource]));
  for (const { resource_id: id, resource_name: name } of shown) {
    if (!known.has(id)) known.set(id, { id, name });
  }
  return [...known.values()];
}

/** A column for each day of a week, or for each agenda of a day. */
function columnsOf({ view, days, today, agendaIds }: CalendarState, agendas: Agenda[]): Column[] {
  const own = agendas.filter(({ id }) => agendaIds === null || agendaIds.includes(id));
  return days.flatMap((date) => {
    const day = { date, isToday: date === today };
    if (view === "day") return own.map((one) => ({ ...day, agendas: [one], label: one.name }));
    return [{ ...day, agendas: own, label: dateText(date, { weekday: "short", day: "numeric" }) }];
  });
}
