import { Anchor, Text, Tooltip } from "@mantine/core";
import { IconCircleCheck, IconHistory } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { AppointmentStatus } from "../../components/appointment-status.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { contactAppointmentsQuery, type Appointment } from "../../lib/appointments.ts";
import type { ContactCard } from "../../lib/contact.ts";
import { useSession } from "../../lib/session.ts";
import { clockTime, dayText, leafParts, useNow } from "../../lib/time.ts";
import { wallTime } from "../../lib/zoned-time.ts";
import { appointmentPath, contactPath } from "../../paths.ts";
import { BlockTitle } from "./block-title.tsx";
import styles from "./contact-panel.module.css";

/** Number of appointments beside a conversation. The contact's page has the others. */
const shownHere = 3;

/** Next and last appointments of the contact. */
export function PersonAppointments({ card }: { card: ContactCard }) {
  const { t } = useTranslation();
  const appointments = useQuery(contactAppointmentsQuery(card.id, { limit: shownHere }));
  return (
    <section className={styles["block"]} aria-label={t("contact.appointments")}>
      <BlockTitle>{t("contact.appointments")}</BlockTitle>
      <QueryState query={appointments} rows={1}>
        {({ data, meta }) => (
          <>
            {meta.total === 0 && (
              <Text size="sm" c="dimmed">
                {t("contact.no_appointments")}
              </Text>
            )}
            <ul className={styles["rows"]}>
              {data.map((one) => (
                <Line key={one.id} appointment={one} />
              ))}
            </ul>
            {meta.total > shownHere && (
              <Anchor
                component={Link}
                to={contactPath(card.id)}
                size="xs"
                className={styles["more"] ?? ""}
              >
                {t("contact.more_appointments", { count: meta.total - shownHere })}
              </Anchor>
            )}
          </>
        )}
      </QueryState>
    </section>
  );
}

/** A coming appointment has a leaf of the calendar; an earlier one is a single line. */
function Line({ appointment }: { appointment: Appointment }) {
  const { account } = useSession();
  const { id, start_time: at, end_time: end, status } = appointment;
  const isNext = useNow(60_000) < new Date(end).getTime() && status === "confirmed";
  const to = appointmentPath(id, wallTime(at, account.time_zone).date);
  return (
    <li>
      <Link className={isNext ? styles["row"] : styles["past"]} to={to}>
        {isNext ? <Next appointment={appointment} /> : <Past appointment={appointment} />}
      </Link>
    </li>
  );
}

function Next({ appointment }: { appointment: Appointment }) {
  const { account } = useSession();
  const { title, resource_name, service_hue, start_time: at } = appointment;
  const { weekday, day } = leafParts(at, account.time_zone);
  return (
    <>
      <span className={styles["leaf"]} data-hue={service_hue}>
        <small>{weekday}</small>
        {day}
      </span>
      <span className={styles["rowText"]}>
        <b className={styles["cut"]} dir="auto">
          {title} · {clockTime(at, account.time_zone)}
        </b>
        <small className={styles["cut"]} dir="auto">
          {resource_name} · {appointment.duration_minutes} min
        </small>
      </span>
      <Confirmed />
    </>
  );
}

/** An appointment to come is confirmed, so a mark says as much as the word. */
function Confirmed() {
  const { t } = useTranslation();
  const word = t("appointment_status.confirmed");
  return (
    <Tooltip label={word}>
      <span className={styles["state"]} role="img" aria-label={word}>
        <IconCircleCheck size={17} stroke={1.75} aria-hidden />
      </span>
    </Tooltip>
  );
}

function Past({ appointment: { title, start_time, status } }: { appointment: Appointment }) {
  const { account } = useSession();
  return (
    <>
      <IconHistory size={14} aria-hidden />
      <span className={styles["cut"]} dir="auto">
        {dayText(start_time, account.time_zone)}, {clockTime(start_time, account.time_zone)} ·{" "}
        {title}
      </span>
      <AppointmentStatus status={status} />
    </>
  );
}
