import type { EndpointKind } from "../../../../core/model/inbound.ts";

/** What an endpoint of each kind can be asked, in the order that the documents name it. */
export const actionsOf: Record<EndpointKind, readonly [string, ...string[]]> = {
  inbound: ["contact.upsert", "contact.tag.add", "contact.tag.remove"],
  voice: ["appointment.book", "appointment.reschedule", "appointment.cancel"],
};

const phone = "5215512345678";

/** A body to begin with, as JSON. `now`: milliseconds since 1970. */
export function sampleBody(event: string, now: number): string {
  return JSON.stringify({ event, data: sampleData(event, now) });
}

function sampleData(event: string, now: number): Record<string, unknown> {
  switch (event) {
    case "contact.upsert":
      return { phone, name: "Ana Ruiz" };
    case "appointment.book":
      return { phone, name: "Ana Ruiz", resource_id: 1, service_id: 1, start_time: later(now, 1) };
    case "appointment.reschedule":
      return { phone, start_time: later(now, 2) };
    case "appointment.cancel":
      return { phone, reason: "Cannot come" };
    default:
      return { phone, tag: "vip" };
  }
}

/** A full hour some days from now, with its offset from UTC. */
function later(now: number, days: number): string {
  const hour = 3_600_000;
  return new Date(Math.ceil(now / hour) * hour + days * 24 * hour).toISOString();
}
