import { occupiesTime, type AppointmentStatus } from "../../../../core/model/appointment.ts";

/** An appointment at a time of an agenda. */
interface PlacedAppointment {
  appointment: { id: number; status: AppointmentStatus; source: string | null };
  start_time: string;
  end_time: string;
  resource_id: number;
}

/**
 * Ids of the appointments that overlap another one of their agenda. Only bookings from outside can:
 * reality is shown as it is.
 */
export function overlapsIn(places: PlacedAppointment[]): Set<number> {
  const ids = new Set<number>();
  const ordered = places
    .filter(({ appointment }) => occupiesTime(appointment.status))
    .toSorted(
      (one, other) =>
        one.resource_id - other.resource_id || one.start_time.localeCompare(other.start_time),
    );
  for (const [index, one] of ordered.entries()) {
    for (const other of ordered.slice(index + 1)) {
      if (other.resource_id !== one.resource_id || other.start_time >= one.end_time) break;
      if (isSameGroup(one, other)) continue;
      ids.add(one.appointment.id).add(other.appointment.id);
    }
  }
  return ids;
}

/** Invitees of one group event of Calendly have an appointment each, at the same time. */
function isSameGroup(one: PlacedAppointment, other: PlacedAppointment): boolean {
  return (
    one.appointment.source === "calendly" &&
    other.appointment.source === "calendly" &&
    one.start_time === other.start_time &&
    one.end_time === other.end_time
  );
}
