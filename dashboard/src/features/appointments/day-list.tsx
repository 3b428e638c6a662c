import { Box, Group, Stack, Text, UnstyledButton } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { AppointmentStatus } from "../../components/appointment-status.tsx";
import { Status } from "../../components/status.tsx";
import { codeText } from "../../lib/code-text.ts";
import { useSession } from "../../lib/session.ts";
import { clockTime } from "../../lib/time.ts";
import type { OpeningTimes } from "./api.ts";
import { blocksIn, buffersOf, openingOf, type Column, type Block } from "./calendar-blocks.ts";
import styles from "./calendar.module.css";
import { isFromOutside, SourceMark } from "./source-mark.tsx";
import { onDay } from "./time-ranges.ts";
import type { CalendarState } from "./use-calendar.ts";

interface DayListProps {
  columns: Column[];
  places: Block[];
  /** Null while the opening times of the shown days are unknown. */
  openings: OpeningTimes[] | null;
  set: CalendarState["set"];
}

/** A day as a list for small screens: each agenda with its hours, closures and appointments. */
export function DayList({ columns, places, openings, set }: DayListProps) {
  return (
    <Stack mt="md">
      {columns.map((column) => (
        <AgendaDay
          key={column.agendas.map(({ id }) => id).join()}
          column={column}
          places={blocksIn(places, column)}
          openings={openings}
          onOpen={(id) => set({ appointment: String(id) })}
        />
      ))}
    </Stack>
  );
}

interface AgendaDayProps extends Pick<DayListProps, "places" | "openings"> {
  column: Column;
  onOpen: (id: number) => void;
}

function AgendaDay({ column, places, openings, onOpen }: AgendaDayProps) {
  const { t } = useTranslation();
  const { account } = useSession();
  const zone = account.time_zone;
  const { isKnown, open, closures, busy } = openingOf(openings, column, zone);
  const between = ({ start_time, end_time }: { start_time: string; end_time: string }) =>
    `${clockTime(start_time, zone)}–${clockTime(end_time, zone)}`;
  const booked = places
    .filter((place) => onDay(place, column.date, zone) !== null)
    .toSorted((one, other) => one.start_time.localeCompare(other.start_time));
  return (
    <Box component="section" aria-label={column.label}>
      <Text fw={600} dir="auto">
        {column.label}
      </Text>
      {isKnown && (
        <Text size="xs" c="dimmed" className="tabular">
          {open.length === 0
            ? t("appointments.closed_day")
            : t("appointments.opens", { hours: open.map(between).join(", ") })}
        </Text>
      )}
      {closures.map((closure) => (
        <Text key={closure.id} size="xs" c="dimmed">
          {between(closure)}{" "}
          {closure.reason === null
            ? t("appointments.closed")
            : t("appointments.closed_for", { reason: closure.reason })}
        </Text>
      ))}
      {busy.map((time) => (
        <Text key={time.id} size="xs" c="dimmed" className="tabular">
          {between(time)} {t("appointments.busy")}
        </Text>
      ))}
      {booked.length === 0 && (
        <Text size="sm" mt="xs">
          {t("appointments.nothing")}
        </Text>
      )}
      {booked.map((place) => (
        <Row
          key={place.appointment.id}
          place={place}
          time={between(place)}
          buffers={buffersOf([place], column.date, zone).map(between)}
          onOpen={() => onOpen(place.appointment.id)}
        />
      ))}
    </Box>
  );
}

interface RowProps {
  place: Block;
  time: string;
  /** Buffers before and after the appointment. */
  buffers: string[];
  onOpen: () => void;
}

function Row({ place, time, buffers, onOpen }: RowProps) {
  const { t } = useTranslation();
  const { appointment, moving, overlaps, hue } = place;
  const { source } = appointment;
  return (
    <UnstyledButton className={styles["row"] ?? ""} data-hue={hue} onClick={onOpen}>
      <Group justify="space-between" wrap="nowrap" gap="xs" w="100%">
        <Box miw={0}>
          <Text size="sm" fw={600} dir="auto" truncate>
            {appointment.customer_name}
          </Text>
          <Text size="xs" c="dimmed" className="tabular" lineClamp={2}>
            {appointment.title === appointment.customer_name
              ? time
              : `${time} · ${appointment.title}`}
          </Text>
          {isFromOutside(source) && (
            <Group gap={4} c="dimmed" fz="xs">
              <SourceMark source={source} />
              {codeText("appointment_source", source)}
            </Group>
          )}
          {buffers.length > 0 && (
            <Text size="xs" c="dimmed" className="tabular">
              {t("appointments.buffers", { times: buffers.join(", ") })}
            </Text>
          )}
        </Box>
        <Stack gap={4} align="flex-end">
          {overlaps && <Status tone="warn">{t("appointments.overlaps")}</Status>}
          {moving ? (
            <Text size="xs">{t("appointments.moving")}</Text>
          ) : (
            <AppointmentStatus status={appointment.status} />
          )}
        </Stack>
      </Group>
    </UnstyledButton>
  );
}
