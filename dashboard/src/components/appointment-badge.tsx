import { IconArrowRight, IconBan, IconCheck, IconChecks, IconUserX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { AppointmentStatus } from "../../../core/model/appointment.ts";
import { IconBadge, type BadgeLook } from "./icon-badge.tsx";

/** Colour and icon of each state of an appointment, the same on every page. */
export const appointmentLooks: Record<AppointmentStatus, BadgeLook> = {
  confirmed: { color: "ok", icon: IconCheck },
  completed: { color: "info", icon: IconChecks },
  no_show: { color: "warn", icon: IconUserX },
  cancelled: { color: "gray", icon: IconBan },
  rescheduled: { color: "gray", icon: IconArrowRight },
};

/** Badge with the state of an appointment. */
export function AppointmentBadge({ status }: { status: AppointmentStatus }) {
  const { t } = useTranslation();
  return <IconBadge look={appointmentLooks[status]} word={t(`appointment_status.${status}`)} />;
}
