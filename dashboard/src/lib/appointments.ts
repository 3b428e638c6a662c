import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type {
  appointmentView,
  resourceView,
  serviceView,
  slotView,
} from "../../../core/model/views/appointment.ts";
import { callApi, callForData, queryString, type Listed } from "./api.ts";
import { liveKeys } from "./live-changes.ts";

/** An appointment. */
export type Appointment = z.output<typeof appointmentView>;
/** An agenda that appointments are booked in. */
export type Resource = z.output<typeof resourceView>;
/** What can be booked. */
export type Service = z.output<typeof serviceView>;
/** A time that can be booked now. */
export type Slot = z.output<typeof slotView>;

/** The API gives at most this many at once; an account of more has its first ones here. */
const listed = 100;

/** The resources that take bookings, or those that were archived. */
export function resourcesQuery({ archived = false } = {}) {
  return queryOptions({
    queryKey: [...liveKeys.agendas, "resources", archived],
    queryFn: async () =>
      await callApi<Listed<Resource>>(
        "GET",
        `/resources${queryString({ limit: listed, archived: String(archived) })}`,
      ),
  });
}

/**
 * A contact's appointments, the next ones first, then those that are over or off: one page of them.
 * Read again from time to time: no change tells that one is over.
 */
export function contactAppointmentsQuery(contactId: number, { limit = 10, offset = 0 } = {}) {
  const query = queryString({ contact_id: contactId, order: "next", limit, offset });
  return queryOptions({
    queryKey: [...liveKeys.appointments, "contact", contactId, limit, offset],
    queryFn: async () => await callApi<Listed<Appointment>>("GET", `/appointments${query}`),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
}

/** The services that can be booked, or those that were archived. */
export function servicesQuery({ archived = false } = {}) {
  return queryOptions({
    queryKey: [...liveKeys.agendas, "services", archived],
    queryFn: async () =>
      await callApi<Listed<Service>>(
        "GET",
        `/services${queryString({ limit: listed, archived: String(archived) })}`,
      ),
  });
}

/** What a free time is looked for: a service or a length, or an appointment that is to be moved. */
export interface SlotQuery {
  service_id?: number;
  resource_id?: number;
  duration_minutes?: number;
  appointment_id?: number;
}

/** The free times between two moments. */
export function slotsQuery(wish: SlotQuery, range: { from: string; to: string }) {
  return queryOptions({
    queryKey: [...liveKeys.appointments, "slots", wish, range],
    queryFn: async () =>
      await callForData<Slot[]>("GET", `/slots${queryString({ ...wish, ...range })}`),
    // Others book too.
    staleTime: 0,
  });
}

/** Who books, where, what and when; a `contact` is found by its phone or email, or made. */
export interface Booking {
  contact_id?: number;
  contact?: { name: string; phone: string; email: string };
  resource_id: number;
  service_id?: number;
  start_time: string;
  duration_minutes?: number;
  title?: string;
  outside_hours: boolean;
}

/** Books an appointment. */
export function useBook() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: Booking) =>
      await callForData<Appointment>("POST", "/appointments", body),
    onSettled: async () => await client.invalidateQueries({ queryKey: liveKeys.appointments }),
  });
}

/** The resources that give a service; those of none: all. */
export function giversOf(service: Service | undefined, resources: Resource[]): Resource[] {
  const ids = service?.resource_ids ?? [];
  return ids.length === 0 ? resources : resources.filter(({ id }) => ids.includes(id));
}
