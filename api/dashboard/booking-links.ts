import { z } from "zod";
import {
  bookingLinkCreateBody,
  bookingLinkPatchBody,
  bookingLinkView,
} from "../../core/model/booking-link.ts";
import { listMeta, pageParameters, recordId } from "../../core/model/wire.ts";
import {
  createBookingLink,
  deleteBookingLink,
  getBookingLink,
  listBookingLinks,
  updateBookingLink,
} from "../../core/services/booking/booking-links.ts";
import type { BookingLink } from "../../db/entities/booking-link.ts";
import type { Deps } from "../deps.ts";
import { route } from "../http/route.ts";
import { admin, agent } from "./access.ts";

const noun = "booking_link";
const tag = "Booking links";

/** Booking links: public pages on which customers book. */
export const bookingLinkRoutes = [
  route({
    method: "GET",
    path: "/booking-links",
    access: agent,
    tag,
    summary: "List booking links, newest first",
    query: z.object(pageParameters),
    successes: {
      200: { description: "Rows.", data: z.array(bookingLinkView), meta: listMeta },
    },
    run: async (tx, { query }, deps) => {
      const [rows, total] = await listBookingLinks(tx, query);
      return { data: rows.map((row) => present(row, deps)), meta: { total, ...query } };
    },
  }),
  route({
    method: "POST",
    path: "/booking-links",
    access: admin,
    tag,
    summary: "Add a booking link for a resource, a service or both",
    body: bookingLinkCreateBody,
    successes: { 201: { description: "Added.", data: bookingLinkView } },
    errors: ["service_not_offered"],
    run: async (tx, { body }, deps) => ({ data: present(await createBookingLink(tx, body), deps) }),
  }),
  route({
    method: "GET",
    path: "/booking-links/:id",
    access: agent,
    tag,
    noun,
    summary: "Read a booking link",
    successes: { 200: { description: "The link.", data: bookingLinkView } },
    run: async (tx, { id }, deps) => ({ data: present(await getBookingLink(tx, id), deps) }),
  }),
  route({
    method: "PATCH",
    path: "/booking-links/:id",
    access: admin,
    tag,
    noun,
    summary: "Change a booking link, switch it off or on",
    body: bookingLinkPatchBody,
    successes: { 200: { description: "As it is now.", data: bookingLinkView } },
    errors: ["service_not_offered"],
    run: async (tx, { id, body }, deps) => ({
      data: present(await updateBookingLink(tx, id, body), deps),
    }),
  }),
  route({
    method: "DELETE",
    path: "/booking-links/:id",
    access: admin,
    tag,
    noun,
    summary: "Delete a booking link; what was booked through it stays",
    successes: { 200: { description: "Deleted.", data: z.strictObject({ id: recordId }) } },
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
    url: `${config.publicUrl}/book/${row.slug}`,
    slug: row.slug,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
