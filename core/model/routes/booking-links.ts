import { z } from "zod";
import { bookingLinkCreateBody, bookingLinkPatchBody, bookingLinkView } from "../booking-link.ts";
import { pageParameters } from "../wire.ts";
import { idView, pageOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/booking-links.ts`. */
export const bookingLinksShapes = {
  "GET /booking-links": {
    query: z.object(pageParameters),
    ...pageOf(bookingLinkView),
  },
  "POST /booking-links": { body: bookingLinkCreateBody, answers: { 201: bookingLinkView } },
  "GET /booking-links/:id": { answers: { 200: bookingLinkView } },
  "PATCH /booking-links/:id": { body: bookingLinkPatchBody, answers: { 200: bookingLinkView } },
  "DELETE /booking-links/:id": { answers: { 200: idView } },
} satisfies RouteShapes;
