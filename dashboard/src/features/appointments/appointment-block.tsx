import { VisuallyHidden } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useRef, type DragEvent, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { appointmentLooks } from "../../components/appointment-status.tsx";
import { codeText } from "../../lib/code-text.ts";
import { useSession } from "../../lib/session.ts";
import { clockTime } from "../../lib/time.ts";
import { appointmentPath } from "../../paths.ts";
import { wallTime } from "../../lib/zoned-time.ts";
import styles from "./calendar.module.css";
import type { OverlapColumn } from "./overlap-columns.ts";
import type { Block, Dragged } from "./calendar-blocks.ts";
import { isFromOutside, SourceMark } from "./source-mark.tsx";
import { minutesBefore, type TimeRange } from "./time-ranges.ts";

/** Height of one line of text in px, and of two. */
const leastPx = 20;
const twoLinesPx = 38;

interface AppointmentBlockProps {
  place: Block & TimeRange & OverlapColumn;
  /** Day of the column. */
  date: string;
  top: (minutes: number) => number;
  onDrag: (dragged: Dragged | null) => void;
  onOpen: (id: number, moving: boolean) => void;
}

/** An appointment in the calendar. Its height shows its duration, its form shows its status. */
export function AppointmentBlock({ place, date, top, onDrag, onOpen }: AppointmentBlockProps) {
  const link = useRef<HTMLAnchorElement>(null);
  const { account } = useSession();
  const { appointment, moving, hue, from, to, column, columns } = place;
  const { id, status } = appointment;
  const words = useWords(place);
  const height = Math.max(leastPx, top(to) - top(from));
  // Calendly has no call that moves a booking.
  const movable = status === "confirmed" && !moving && appointment.source !== "calendly";
  const box = {
    top: top(from),
    height,
    left: `${(column / columns) * 100}%`,
    width: `${100 / columns}%`,
  };
  return (
    <li className={styles["place"]} style={box}>
      <Link
        ref={link}
        to={appointmentPath(id, wallTime(place.start_time, account.time_zone).date)}
        className={styles["block"] ?? ""}
        draggable={movable}
        data-hue={hue}
        data-form={moving ? "moving" : status}
        title={words.whole}
        aria-keyshortcuts={movable ? "m" : undefined}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          onOpen(id, false);
        }}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === "m" && movable) onOpen(id, true);
        }}
        onDragStart={(event: DragEvent) => {
          event.dataTransfer.setData("text/plain", words.whole);
          const y = event.clientY - (link.current?.getBoundingClientRect().top ?? 0);
          const hiddenMinutes = minutesBefore(place.start_time, date, account.time_zone);
          const grabbedMinutes = hiddenMinutes + (y / height) * (to - from);
          onDrag({ appointment, grabbedMinutes, hiddenMinutes });
        }}
        onDragEnd={() => onDrag(null)}
      >
        <Lines place={place} words={words} tall={height >= twoLinesPx} />
      </Link>
    </li>
  );
}

interface LinesProps {
  place: Block;
  words: ReturnType<typeof useWords>;
  tall: boolean;
}

function Lines({ place: { appointment, moving, overlaps }, words, tall }: LinesProps) {
  const { status, title, customer_name: name } = appointment;
  const { icon: Picture } = appointmentLooks[status];
  // Without a service the title equals the customer's name.
  const below = moving ? words.status : title === name ? null : title;
  const marks = (
    <>
      {overlaps && <IconAlertTriangle size={13} className={styles["overlap"]} aria-hidden />}
      <SourceMark source={appointment.source} />
    </>
  );
  return (
    <>
      <span className={styles["line"]}>
        <VisuallyHidden>{words.time}</VisuallyHidden>
        <b className={styles["name"]} dir="auto">
          {name}
        </b>
        <span className={styles["marks"]}>
          {!tall && marks}
          {status !== "confirmed" && <Picture size={13} aria-hidden />}
        </span>
      </span>
      {tall && (
        <span className={styles["line"]} aria-hidden>
          <span className="tabular">{words.time}</span>
          {below !== null && (
            <>
              ·
              <span className={styles["name"]} dir="auto">
                {below}
              </span>
            </>
          )}
          <span className={styles["marks"]}>{marks}</span>
        </span>
      )}
      <VisuallyHidden>, {words.rest}</VisuallyHidden>
    </>
  );
}

function useWords({ appointment, start_time, moving, overlaps }: Block) {
  const { t } = useTranslation();
  const { account } = useSession();
  const time = clockTime(start_time, account.time_zone);
  const status = moving ? t("appointments.moving") : t(`appointment_status.${appointment.status}`);
  const { customer_name: name, title, resource_name: agenda, source } = appointment;
  const rest = [
    t("appointments.one", { title, agenda, status }),
    isFromOutside(source) && codeText("appointment_source", source),
    overlaps && t("appointments.overlaps"),
  ]
    .filter((part) => part !== false)
    .join(", ");
  return { time, status, rest, whole: `${time} ${name}, ${rest}` };
}
