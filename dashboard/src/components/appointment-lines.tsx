import { Anchor, Group, Text } from "@mantine/core";
import { Link } from "react-router";
import type { Appointment } from "../lib/appointments.ts";
import { useSession } from "../lib/session.ts";
import { dayAndTime } from "../lib/time.ts";
import { wallTime } from "../lib/zoned-time.ts";
import { appointmentPath } from "../paths.ts";
import { AppointmentStatus } from "./appointment-status.tsx";

/** Appointments of one person: title, time and agenda, each with a link. */
export function AppointmentLines({ appointments }: { appointments: Appointment[] }) {
  const { account } = useSession();
  return appointments.map(({ id, title, resource_name, start_time, status }) => (
    <Group key={id} gap="xs" justify="space-between">
      <div>
        <Anchor
          component={Link}
          to={appointmentPath(id, wallTime(start_time, account.time_zone).date)}
          size="sm"
          fw={500}
        >
          {title}
        </Anchor>
        <Text size="xs" c="dimmed">
          {dayAndTime(start_time, account.time_zone)} · {resource_name}
        </Text>
      </div>
      <AppointmentStatus status={status} />
    </Group>
  ));
}
