import type Router from "@koa/router";
import {
  visitBookingBody,
  visitBookingView,
  visitSlotsQuery,
  visitSlotsView,
} from "../../core/model/widget-visit.ts";
import {
  bookVisit,
  getWidgetLink,
  listVisitSlots,
} from "../../core/services/widgets/visit-bookings.ts";
import { countForm } from "../booking/limits.ts";
import type { Deps } from "../deps.ts";
import { checkTrap } from "./limits.ts";
import { getWidget } from "./messages.ts";
import { change, mountVisitRoute, read } from "./visit-route.ts";

/** Mounts the calls that show free times and book one. */
export function mountBookings(deps: Deps, router: Router): void {
  const slots = { method: "GET", path: "/slots", query: visitSlotsQuery } as const;
  mountVisitRoute(deps, router, { ...slots, answer: visitSlotsView }, async (call) => {
    const { visit, query } = call;
    const widget = await getWidget(deps, visit);
    const asked = { serviceId: query.service_id ?? null, from: query.from ?? null };
    // The search is as costly as that of a booking page, and shares its limit.
    const link = await read(call, visit.accountId, (tx) => getWidgetLink(tx, widget));
    const data = await deps.slotSearches.run(String(link.id), () =>
      read(call, visit.accountId, (tx) => listVisitSlots(tx, link, asked)),
    );
    return { status: 200, data };
  });
  const book = { method: "POST", path: "/bookings", body: visitBookingBody } as const;
  mountVisitRoute(deps, router, { ...book, answer: visitBookingView }, async (call) => {
    const { visit, body, ip } = call;
    const { secretBox, config, bookingLimits } = deps;
    await checkTrap(deps, body);
    const widget = await getWidget(deps, visit);
    const slug = widget.settings.booking_slug ?? "";
    const { id } = await read(call, visit.accountId, (tx) => getWidgetLink(tx, widget));
    countForm(bookingLimits, ip, id);
    const parts = { secretBox, hasMail: config.mail !== null };
    const { booked, token } = await change(call, visit.accountId, (tx) =>
      bookVisit(tx, parts, { widget, visit, slug }, body),
    );
    const { startTime, endTime, title } = booked.appointment;
    const data = {
      start_time: startTime.toISOString(),
      end_time: endTime.toISOString(),
      service: booked.serviceName ?? title,
      url: `${config.publicUrl}/book/${slug}/a/${token}`,
    };
    return { status: 201, data };
  });
}
