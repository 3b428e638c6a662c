import {
  createBookingLink,
  deleteBookingLink,
  getBookingLink,
  listBookingLinks,
  updateBookingLink,
} from "../../core/services/booking/booking-links.ts";
import type { BookingLink } from "../../db/entities/booking-link.ts";
import type { Deps } from "../deps.ts";
import { admin, agent } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const noun = "booking_link";
const tag = "Booking links";

/** Booking links: public pages on which customers book. */
export const bookingLinkRoutes = [
  dashboardRoute("GET /booking-links", {
    access: agent,
    tag,
    summary: "List booking links, newest first",
    run: async (tx, { query }, deps) => {
      const page = await listBookingLinks(tx, query);
      return { data: page.rows.map((row) => present(row, deps)), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /booking-links", {
    access: admin,
    tag,
    summary: "Add a booking link for a resource, a service or both",
    errors: ["service_not_offered"],
    run: async (tx, { body }, deps) => ({ data: present(await createBookingLink(tx, body), deps) }),
  }),
  dashboardRoute("GET /booking-links/:id", {
    access: agent,
    tag,
    noun,
    summary: "Read a booking link",
    run: async (tx, { id }, deps) => ({ data: present(await getBookingLink(tx, id), deps) }),
  }),
  dashboardRoute("PATCH /booking-links/:id", {
    access: admin,
    tag,
    noun,
    summary: "Change a booking link, switch it off or on",
    errors: ["service_not_offered"],
    run: async (tx, { id, body }, deps) => ({
      data: present(await updateBookingLink(tx, id, body), deps),
    }),
  }),
  dashboardRoute("DELETE /booking-links/:id", {
    access: admin,
    tag,
    noun,
    summary: "Delete a booking link; what was booked through it stays",
    run: async (tx, { id }) => {
      await deleteBookingLink(tx, id);
      return { data: { id } };
    },
  }),
];

function present(row: BookingLink, { config }: Deps) {
  return {
    id: row.id,
    title: row.title,
    resource_id: row.resourceId,
    service_id: row.serviceId,
    enabled: row.enabled,
    url: `${config.publicUrl}/book/${row.ownSlug ?? row.slug}`,
    slug: row.slug,
    own_slug: row.ownSlug,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
