import { Box } from "@mantine/core";
import {
  useState,
  type CSSProperties,
  type DragEvent,
  type MouseEvent,
  type ReactNode,
} from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../../lib/session.ts";
import { clockTime, useNow } from "../../lib/time.ts";
import { momentAt, wallTime } from "../../lib/zoned-time.ts";
import { AppointmentBlock } from "./appointment-block.tsx";
import styles from "./calendar.module.css";
import { withColumns } from "./overlap-columns.ts";
import {
  buffersOf,
  freeTimeAt,
  type Agenda,
  type Block,
  type Column,
  type Dragged,
  type FreeTime,
  type openingOf,
} from "./calendar-blocks.ts";
import { timeRangesOf, type TimeRange } from "./time-ranges.ts";

/** Height of an hour in px. */
export const hourPx = 60;
/** A dropped appointment starts at the nearest multiple. */
const dropMinutes = 15;
/** A click on a time that is not free books the nearest multiple. */
const clickMinutes = 30;

type Opening = ReturnType<typeof openingOf>;

interface CalendarColumnProps {
  column: Column;
  head: ReactNode;
  hours: { first: number; last: number };
  places: Block[];
  opening: Opening;
  dragged: Dragged | null;
  onDrag: (dragged: Dragged | null) => void;
  onOpen: (id: number, moving: boolean) => void;
  /** Minutes since midnight; less than 0 for a start on the day before. */
  onDrop: (dragged: Dragged, minutes: number) => void;
  /** Runs on a click beside the appointments. */
  onFree: (minutes: number, agenda: Agenda) => void;
}

/** A day: opening hours, appointments, the free time at the pointer, a dragged appointment. */
export function CalendarColumn(props: CalendarColumnProps) {
  const { column, head, hours, places, opening, dragged, onDrag, onOpen, onDrop, onFree } = props;
  const zone = useSession().account.time_zone;
  const [over, setOver] = useState<number | null>(null);
  const { free, freeAt, point } = useFreeTime(props);
  const top = (minutes: number) => ((minutes - hours.first * 60) / 60) * hourPx;
  const pointed = (event: DragEvent | MouseEvent, step: number) =>
    nearest(minutesAt(event, hours.first), step, dragged);
  const columns = withColumns(timeRangesOf(places, column.date, zone));
  return (
    <section className={styles["column"]} aria-label={`${column.label} ${column.date}`}>
      <div className={styles["head"]}>{head}</div>
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
        onMouseMove={(event: MouseEvent) =>
          point(isOnAppointment(event) ? null : minutesAt(event, hours.first))
        }
        onMouseLeave={() => point(null)}
        onClick={(event: MouseEvent) => {
          const [agenda] = column.agendas;
          if (agenda === undefined || isOnAppointment(event)) return;
          const chosen = freeAt(minutesAt(event, hours.first));
          onFree(chosen?.from ?? pointed(event, clickMinutes), chosen?.agenda ?? agenda);
        }}
      >
        <Grounds opening={opening} hours={hours} top={top} />
        <BusyTimes busy={opening.busy} top={top} />
        <Buffers buffers={buffersOf(columns, column.date, zone)} columns={columns} top={top} />
        {free !== null && dragged === null && <Free free={free} column={column} top={top} />}
        <ul className={styles["places"]}>
          {columns.map((place) => (
            <AppointmentBlock
              key={place.appointment.id}
              place={place}
              date={column.date}
              top={top}
              onDrag={onDrag}
              onOpen={onOpen}
            />
          ))}
        </ul>
        {column.isToday && <NowLine top={top} hours={hours} />}
        {over !== null && dragged !== null && (
          <Ghost date={column.date} minutes={over} dragged={dragged} top={top} />
        )}
      </Box>
    </section>
  );
}

function isOnAppointment({ target }: MouseEvent): boolean {
  return target instanceof Element && target.closest("a") !== null;
}

/** The free time at the pointer. */
function useFreeTime({ column, opening, places }: CalendarColumnProps) {
  const { account } = useSession();
  const zone = account.time_zone;
  const [pointer, setPointer] = useState<number | null>(null);
  const now = wallTime(new Date(useNow(60_000)).toISOString(), zone);
  const freeAt = (minutes: number): FreeTime | null => {
    if (column.date < now.date) return null;
    const first = column.date === now.date ? now.minutes : 0;
    return freeTimeAt(minutes, { column, opening, blocks: places }, { first, timeZone: zone });
  };
  return {
    free: pointer === null ? null : freeAt(pointer),
    freeAt,
    // Steps of five minutes, so that few movements of the pointer render the column.
    point: (minutes: number | null) =>
      setPointer(minutes === null ? null : Math.floor(minutes / 5) * 5),
  };
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
  return (
    <>
      {/* Behind the open hours, so that a closure shows where no other agenda is open. */}
      {opening.closures.map((closure) => (
        <div key={closure.id} className={styles["closure"]} style={box(closure)}>
          <span>
            {closure.reason === null
              ? t("appointments.closed")
              : t("appointments.closed_for", { reason: closure.reason })}
          </span>
        </div>
      ))}
      {opening.isKnown && opening.open.length === 0 && opening.closures.length === 0 && (
        <div className={styles["closure"]} style={box({ from: 0, to: 1_440 })}>
          <span>{t("appointments.closed")}</span>
        </div>
      )}
      {opening.open.map((span) => (
        <div
          key={`${span.resource_id} ${span.start_time}`}
          className={styles["open"]}
          style={{ ...box(span), ...linesFrom(span.from) }}
        />
      ))}
    </>
  );
}

