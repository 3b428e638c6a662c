import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type {
  appointmentView,
  resourceView,
  serviceView,
} from "../../../core/model/views/appointment.ts";
import { callApi, readAll } from "./api.ts";
import { liveKeys } from "./live-changes.ts";

/** An appointment. */
export type Appointment = z.output<typeof appointmentView>;
/** An agenda in which appointments are booked. */
export type Resource = z.output<typeof resourceView>;
/** A service that can be booked. */
export type Service = z.output<typeof serviceView>;

/** The resources that take bookings, or the archived ones. */
export function resourcesQuery({ archived = false } = {}) {
  return queryOptions({
    queryKey: [...liveKeys.agendas, "resources", archived],
    queryFn: async () =>
      await readAll(
        async (page) =>
          await callApi("GET /resources", { query: { ...page, archived: `${archived}` } }),
      ),
  });
}

/**
 * One page of a contact's appointments: the next ones first, then past and cancelled ones. The
 * query runs every minute, because no change event says that an appointment is over.
 */
export function contactAppointmentsQuery(contactId: number, { limit = 10, offset = 0 } = {}) {
  return queryOptions({
    queryKey: [...liveKeys.appointments, "contact", contactId, limit, offset],
    queryFn: async () =>
      await callApi("GET /appointments", {
        query: { contact_id: contactId, order: "next", limit, offset },
      }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
}

/** The services that can be booked, or the archived ones. */
export function servicesQuery({ archived = false } = {}) {
  return queryOptions({
    queryKey: [...liveKeys.agendas, "services", archived],
    queryFn: async () =>
      await readAll(
        async (page) =>
          await callApi("GET /services", { query: { ...page, archived: `${archived}` } }),
      ),
  });
}

/** Filter of a search for free slots: a service or a length, or an appointment that moves. */
export interface SlotQuery {
  service_id?: number;
  resource_id?: number;
  duration_minutes?: number;
  appointment_id?: number;
}

/** The free slots between two moments. */
export function slotsQuery(wish: SlotQuery, range: { from: string; to: string }) {
  return queryOptions({
    queryKey: [...liveKeys.appointments, "slots", wish, range],
    queryFn: async () => await callApi("GET /slots", { query: { ...wish, ...range } }),
    // Other people book too, so a cached answer may be wrong.
    staleTime: 0,
  });
}

/**
 * The resources that give a service. A service without resources can be booked with all of them.
 */
export function giversOf(service: Service | undefined, resources: Resource[]): Resource[] {
  const ids = service?.resource_ids ?? [];
  return ids.length === 0 ? resources : resources.filter(({ id }) => ids.includes(id));
}
