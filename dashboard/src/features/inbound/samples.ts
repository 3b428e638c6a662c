import type { EndpointKind } from "../../../../core/model/inbound.ts";

/** Actions of each kind of endpoint (rules C63 and C64), in the order of the documentation. */
export const actionsOf: Record<EndpointKind, readonly [string, ...string[]]> = {
  inbound: ["contact.upsert", "contact.tag.add", "contact.tag.remove"],
  voice: ["appointment.book", "appointment.reschedule", "appointment.cancel"],
};

const phone = "5215512345678";

/** Example body as JSON. @param now milliseconds since 1970 */
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

/** A full hour some days from now, in UTC. */
function later(now: number, days: number): string {
  const hour = 3_600_000;
  return new Date(Math.ceil(now / hour) * hour + days * 24 * hour).toISOString();
}
