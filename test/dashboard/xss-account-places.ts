import { recordNotification } from "../../core/services/notifications/notifications.ts";
import { createTestEndpoint } from "../api/inbound/inbound-fixture.ts";
import { asSystem } from "../support/accounts.ts";
import { openFrom } from "../support/appointments.ts";
import type { DashboardFixture } from "../support/dashboard-fixture.ts";
import { xssPayloads } from "../support/xss-payloads.ts";
import { call, type TextPlace } from "./xss-places.ts";

/** As few texts as hold them all, one behind the other: names and reasons have at most 200 characters. */
function pack(payloads: readonly string[]): string[] {
  const packed: string[] = [];
  for (const payload of payloads) {
    const longer = `${packed.at(-1) ?? ""} ${payload}`.trim();
    if (packed.length > 0 && longer.length <= 200) packed.splice(-1, 1, longer);
    else packed.push(payload);
  }
  return packed;
}

/** Handlers: together they fit into one name. */
const few = xssPayloads.slice(14, 19);

const hours = openFrom("00:00", "24:00");

/** A moment of the day whose calendar is looked at. */
const onTheDay = (minutes: number): string =>
  new Date(Date.UTC(2032, 2, 1, 0, minutes)).toISOString();

async function startBooking(fixture: DashboardFixture, from: string) {
  const message = { channel: "web", from, name: "Ana", text: "Hello" };
  const { contact_id } = await call(fixture, "POST", "/sandbox/messages", message);
  const agenda = { name: from, weekly_hours: hours };
  const { id } = await call(fixture, "POST", "/resources", agenda);
  const calendar = `/appointments?view=day&all=1&date=2032-03-01&agenda=${id}`;
  return { id, calendar, booking: { contact_id, resource_id: id, duration_minutes: 45 } };
}

/** Texts that the people of an account write, and what the account is told of. */
export const accountPlaces: TextPlace[] = [
  {
    name: "why an agenda is closed",
    payloads: xssPayloads,
    write: async (fixture, payloads) => {
      const { id, calendar } = await startBooking(fixture, "closed");
      for (const [index, reason] of pack(payloads).entries()) {
        const times = { start_time: onTheDay(30 * index), end_time: onTheDay(30 * index + 30) };
        await call(fixture, "POST", `/resources/${id}/closures`, { ...times, reason });
      }
      return [{ path: calendar }];
    },
  },
  {
    name: "titles of appointments on the calendar",
    payloads: xssPayloads,
    write: async (fixture, payloads) => {
      const { calendar, booking } = await startBooking(fixture, "titled");
      const made: number[] = [];
      for (const [index, title] of pack(payloads).entries()) {
        const one = { ...booking, title, start_time: onTheDay(60 * index) };
        made.push((await call(fixture, "POST", "/appointments", one)).id);
      }
      return [{ path: calendar }, { path: `${calendar}&appointment=${made[0]}&move=1` }];
    },
  },
  {
    name: "why an appointment was cancelled",
    payloads: few,
    write: async (fixture, payloads) => {
      const { calendar, booking } = await startBooking(fixture, "cancelled");
      const one = { ...booking, title: "Visit", start_time: onTheDay(600) };
      const { id } = await call(fixture, "POST", "/appointments", one);
      await call(fixture, "POST", `/appointments/${id}/cancel`, { reason: payloads.join(" ") });
      return [{ path: `${calendar}&appointment=${id}` }];
    },
  },
  {
    name: "agendas, services and booking links",
    payloads: xssPayloads,
    write: async (fixture, payloads) => {
      const slugs: string[] = [];
      for (const name of pack(payloads)) {
        const agenda = await call(fixture, "POST", "/resources", { name, weekly_hours: hours });
        const offered = { name, duration_minutes: 30, resource_ids: [agenda.id] };
        const service = await call(fixture, "POST", "/services", offered);
        const ids = { resource_id: agenda.id, service_id: service.id };
        slugs.push((await call(fixture, "POST", "/booking-links", { title: name, ...ids })).slug);
      }
      return [
        { path: "/appointments/setup" },
        { path: "/appointments/links" },
        { path: `/book/${slugs[0]}`, some: true },
      ];
    },
  },
  {
    name: "inbound endpoints",
    payloads: xssPayloads,
    write: async (fixture, payloads) => {
      const ids: number[] = [];
      for (const name of pack(payloads)) {
        ids.push((await call(fixture, "POST", "/inbound-endpoints", { name })).id);
      }
      return [{ path: "/inbound" }, { path: `/inbound/${ids[0]}`, some: true }];
    },
  },
  {
    name: "event ids of the calls that come in",
    // An event id has no blank.
    payloads: xssPayloads.filter((text) => !text.includes(" ")),
    write: async (fixture, payloads) => {
      const inbound = await createTestEndpoint(fixture, { account: fixture.account });
      for (const text of payloads) {
        await inbound.act(
          "contact.upsert",
          { phone: "34600000002" },
          { "x-service-event-id": text },
        );
      }
      return [{ path: `/inbound/${inbound.id}` }];
    },
  },
  {
    name: "what people are notified of",
    payloads: xssPayloads,
    write: async (fixture, payloads) => {
      for (const [index, name] of pack(payloads).entries()) {
        const about = { deliveryId: null, subscriptionId: null };
        const failed = { subscription_name: name, event_type: "contact.created", status_code: 500 };
        const groupKey = `told:${index}`;
        await asSystem(fixture.database.dataSource, fixture.account.accountId, (tx) =>
          recordNotification(tx, {
            kind: "delivery_discarded",
            params: failed,
            dedupeKey: groupKey,
            groupKey,
            ...about,
          }),
        );
      }
      return [{ path: "/notifications", more: "Next" }];
    },
  },
  {
    // The last: every page shows them from here on.
    name: "a person's own name, and the account's",
    payloads: few,
    write: async (fixture, payloads) => {
      const name = payloads.join(" ");
      await call(fixture, "PATCH", "/me", { name });
      await call(fixture, "PATCH", "/account", { name });
      return [
        { path: "/settings/account" },
        { path: "/settings/profile" },
        { path: "/settings/users", some: true },
        { path: "/system" },
      ];
    },
  },
];