/** Times that an external calendar takes up, without a customer. */
function BusyTimes({ busy, top }: Pick<GroundsProps, "top"> & Pick<Opening, "busy">) {
  const { t } = useTranslation();
  return busy.map(({ id, from, to }) => (
    <div
      key={id}
      className={styles["busy"]}
      style={{ top: top(from), height: top(to) - top(from) }}
      title={t("appointments.busy_text")}
    >
      <span>{t("appointments.busy")}</span>
    </div>
  ));
}

/** Place of the first line of an hour in a ground that begins at some minute. */
function linesFrom(minutes: number): CSSProperties {
  const above = (Math.ceil(minutes / 60) * 60 - minutes) * (hourPx / 60);
  return { "--first-line": `${above}px` } as CSSProperties;
}

interface BuffersProps extends Pick<GroundsProps, "top"> {
  buffers: ReturnType<typeof buffersOf>;
  columns: ReturnType<typeof withColumns<Block & TimeRange>>;
}

/** Buffers before and after appointments, as wide as these. */
function Buffers({ buffers, columns, top }: BuffersProps) {
  const { t } = useTranslation();
  return buffers.map(({ id, key, name, hue, from, to }) => {
    const own = columns.find(({ appointment }) => appointment.id === id);
    const width = 100 / (own?.columns ?? 1);
    const left = (own?.column ?? 0) * width;
    const box = {
      left: `${left}%`,
      width: `${width}%`,
      top: top(from),
      height: top(to) - top(from),
    };
    return (
      <div
        key={key}
        className={styles["buffer"]}
        data-hue={hue}
        style={box}
        title={t("appointments.buffer", { name })}
      />
    );
  });
}

function NowLine({ top, hours }: Pick<GroundsProps, "top" | "hours">) {
  const { account } = useSession();
  const now = useNow(60_000);
  const { minutes } = wallTime(new Date(now).toISOString(), account.time_zone);
  if (minutes < hours.first * 60 || minutes > hours.last * 60) return null;
  return <div className={styles["now"]} style={{ top: top(minutes) }} />;
}

interface FreeProps extends Pick<GroundsProps, "top"> {
  free: FreeTime;
  column: Column;
}

/** The free time at the pointer. Its agenda has a name where the column has several. */
function Free({ free: { agenda, from, to }, column, top }: FreeProps) {
  const { t } = useTranslation();
  const { account } = useSession();
  const [start, end] = [from, to].map((minutes) =>
    clockTime(momentAt({ date: column.date, minutes }, account.time_zone), account.time_zone),
  );
  return (
    <div
      className={styles["free"]}
      style={{ top: top(from), height: top(to) - top(from) }}
      aria-hidden
    >
      <b>{`${start} – ${end}`}</b>
      <span>{column.agendas.length === 1 ? t("appointments.click_to_book") : agenda.name}</span>
    </div>
  );
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
  // A start on the day before is above the column.
  const from = Math.max(minutes, 0);
  const end = Math.max(minutes + dragged.appointment.duration_minutes, from);
  return (
    <div className={styles["free"]} style={{ top: top(from), height: top(end) - top(from) }}>
      <b>{clockTime(momentAt({ date, minutes }, zone), zone)}</b>
    </div>
  );
}

/** Minutes since midnight at the pointer. @param firstHour hour at the upper edge */
function minutesAt({ clientY, currentTarget }: DragEvent | MouseEvent, firstHour: number): number {
  const y = clientY - currentTarget.getBoundingClientRect().top;
  return firstHour * 60 + (y / hourPx) * 60;
}

/**
 * The nearest multiple of a step, within the day. An appointment that is dragged by a later day may
 * begin before the day.
 */
function nearest(minutes: number, step: number, dragged: Dragged | null): number {
  const { grabbedMinutes: grabbed, hiddenMinutes: hidden } = dragged ?? noGrab;
  const start = Math.round((minutes - grabbed) / step) * step;
  return Math.min(hidden > 0 ? start : Math.max(0, start), 1_440 - step);
}

const noGrab = { grabbedMinutes: 0, hiddenMinutes: 0 };
