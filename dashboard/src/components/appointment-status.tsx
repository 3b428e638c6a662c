import {
  IconArrowRight,
  IconBan,
  IconCheck,
  IconChecks,
  IconUserX,
  type Icon,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { AppointmentStatus as State } from "../../../core/model/appointment.ts";
import { Status, type Tone } from "./status.tsx";

/** Colour and icon of each state of an appointment, the same on every page. */
export const appointmentLooks: Record<State, { color: Tone; icon: Icon }> = {
  confirmed: { color: "ok", icon: IconCheck },
  completed: { color: "info", icon: IconChecks },
  no_show: { color: "warn", icon: IconUserX },
  cancelled: { color: "gray", icon: IconBan },
  rescheduled: { color: "gray", icon: IconArrowRight },
};

/** State of an appointment. */
export function AppointmentStatus({ status }: { status: State }) {
  const { t } = useTranslation();
  return <Status tone={appointmentLooks[status].color}>{t(`appointment_status.${status}`)}</Status>;
}
