import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { at } from "../support/appointments.ts";
import { setUpOwnAgenda } from "../support/own-accounts.ts";
import { createNamespace, startTestWorker, type TestWorker } from "../support/worker.ts";

const own = setUpOwnAgenda();
const { open } = own;
let worker: TestWorker;
const day = "/appointments?view=day&date=2030-03-05";

beforeAll(async () => {
  worker = await startTestWorker(own.fixture.database, await createNamespace());
});

afterAll(async () => await worker.stop());

const block = (page: Page, name: string) => page.getByRole("link", { name: new RegExp(name) });

const columnOf = (page: Page, date: string) =>
  page.getByRole("region", { name: `Dr. Lucía Peña ${date}` });

/** Until the opening hours are drawn: they make a day longer, which moves its appointments. */
async function openingDrawn(column: Locator): Promise<void> {
  await column.locator('[class*="_open_"]').waitFor();
}

/** Drags Ana's appointment from 16:00 to 11:00, taken a quarter of an hour below its top. */
async function dragToEleven(page: Page): Promise<void> {
  const column = columnOf(page, "2030-03-05");
  await openingDrawn(column);
  await block(page, "16:00 Ana Torres").dragTo(column.locator('[class*="_body_"]'), {
    sourcePosition: { x: 20, y: 15 },
    targetPosition: { x: 60, y: 11 * 60 + 15 },
  });
}

test("Undo in the toast moves an appointment back the same way, and says where its time has gone", async () => {
  const { id } = await own.agenda.book();
  const page = await open(day);
  const toast = page.getByRole("alert").filter({ hasText: "Ana Torres is now at" });
  await block(page, "16:00 Ana Torres").waitFor();
  await dragToEleven(page);
  await toast.getByRole("button", { name: "Undo" }).click();
  await page.getByText(/Ana Torres is back at .*16:00/).waitFor();
  expect((await own.agenda.read(id)).startTime).toEqual(at("16:00"));
  await block(page, "16:00 Ana Torres").waitFor();
  await dragToEleven(page);
  await toast.waitFor();
  await own.agenda.book({ customer: { contact: { phone: "5215511112222", name: "Benito" } } });
  await toast.getByRole("button", { name: "Undo" }).click();
  const refused = page.getByRole("alert").filter({ hasText: "Ana Torres stays at" });
  await refused.getByText("Another appointment has this time.").waitFor();
  expect((await own.agenda.read(id)).startTime).toEqual(at("11:00"));
});

test("an appointment over midnight is dragged by its second day, from its start", async () => {
  const startTime = at("23:00");
  const { id } = await own.agenda.book({ startTime, durationMinutes: 120, outsideHours: true });
  const page = await open("/appointments?view=day&date=2030-03-06");
  const column = columnOf(page, "2030-03-06");
  const part = block(page, "23:00 Ana Torres");
  const ghost = column.locator('[class*="_free_"]');
  await openingDrawn(column);
  await part.hover({ position: { x: 20, y: 10 } });
  const box = await part.boundingBox();
  const [x, y] = [Number(box?.x) + 20, Number(box?.y) + 10];
  await page.mouse.down();
  // A move to the side begins the drag, as a browser takes few pixels for a click. The first step
  // above another element says only that it has been entered.
  await page.mouse.move(x + 20, y, { steps: 2 });
  await page.mouse.move(x, y + 4, { steps: 10 });
  await ghost.getByText("23:00").waitFor();
  await page.mouse.move(x, y + 30, { steps: 13 });
  await ghost.getByText("23:30").waitFor();
  await page.mouse.up();
  await page.getByText(/Ana Torres is now at .*23:30/).waitFor();
  expect((await own.agenda.read(id)).startTime).toEqual(at("23:30"));
});

test("Undo of a replacement replaces the new appointment, also from the form", async () => {
  const { id } = await own.agenda.book();
  const page = await open(`${day}&appointment=${id}&move=1`);
  const drawer = page.getByRole("dialog");
  await drawer.getByText("9:00", { exact: true }).click();
  await drawer.getByLabel("As a new appointment").click({ force: true });
  await drawer.getByRole("button", { name: "Move", exact: true }).click();
  await page.getByRole("alert").getByRole("button", { name: "Undo" }).click();
  await page.getByText(/Ana Torres is back at .*16:00/).waitFor();
  const next = await own.agenda.read(Number((await own.agenda.read(id)).replacedByAppointmentId));
  expect(next).toMatchObject({ status: "rescheduled", startTime: at("09:00") });
  const last = await own.agenda.read(Number(next.replacedByAppointmentId));
  expect(last).toMatchObject({ status: "confirmed", startTime: at("16:00") });
});
