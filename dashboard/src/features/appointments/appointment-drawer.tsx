import { Anchor, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { SideDialog } from "../../components/dialog.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { AppointmentStatus } from "../../components/appointment-status.tsx";
import type { Appointment } from "../../lib/appointments.ts";
import { codeText } from "../../lib/code-text.ts";
import { useSession } from "../../lib/session.ts";
import { clockTime, dayAndTime, exactTime, zoneText } from "../../lib/time.ts";
import { contactPath, conversationPath } from "../../paths.ts";
import { appointmentQuery } from "./api.ts";
import { AppointmentActions } from "./appointment-actions.tsx";
import { AppointmentHistory } from "./appointment-history.tsx";
import { MoveForm } from "./move-form.tsx";
import { Overlaps } from "./overlap-fact.tsx";
import { SourceMark } from "./source-mark.tsx";

interface AppointmentDrawerProps {
  id: number;
  /** True while the person chooses another time. */
  moving: boolean;
  onMoving: (on: boolean) => void;
  onClose: () => void;
}

/** Drawer of an appointment with its history and actions. */
export function AppointmentDrawer({ id, moving, onMoving, onClose }: AppointmentDrawerProps) {
  const { t } = useTranslation();
  const query = useQuery(appointmentQuery(id));
  return (
    <SideDialog onClose={onClose} size="lg" title={query.data?.title ?? t("appointments.title")}>
      <QueryState query={query}>
        {(appointment) => (
          <Stack>
            <Facts appointment={appointment} />
            {moving && appointment.status === "confirmed" ? (
              <MoveForm appointment={appointment} onDone={() => onMoving(false)} />
            ) : (
              <AppointmentActions appointment={appointment} onMove={() => onMoving(true)} />
            )}
            <AppointmentHistory appointment={appointment} />
          </Stack>
        )}
      </QueryState>
    </SideDialog>
  );
}

function Facts({ appointment }: { appointment: Appointment }) {
  const { t } = useTranslation();
  const { contact_id, conversation_id, source } = appointment;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <AppointmentStatus status={appointment.status} />
        <Anchor component={Link} to={contactPath(contact_id)} fw={500} dir="auto">
          {appointment.customer_name}
        </Anchor>
        {appointment.customer_phone !== null && (
          <Text size="sm" c="dimmed" className="tabular">
            {appointment.customer_phone}
          </Text>
        )}
        {conversation_id !== null && (
          <Anchor component={Link} to={conversationPath(conversation_id)} size="sm">
            {t("appointment.conversation")}
          </Anchor>
        )}
      </Group>
      <Fact label={t("appointment.when")}>
        <Times appointment={appointment} />
        <Overlaps appointment={appointment} />
      </Fact>
      <Fact label={t("appointment.agenda")}>{appointment.resource_name}</Fact>
      {appointment.service_name !== null && (
        <Fact label={t("appointment.service")}>{appointment.service_name}</Fact>
      )}
      {source !== null && (
        <Fact label={t("appointment.booked_by")}>
          <Group gap={4}>
            <SourceMark source={source} />
            {codeText("appointment_source", source)}
          </Group>
        </Fact>
      )}
    </Stack>
  );
}

function Times({ appointment: { start_time, end_time } }: { appointment: Appointment }) {
  const { account } = useSession();
  const zone = account.time_zone;
  const exact = [start_time, end_time].map((moment) => exactTime(moment, zone)).join("\n– ");
  return (
    <time dateTime={start_time} title={exact}>
      {dayAndTime(start_time, zone)}–{clockTime(end_time, zone)} ({zoneText(zone)})
    </time>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Group gap="xs" align="baseline" wrap="nowrap">
      <Text size="sm" c="dimmed" w={130} style={{ flexShrink: 0 }}>
        {label}
      </Text>
      <Text size="sm" component="div" dir="auto">
        {children}
      </Text>
    </Group>
  );
}
