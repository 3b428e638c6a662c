import { notifications } from "@mantine/notifications";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { isClosed } from "../../components/booking/refusal.tsx";
import type { Appointment } from "../../lib/appointments.ts";
import { errorText } from "../../lib/error-text.ts";
import { tellDone, tellWithActions } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { dayAndTime } from "../../lib/time.ts";
import { wallTime } from "../../lib/zoned-time.ts";
import { appointmentPath } from "../../paths.ts";
import { useMove, type WantedMove } from "./api.ts";

type MoveTo = (
  appointment: Appointment,
  to: Pick<WantedMove, "start_time" | "resource_id">,
) => void;

/**
 * Moves an appointment and shows a toast. A refusal shows the reason and the possible next steps.
 */
export function useMoveWithWord(): MoveTo {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { account } = useSession();
  const timeOf = (moment: string) => dayAndTime(moment, account.time_zone);
  const tellRefusal = (error: Error, wanted: WantedMove): void => {
    const { id: appointmentId, customer_name: name, start_time } = wanted.appointment;
    const other = {
      label: t("appointment.other_time"),
      run: () => {
        const { date } = wallTime(start_time, account.time_zone);
        void navigate(`${appointmentPath(appointmentId, date)}&move=1`);
      },
    };
    const anyway = {
      label: t("booking.anyway"),
      run: () => mutate({ ...wanted, outside_hours: true }),
    };
    tellWithActions({
      id: `move-${appointmentId}`,
      color: "bad",
      title: t("appointment.not_moved", { name, time: timeOf(start_time) }),
      message: errorText(error),
      actions: isClosed(error) ? [other, anyway] : [other],
    });
  };
  const { mutate } = useMove({
    onRefused: tellRefusal,
    onMoved: ({ customer_name: name, start_time: start }) =>
      tellDone(t("appointment.was_moved", { name, time: timeOf(start) })),
  });
  return (appointment, to) => {
    const { start_time: start, resource_id: resource } = appointment;
    if (to.start_time === start && to.resource_id === resource) return;
    notifications.hide(`move-${appointment.id}`);
    mutate({ appointment, ...to, mode: "same", outside_hours: false });
  };
}
