import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import {
  bookExternal,
  type ExternalSource,
} from "../../core/services/appointments/external-appointments.ts";
import { putBusyBlocks } from "../../core/services/calendars/busy-blocks.ts";
import { asSystem } from "../support/accounts.ts";
import { at, createTestResource } from "../support/appointments.ts";
import { findBarriers } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
const day = "/appointments?view=day&date=2030-03-05";
let resourceId: number;

beforeAll(async () => {
  const { database, account } = fixture;
  resourceId = await createTestResource(database.dataSource, account.accountId);
  const own = { resource_id: resourceId, start_time: at("09:30"), duration_minutes: 30 };
  const contact = { name: "Bruno Díaz", phone: "+525512345670" };
  await fixture.call("POST", "/appointments", { ...own, contact });
  await book("Ana Torres", "google", "09:00", "10:00");
  await book("Carla Ruiz", "calendly", "12:00", "12:30");
  await book("Daniel Paz", "calendly", "12:00", "12:30");
});

async function book(name: string, source: ExternalSource, from: string, to: string): Promise<void> {
  const { database, account } = fixture;
  const email = `${name.slice(0, 3).toLowerCase()}@example.com`;
  await asSystem(database.dataSource, account.accountId, (tx) =>
    bookExternal(tx, {
      resourceId,
      serviceId: null,
      startTime: at(from),
      endTime: at(to),
      customer: { name, phone: null, email },
      title: null,
      googleEventId: null,
      source,
      syncCalendars: false,
    }),
  );
}

async function openDay(width: number): Promise<Page> {
  const { page, faults } = await fixture.open(day, { width, height: 844 });
  await page.getByText("Ana Torres", { exact: true }).first().waitFor();
  expect(await findBarriers(page)).toEqual([]);
  expect(faults).toEqual([]);
  return page;
}

test("a booking from Google over another one is shown: both say that they overlap, and where one is from", async () => {
  const page = await openDay(1280);
  const block = (name: string) => page.getByRole("link", { name });
  const titleOf = async (name: string) => await block(name).getAttribute("title");
  expect(await titleOf("Ana Torres")).toContain("Google Calendar, Overlaps");
  expect(await titleOf("Bruno Díaz")).toMatch(/Overlaps$/u);
  await block("Ana Torres").click();
  const drawer = page.getByRole("dialog");
  await drawer.getByText("Overlaps", { exact: true }).waitFor();
  await drawer.getByText("Google Calendar", { exact: true }).waitFor();
  await drawer.getByRole("link", { name: "9:30 Bruno Díaz" }).click();
  await drawer.getByRole("heading", { name: "Bruno Díaz" }).waitFor();
  await drawer.getByRole("link", { name: "9:00 Ana Torres" }).waitFor();
});

test("invitees of a group in Calendly do not overlap, and nobody drags them: only Calendly moves them", async () => {
  const page = await openDay(1280);
  const block = page.getByRole("link", { name: "Carla Ruiz" });
  expect(await block.getAttribute("title")).toMatch(/Calendly$/u);
  expect(await block.getAttribute("draggable")).toBe("false");
  expect(await page.getByRole("link", { name: "Ana Torres" }).getAttribute("draggable")).toBe(
    "true",
  );
});

test("a phone shows the same in its list", async () => {
  const page = await openDay(390);
  const row = page.getByRole("button", { name: "Ana Torres" });
  await row.getByText("Overlaps").waitFor();
  await row.getByText("Google Calendar").waitFor();
  const group = page.getByRole("button", { name: "Daniel Paz" });
  await group.getByText("Calendly").waitFor();
  expect(await group.getByText("Overlaps").count()).toBe(0);
});

test("a busy time of an external calendar is drawn, and no free time is offered there", async () => {
  const { database, account } = fixture;
  await asSystem(database.dataSource, account.accountId, (tx) =>
    putBusyBlocks(tx, [
      {
        resourceId,
        connectionId: 1,
        linkId: null,
        eventId: "lunch",
        startTime: at("14:00"),
        endTime: at("15:00"),
      },
    ]),
  );
  const page = await openDay(1280);
  const busy = page.getByTitle("Taken up by an event of an external calendar");
  await busy.getByText("Busy", { exact: true }).waitFor();
  await busy.hover();
  expect(await page.getByText("Click to book").count()).toBe(0);
  const phone = await openDay(390);
  await phone.getByText(/14:00–15:00 Busy/u).waitFor();
});
