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
 * Moves an appointment and shows a toast with Undo. A refusal shows the reason and the possible
 * next steps.
 */
export function useMoveWithWord(): MoveTo {
  const { t } = useTranslation();
  const tellRefusal = useTellRefusal();
  const tellMoved = useTellMoved();
  const { mutate } = useMove({
    onMoved: tellMoved,
    onRefused: (error, wanted) => {
      const anyway = {
        label: t("booking.anyway"),
        run: () => mutate({ ...wanted, outside_hours: true }),
      };
      tellRefusal(error, wanted, isClosed(error) ? [anyway] : []);
    },
  });
  return (appointment, to) => {
    const { start_time: start, resource_id: resource } = appointment;
    if (to.start_time === start && to.resource_id === resource) return;
    notifications.hide(toastOf(appointment));
    mutate({ appointment, ...to, mode: "same", outside_hours: false });
  };
}

/**
 * Shows that an appointment was moved, with Undo. Undo is a move back, so it is refused where
 * somebody has taken the time meanwhile, and says so.
 */
export function useTellMoved() {
  const { t } = useTranslation();
  const { account } = useSession();
  const tellRefusal = useTellRefusal();
  const timeOf = (moment: string) => dayAndTime(moment, account.time_zone);
  const { mutate } = useMove({
    onMoved: ({ customer_name: name, start_time: start }) =>
      tellDone(t("appointment.is_back", { name, time: timeOf(start) })),
    onRefused: (error, wanted) => tellRefusal(error, wanted, []),
  });
  return (moved: Appointment, { appointment: before, mode }: WantedMove): void => {
    const { start_time, resource_id } = before;
    const back = { appointment: moved, start_time, resource_id, mode };
    tellWithActions({
      id: toastOf(moved),
      message: t("appointment.was_moved", {
        name: moved.customer_name,
        time: timeOf(moved.start_time),
      }),
      // The old time may have been outside the opening hours on purpose.
      actions: [
        { label: t("appointment.undo"), run: () => mutate({ ...back, outside_hours: true }) },
      ],
    });
  };
}

/** Shows that an appointment stays at its time, with the reason and a way to other times. */
export function useTellRefusal() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { account } = useSession();
  return (
    error: Error,
    { appointment }: WantedMove,
    further: { label: string; run: () => void }[],
  ): void => {
    const { id, customer_name: name, start_time } = appointment;
    const { date } = wallTime(start_time, account.time_zone);
    const other = {
      label: t("appointment.other_time"),
      run: () => void navigate(`${appointmentPath(id, date)}&move=1`),
    };
    tellWithActions({
      id: toastOf(appointment),
      color: "bad",
      title: t("appointment.not_moved", { name, time: dayAndTime(start_time, account.time_zone) }),
      message: errorText(error),
      actions: [other, ...further],
    });
  };
}

/** Id of an appointment's toast, so that a newer one replaces an older one. */
function toastOf({ id }: Appointment): string {
  return `move-${id}`;
}
