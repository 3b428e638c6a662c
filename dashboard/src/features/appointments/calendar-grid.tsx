import { Box } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { SlotChoice } from "../../components/booking/slot-picker.tsx";
import { useSession } from "../../lib/session.ts";
import { clockTime } from "../../lib/time.ts";
import { momentAt } from "../../lib/zoned-time.ts";
import type { OpeningTimes } from "./api.ts";
import { CalendarColumn, hourPx } from "./calendar-column.tsx";
import styles from "./calendar.module.css";
import {
  buffersOf,
  hoursShown,
  openingOf,
  type Column,
  type Block,
  type Dragged,
} from "./calendar-blocks.ts";
import { onDay } from "./time-ranges.ts";
import type { CalendarState } from "./use-calendar.ts";
import { useMoveWithWord } from "./use-move-with-word.ts";

interface CalendarGridProps {
  columns: Column[];
  places: Block[];
  openings: OpeningTimes[];
  set: CalendarState["set"];
  onBook: (at: Partial<SlotChoice>) => void;
}

/**
 * Days or agendas side by side. An appointment is moved by drag, or with the key `m`, which opens
 * its free times.
 */
export function CalendarGrid({ columns, places, openings, set, onBook }: CalendarGridProps) {
  const { t } = useTranslation();
  const { account } = useSession();
  const zone = account.time_zone;
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const move = useMoveWithWord();
  const ownPlaces = ({ resourceId }: Column) =>
    places.filter(({ resource_id: id }) => id === resourceId);
  const hours = hoursShown(
    columns.flatMap((column) => [
      ...openingOf(openings, column, zone).open,
      ...ownPlaces(column).flatMap((place) => onDay(place, column.date, zone) ?? []),
      ...buffersOf(ownPlaces(column), column.date, zone),
    ]),
  );
  return (
    <Box
      className={styles["scroll"] ?? ""}
      role="region"
      aria-label={t("appointments.calendar")}
      tabIndex={0}
    >
      <div className={styles["grid"]}>
        <Hours {...hours} />
        {columns.map((column) => (
          <CalendarColumn
            key={`${column.date} ${column.resourceId}`}
            column={column}
            hours={hours}
            places={ownPlaces(column)}
            opening={openingOf(openings, column, zone)}
            dragged={dragged}
            onDrag={setDragged}
            onOpen={(id, moving) => set({ appointment: String(id), move: moving ? "1" : null })}
            onDrop={({ appointment }, minutes) => {
              setDragged(null);
              const start = momentAt({ date: column.date, minutes }, zone);
              move(appointment, { start_time: start, resource_id: column.resourceId });
            }}
            onFree={(minutes) =>
              onBook({
                resource_id: column.resourceId,
                start_time: momentAt({ date: column.date, minutes }, zone),
              })
            }
          />
        ))}
      </div>
    </Box>
  );
}

function Hours({ first, last }: { first: number; last: number }) {
  const hours = Array.from({ length: last - first }, (_, index) => first + index);
  return (
    <div className={styles["hours"]} aria-hidden>
      <div className={styles["head"]} />
      {hours.map((hour) => (
        <div key={hour} className={styles["hour"]} style={{ height: hourPx }}>
          {clockTime(`2000-01-01T${String(hour).padStart(2, "0")}:00:00Z`, "UTC")}
        </div>
      ))}
    </div>
  );
}
