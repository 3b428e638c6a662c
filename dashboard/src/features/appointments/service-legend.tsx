import { useQuery } from "@tanstack/react-query";
import { calendarQuery } from "./api.ts";
import styles from "./calendar.module.css";
import { takesPlace } from "./calendar-blocks.ts";
import type { CalendarState } from "./use-calendar.ts";

/** Services beyond this number have no room beside the agendas. */
const mostServices = 5;

/** The services of the shown appointments with their colours. */
export function ServiceLegend({ state: { range, agendaIds, all } }: { state: CalendarState }) {
  const { data } = useQuery(calendarQuery(range, agendaIds));
  const shown = (data?.data ?? []).filter(({ status }) => all || takesPlace(status));
  const services = new Map(
    shown.flatMap(({ service_id: id, service_name: name, service_hue: hue }) =>
      id === null ? [] : [[id, { id, name, hue }]],
    ),
  );
  return (
    <ul className={styles["legend"]}>
      {[...services.values()].slice(0, mostServices).map(({ id, name, hue }) => (
        <li key={id} data-hue={hue}>
          <i className={styles["dot"]} aria-hidden />
          <span className={styles["name"]} dir="auto">
            {name}
          </span>
        </li>
      ))}
    </ul>
  );
}
