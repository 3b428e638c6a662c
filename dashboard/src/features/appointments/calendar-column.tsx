import { Box, Text } from "@mantine/core";
import { useState, type DragEvent, type MouseEvent } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../lib/session.ts";
import { clockTime, useNow } from "../../lib/time.ts";
import { momentAt, wallTime } from "../../lib/zoned-time.ts";
import { AppointmentBlock } from "./appointment-block.tsx";
import styles from "./calendar.module.css";
import { withColumns } from "./overlap-columns.ts";
import {
  buffersOf,
  type Block,
  type Column,
  type Dragged,
  type openingOf,
} from "./calendar-blocks.ts";
import { timeRangesOf, type TimeRange } from "./time-ranges.ts";

/** Height of an hour in px. */
export const hourPx = 56;
/** A dropped appointment starts at the nearest multiple. */
const dropMinutes = 15;
const clickMinutes = 30;

interface CalendarColumnProps {
  column: Column;
  hours: { first: number; last: number };
  places: Block[];
  opening: ReturnType<typeof openingOf>;
  dragged: Dragged | null;
  onDrag: (dragged: Dragged | null) => void;
  onOpen: (id: number, moving: boolean) => void;
  onDrop: (dragged: Dragged, minutes: number) => void;
  /** Runs on a click on a free time. */
  onFree: (minutes: number) => void;
}

/** A day of an agenda: opening hours, appointments, and the new place of a dragged appointment. */
export function CalendarColumn(props: CalendarColumnProps) {
  const { column, hours, places, opening, dragged, onDrag, onOpen, onDrop, onFree } = props;
  const { account } = useSession();
  const zone = account.time_zone;
  const [over, setOver] = useState<number | null>(null);
  const top = (minutes: number) => ((minutes - hours.first * 60) / 60) * hourPx;
  const pointed = (event: DragEvent | MouseEvent, step: number) =>
    minutesAt(event, step, hours.first * 60 - (dragged?.grabbedMinutes ?? 0));
  const columns = withColumns(timeRangesOf(places, column.date, zone));
  return (
    <section className={styles["column"]} aria-label={`${column.label} ${column.date}`}>
      <div className={styles["head"]} data-today={column.isToday}>
        <Text size="sm" fw={600} truncate dir="auto">
          {column.label}
        </Text>
      </div>
      <Box
        className={styles["body"] ?? ""}
        style={{ height: (hours.last - hours.first) * hourPx }}
        onDragOver={(event: DragEvent) => {
          event.preventDefault();
          setOver(pointed(event, dropMinutes));
        }}
        onDragLeave={() => setOver(null)}
        onDrop={(event: DragEvent) => {
          event.preventDefault();
          setOver(null);
          if (dragged !== null) onDrop(dragged, pointed(event, dropMinutes));
        }}
        onClick={(event: MouseEvent) => {
          if (event.target instanceof Element && event.target.closest("a") !== null) return;
          onFree(pointed(event, clickMinutes));
        }}
      >
        <Grounds opening={opening} hours={hours} top={top} />
        <Buffers buffers={buffersOf(places, column.date, zone)} top={top} />
        {column.isToday && <NowLine top={top} hours={hours} />}
        <ul className={styles["places"]}>
          {columns.map((place) => (
            <AppointmentBlock
              key={place.appointment.id}
              place={place}
              top={top}
              onDrag={onDrag}
              onOpen={onOpen}
            />
          ))}
        </ul>
        {over !== null && dragged !== null && (
          <Ghost date={column.date} minutes={over} dragged={dragged} top={top} />
        )}
      </Box>
    </section>
  );
}

interface GroundsProps extends Pick<CalendarColumnProps, "opening" | "hours"> {
  top: (minutes: number) => number;
}

/** Opening hours, closures and hour lines behind the appointments. */
function Grounds({ opening, hours, top }: GroundsProps) {
  const { t } = useTranslation();
  const box = ({ from, to }: TimeRange) => {
    const [start, end] = [Math.max(from, hours.first * 60), Math.min(to, hours.last * 60)];
    return { top: top(start), height: Math.max(0, top(end) - top(start)) };
  };
  const line = `repeating-linear-gradient(transparent 0 ${hourPx - 1}px, var(--mantine-color-default-border) ${hourPx - 1}px ${hourPx}px)`;
  return (
    <>
      {opening.open.map((span) => (
        <div key={span.start_time} className={styles["open"]} style={box(span)} />
      ))}
      {opening.closures.map((closure) => (
        <div key={closure.id} className={styles["closure"]} style={box(closure)}>
          <span>
            {closure.reason === null
              ? t("appointments.closed")
              : t("appointments.closed_for", { reason: closure.reason })}
          </span>
        </div>
      ))}
      <div className={styles["lines"]} style={{ backgroundImage: line }} />
    </>
  );
}

interface BuffersProps extends Pick<GroundsProps, "top"> {
  buffers: ReturnType<typeof buffersOf>;
}

/** Buffers before and after appointments. */
function Buffers({ buffers, top }: BuffersProps) {
  const { t } = useTranslation();
  return buffers.map(({ key, name, from, to }) => (
    <div
      key={key}
      className={styles["buffer"]}
      style={{ top: top(from), height: top(to) - top(from) }}
      title={t("appointments.buffer", { name })}
    />
  ));
}

function NowLine({ top, hours }: Pick<GroundsProps, "top" | "hours">) {
  const { account } = useSession();
  const now = useNow(60_000);
  const { minutes } = wallTime(new Date(now).toISOString(), account.time_zone);
  if (minutes < hours.first * 60 || minutes > hours.last * 60) return null;
  return <div className={styles["now"]} style={{ top: top(minutes) }} />;
}

interface GhostProps extends Pick<GroundsProps, "top"> {
  date: string;
  minutes: number;
  dragged: Dragged;
}

/** Preview of a dragged appointment at its new place. */
function Ghost({ date, minutes, dragged, top }: GhostProps) {
  const { account } = useSession();
  const zone = account.time_zone;
  const end = minutes + dragged.appointment.duration_minutes;
  return (
    <div className={styles["ghost"]} style={{ top: top(minutes), height: top(end) - top(minutes) }}>
      {clockTime(momentAt({ date, minutes }, zone), zone)}
    </div>
  );
}

/**
 * Minutes since midnight at the pointer, rounded to `step`. @param first minutes at the upper edge
 */
function minutesAt(
  { clientY, currentTarget }: DragEvent | MouseEvent,
  step: number,
  first: number,
): number {
  const y = clientY - currentTarget.getBoundingClientRect().top;
  const steps = Math.round((first + (y / hourPx) * 60) / step);
  return Math.min(Math.max(0, steps * step), 1_440 - step);
}
