import { Box, VisuallyHidden } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { SlotChoice } from "../../components/booking/slot-picker.tsx";
import { hueOf } from "../../lib/hues.ts";
import { useSession } from "../../lib/session.ts";
import { clockTime, dateText } from "../../lib/time.ts";
import { momentAt } from "../../lib/zoned-time.ts";
import type { OpeningTimes } from "./api.ts";
import { CalendarColumn, hourPx } from "./calendar-column.tsx";
import styles from "./calendar.module.css";
import {
  blocksIn,
  buffersOf,
  countIn,
  firstWorkingHour,
  hoursShown,
  openingOf,
  type Block,
  type Column,
  type Dragged,
} from "./calendar-blocks.ts";
import { onDay, type TimeRange } from "./time-ranges.ts";
import type { CalendarState } from "./use-calendar.ts";
import { useMoveWithWord } from "./use-move-with-word.ts";

interface CalendarGridProps {
  view: CalendarState["view"];
  columns: Column[];
  places: Block[];
  /** Null while the opening times of the shown days are unknown. */
  openings: OpeningTimes[] | null;
  set: CalendarState["set"];
  onBook: (at: Partial<SlotChoice>) => void;
}

/**
 * Days or agendas side by side. An appointment is moved by drag, or with the key `m`, which opens
 * its free times.
 */
export function CalendarGrid({ view, columns, places, openings, set, onBook }: CalendarGridProps) {
  const { t } = useTranslation();
  const { account } = useSession();
  const zone = account.time_zone;
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const move = useMoveWithWord();
  const hours = hoursShown(
    columns.flatMap((column) => [
      ...openingOf(openings, column, zone).open,
      ...openingOf(openings, column, zone).busy.filter(isWithinDay),
      ...blocksIn(places, column).flatMap((place) => onDay(place, column.date, zone) ?? []),
      ...buffersOf(blocksIn(places, column), column.date, zone),
    ]),
  );
  const scroll = useFirstScroll(
    firstWorkingHour(columns.flatMap((column) => openingOf(openings, column, zone).open)),
    hours.first,
  );
  return (
    <Box
      ref={scroll}
      className={styles["scroll"] ?? ""}
      role="region"
      aria-label={t("appointments.calendar")}
      tabIndex={0}
    >
      <div className={styles["grid"]}>
        <Hours {...hours} />
        {columns.map((column) => (
          <CalendarColumn
            key={`${column.date} ${column.agendas.map(({ id }) => id).join()}`}
            column={column}
            head={<Head view={view} column={column} count={countIn(places, column, zone)} />}
            hours={hours}
            places={blocksIn(places, column)}
            opening={openingOf(openings, column, zone)}
            dragged={dragged}
            onDrag={setDragged}
            onOpen={(id, moving) => set({ appointment: String(id), move: moving ? "1" : null })}
            onDrop={({ appointment }, minutes) => {
              setDragged(null);
              const start = momentAt({ date: column.date, minutes }, zone);
              // A day of several agendas says nothing about the agenda, so it stays.
              const [only, ...others] = column.agendas;
              const isOne = only !== undefined && others.length === 0;
              const resource = isOne ? only.id : appointment.resource_id;
              move(appointment, { start_time: start, resource_id: resource });
            }}
            onFree={(minutes, agenda) =>
              onBook({
                resource_id: agenda.id,
                start_time: momentAt({ date: column.date, minutes }, zone),
              })
            }
          />
        ))}
      </div>
    </Box>
  );
}

/** A busy time of the whole day, such as a holiday, does not stretch the calendar. */
function isWithinDay({ from, to }: TimeRange): boolean {
  return from > 0 && to < 1_440;
}

/** Room for the label of an hour above its line. */
const labelPx = 10;

/** Scrolls to the first working hour once it is known. Later changes leave the scroll position. */
function useFirstScroll(working: number | null, first: number) {
  const ref = useRef<HTMLDivElement>(null);
  const done = useRef(false);
  useEffect(() => {
    if (working === null || done.current || ref.current === null) return;
    done.current = true;
    ref.current.scrollTop = Math.max(0, (working - first) * hourPx - labelPx);
  }, [working, first]);
  return ref;
}

interface HeadProps {
  view: CalendarState["view"];
  column: Column;
  count: number;
}

/** Head of a column: the day, or the agenda where all columns are of one day. */
function Head({ view, column: { date, agendas, label, isToday }, count }: HeadProps) {
  const { t } = useTranslation();
  const [agenda] = agendas;
  return (
    <>
      {view === "week" ? (
        <>
          <span>{dateText(date, { weekday: "short" })}</span>
          <b className={styles["number"]} data-today={isToday} aria-current={isToday && "date"}>
            {dateText(date, { day: "numeric" })}
          </b>
        </>
      ) : (
        <>
          {agenda !== undefined && (
            <i className={styles["dot"]} data-hue={hueOf(agenda.id)} aria-hidden />
          )}
          <b className={styles["name"]} dir="auto" title={label}>
            {label}
          </b>
        </>
      )}
      {count > 0 && (
        <span className={`${styles["count"]} tabular`}>
          {count}
          <VisuallyHidden> {t("appointments.count", { count })}</VisuallyHidden>
        </span>
      )}
    </>
  );
}

function Hours({ first, last }: { first: number; last: number }) {
  const hours = Array.from({ length: last - first }, (_, index) => first + index);
  return (
    <div className={styles["hours"]} aria-hidden>
      <div className={styles["head"]} />
      {hours.map((hour, index) => (
        <div key={hour} className={styles["hour"]} style={{ height: hourPx }}>
          {/* The head would cut the first one in half. */}
          {index > 0 && (
            <span>{clockTime(`2000-01-01T${String(hour).padStart(2, "0")}:00:00Z`, "UTC")}</span>
          )}
        </div>
      ))}
    </div>
  );
}
