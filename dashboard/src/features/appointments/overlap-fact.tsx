import { Anchor, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Status } from "../../components/status.tsx";
import type { Appointment } from "../../lib/appointments.ts";
import { useSession } from "../../lib/session.ts";
import { clockTime } from "../../lib/time.ts";
import { wallTime } from "../../lib/zoned-time.ts";
import { appointmentPath } from "../../paths.ts";
import { calendarQuery } from "./api.ts";
import { overlapsIn } from "./overlaps.ts";

/** Appointments of the same agenda that an appointment overlaps, each with a link. */
export function Overlaps({ appointment }: { appointment: Appointment }) {
  const { t } = useTranslation();
  const { account } = useSession();
  const { id, start_time: from, end_time: to, resource_id: agenda } = appointment;
  const query = useQuery(calendarQuery({ from, to }, [agenda]));
  const others = (query.data?.data ?? []).filter(
    (one) => one.id !== id && isOver(one, appointment),
  );
  if (others.length === 0) return null;
  return (
    <Group gap={6} mt={4}>
      <Status tone="warn">{t("appointments.overlaps")}</Status>
      {others.map((one) => (
        <Anchor
          key={one.id}
          component={Link}
          to={appointmentPath(one.id, wallTime(one.start_time, account.time_zone).date)}
          size="sm"
          dir="auto"
        >
          {clockTime(one.start_time, account.time_zone)} {one.customer_name}
        </Anchor>
      ))}
    </Group>
  );
}

function isOver(one: Appointment, other: Appointment): boolean {
  const places = [one, other].map((appointment) => ({ appointment, ...timesOf(appointment) }));
  return overlapsIn(places).has(one.id);
}

function timesOf({ start_time, end_time, resource_id }: Appointment) {
  return { start_time, end_time, resource_id };
}
