import { useMutation, useQueryClient } from "@tanstack/react-query";
import { callApi } from "../../lib/api.ts";
import type { Appointment } from "../../lib/appointments.ts";
import { liveKeys } from "../../lib/live-changes.ts";

/** Body of a booking. `contact` is found by phone or email, or created. */
export interface Booking {
  contact_id?: number;
  /** The contact's conversation from which it is booked. */
  conversation_id?: number | undefined;
  contact?: { name: string; phone: string; email: string };
  resource_id: number;
  service_id?: number;
  start_time: string;
  duration_minutes?: number;
  title?: string;
  outside_hours: boolean;
}

/** Callbacks after a booking. They run also where the form is closed by then. */
interface BookingEnds {
  onBooked: (booked: Appointment) => void;
  onRefused: (error: Error, booking: Booking) => void;
}

/** Books an appointment. */
export function useBook({ onBooked, onRefused }: BookingEnds) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: Booking) => await callApi("POST /appointments", { body }),
    onSuccess: onBooked,
    onError: onRefused,
    onSettled: async () => await client.invalidateQueries({ queryKey: liveKeys.appointments }),
  });
}
