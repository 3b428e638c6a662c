import { beforeEach, expect, test } from "vitest";
import { bookVisit, moveVisit } from "../../../dev/stand-in/calendly-customer.ts";
import { releaseHooks } from "../../../dev/stand-in/calendly-webhooks.ts";
import type { CalendlyGuest } from "../../../dev/stand-in/calendly-world.ts";
import type { GoogleEventChange } from "../../../dev/stand-in/google-wire.ts";
import {
  adaCalendar,
  createReadingFixture,
  from,
  soon,
  type ReadingFixture,
} from "../../activities/calendar-reading-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startCalendlyServers, userUri, type CalendlyFixture } from "./calendly-fixture.ts";

const servers = useFixture(startCalendlyServers);
const world = () => servers.standIn.world;

beforeEach(() => {
  world().isHeld = false;
  world().waiting.length = 0;
});

/** The customer. */
const eva = { name: "Eva Ruiz", email: "eva@example.com" };

/** Calendly's copy of a booking of Eva in the Google calendar of the host. */
function copyAt(start: string, end: string): GoogleEventChange {
  const guests = [{ email: eva.email, displayName: eva.name }];
  return Object.assign({ summary: "Eva Ruiz and Lucía Peña", attendees: guests }, from(start, end));
}

interface LinkedFixture {
  calendly: CalendlyFixture;
  reading: ReadingFixture;
}

/** An agenda that is connected to Calendly, and kept on a Google calendar. */
async function linked(work: (fixture: LinkedFixture) => Promise<void>): Promise<void> {
  const calendly = await servers.connect();
  const reading = await createReadingFixture(servers.database, { known: calendly });
  try {
    await reading.readAll();
    await work({ calendly, reading });
  } finally {
    await reading.stop();
  }
}

/** A booking of Eva at 16:00 that both sides know. @returns the invitee and the id of its copy */
async function booked({ calendly, reading }: LinkedFixture) {
  const guest = await bookVisit(
    world(),
    Object.assign({ startTime: new Date(soon("16:00")) }, eva),
  );
  await calendly.work();
  const { id } = reading.google.insert(adaCalendar, copyAt("16:00", "16:30"));
  await reading.readAll();
  expect(await calendly.appointments()).toEqual(["confirmed 16:00"]);
  expect(await calendly.events()).toEqual(["appointment.created 16:00 calendly"]);
  return { guest, copyId: id };
}

/** Eva moves to 18:00. Webhooks wait. */
async function move(guest: CalendlyGuest, first: "created" | "canceled" = "canceled") {
  world().isHeld = true;
  await moveVisit(world(), guest.id, { startTime: new Date(soon("18:00")) }, first);
}

async function hear(calendly: CalendlyFixture): Promise<void> {
  await releaseHooks(world());
  await calendly.work();
  await calendly.work("pairs");
}

test.each(["created", "canceled"] as const)(
  "a move whose copy is read before Calendly's news keeps one appointment, with %s first",
  async (first) => {
    await linked(async ({ calendly, reading }) => {
      const { guest, copyId } = await booked({ calendly, reading });
      await move(guest, first);
      await reading.sql("DELETE FROM outbox WHERE account_id = ?", [calendly.account.accountId]);
      reading.google.insert(adaCalendar, copyAt("18:00", "18:30"));
      reading.google.remove(adaCalendar, copyId);
      await reading.readAll();
      expect(await calendly.appointments()).toEqual(["confirmed 16:00"]);
      expect(await reading.accountRequests()).toContain(
        `reconcile-calendly-${calendly.connectionId}`,
      );
      await hear(calendly);
      await reading.readAll();
      expect(await calendly.appointments()).toEqual(["confirmed 18:00"]);
      expect(await calendly.events()).toEqual(["appointment.rescheduled 18:00 calendly"]);
    });
  },
);

test.each(["created", "canceled"] as const)(
  "a move whose copy is read after Calendly's news keeps one appointment, with %s first",
  async (first) => {
    await linked(async ({ calendly, reading }) => {
      const { guest, copyId } = await booked({ calendly, reading });
      await move(guest, first);
      await hear(calendly);
      reading.google.remove(adaCalendar, copyId);
      reading.google.insert(adaCalendar, copyAt("18:00", "18:30"));
      await reading.readAll();
      expect(await calendly.appointments()).toEqual(["confirmed 18:00"]);
      expect(await calendly.events()).toEqual(["appointment.rescheduled 18:00 calendly"]);
    });
  },
);

test("a next copy that is read while the one before still stands leaves one appointment", async () => {
  await linked(async ({ calendly, reading }) => {
    const { guest, copyId } = await booked({ calendly, reading });
    await move(guest);
    const next = reading.google.insert(adaCalendar, copyAt("18:00", "18:30"));
    await reading.readAll();
    expect(await calendly.appointments()).toEqual(["confirmed 16:00", "confirmed 18:00"]);
    await hear(calendly);
    reading.google.remove(adaCalendar, copyId);
    await reading.readAll();
    expect(await calendly.appointments()).toEqual(["confirmed 18:00", "cancelled 18:00"]);
    expect(await calendly.events()).toEqual([
      "appointment.created 18:00 google",
      "appointment.cancelled 18:00 calendly",
      "appointment.rescheduled 18:00 calendly",
    ]);
    const rows = await reading.sql<{ event: string }>(
      `SELECT e.event_id AS event FROM calendar_events e JOIN appointments a ON a.id = e.appointment_id
        WHERE a.account_id = ? AND a.status = 'confirmed'`,
      [calendly.account.accountId],
    );
    expect(rows).toEqual([{ event: next.id }]);
    expect(reading.google.find(adaCalendar, next.id)?.status).toBe("confirmed");
  });
});

test("another visit of the same customer is an appointment of its own", async () => {
  await linked(async ({ calendly, reading }) => {
    await booked({ calendly, reading });
    reading.google.insert(adaCalendar, copyAt("20:00", "20:30"));
    await reading.readAll();
    expect(await calendly.appointments()).toEqual(["confirmed 16:00", "confirmed 20:00"]);
  });
});

test.each(["Google", "Calendly"])(
  "a booking whose copy is in the calendar of another host makes one appointment, with %s first",
  async (first) => {
    await linked(async ({ calendly, reading }) => {
      // The linked agenda is that of the second host.
      const other = await calendly.addResource();
      const users = [
        { uri: userUri("OWNER"), resource_id: other },
        { uri: userUri("MEMBER"), resource_id: calendly.resourceId },
      ];
      await calendly.call("PATCH", `/calendars/calendly/${calendly.connectionId}`, { users });
      const hostIds = ["OWNER", "MEMBER"];
      world().isHeld = first === "Google";
      const visit = { startTime: new Date(soon("16:00")), hostIds };
      await bookVisit(world(), Object.assign(visit, eva));
      await calendly.work();
      reading.google.insert(adaCalendar, copyAt("16:00", "16:30"));
      await reading.readAll();
      await hear(calendly);
      const kept = (await calendly.appointments()).filter((one) => one.startsWith("confirmed"));
      expect(kept).toEqual(["confirmed 16:00"]);
      expect(await reading.busy()).toEqual(["16:00-16:30"]);
    });
  },
);
