import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { setUpOwnAgenda } from "../support/own-accounts.ts";

const own = setUpOwnAgenda();

/** Opens the drawer of an appointment and holds calls to one of its paths. */
async function openHeld(action: "cancel" | "reschedule"): Promise<{ page: Page; held: Route[] }> {
  const { id } = await own.agenda.book();
  const form = action === "reschedule" ? "&move=1" : "";
  const page = await own.open(`/appointments?view=day&date=2030-03-05&appointment=${id}${form}`);
  const held: Route[] = [];
  await page.route(`**/appointments/${id}/${action}`, (route) => void held.push(route));
  return { page, held };
}

/** Closes the drawer while a call is under way. */
async function closeDrawer(page: Page, held: Route[]): Promise<void> {
  await expect.poll(() => held.length).toBe(1);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

/** Chooses nine o'clock in the form and presses Move. */
async function moveToNine(page: Page): Promise<void> {
  const drawer = page.getByRole("dialog");
  await drawer.getByText("9:00", { exact: true }).click();
  await drawer.getByRole("button", { name: "Move", exact: true }).click();
}

test("a cancellation that fails after its drawer was closed is told", async () => {
  const { page, held } = await openHeld("cancel");
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("button", { name: "Cancel…" }).click();
  await drawer.getByRole("button", { name: "Cancel the appointment" }).click();
  await closeDrawer(page, held);
  await held[0]?.abort();
  await page.getByText("The server did not answer.").waitFor();
  expect(await page.getByText("The appointment stays as before").count()).toBe(1);
});

test("a move that is refused after its drawer was closed is told, with a way to other times", async () => {
  const { page, held } = await openHeld("reschedule");
  await moveToNine(page);
  await closeDrawer(page, held);
  await held[0]?.abort();
  const told = page.getByRole("alert").filter({ hasText: "Ana Torres stays at" });
  await told.getByText("The server did not answer.").waitFor();
  expect(await told.getByRole("button", { name: "Choose another time" }).count()).toBe(1);
});

test("a refused move is told by the form alone while the form is open", async () => {
  const { page, held } = await openHeld("reschedule");
  await moveToNine(page);
  await expect.poll(() => held.length).toBe(1);
  await held[0]?.abort();
  await page.getByRole("dialog").getByText("The server did not answer.").waitFor();
  expect(await page.getByText("Ana Torres stays at").count()).toBe(0);
});

/** Books ten o'clock for a new customer, and holds the call. */
async function bookHeld(): Promise<{ page: Page; held: Route[] }> {
  const page = await own.open("/appointments?view=day&date=2030-03-05");
  const held: Route[] = [];
  await page.route("**/dashboard/api/appointments", (route) => void held.push(route));
  await page.getByRole("button", { name: "New appointment" }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("button", { name: "A new customer" }).click();
  await drawer.getByLabel("Name").fill("Carla");
  await drawer.getByLabel("Phone").fill("+52 1 55 3333 4444");
  await drawer.getByText("10:00", { exact: true }).click();
  await drawer.getByRole("button", { name: "Book", exact: true }).click();
  return { page, held };
}

test("a booking that is refused after its drawer was closed is told", async () => {
  const { page, held } = await bookHeld();
  await closeDrawer(page, held);
  await held[0]?.abort();
  const told = page.getByRole("alert").filter({ hasText: /Not booked for .*10:00/ });
  await told.getByText("The server did not answer.").waitFor();
  expect(await told.count()).toBe(1);
});

test("a booking that arrives after its drawer was closed is told, and a newer drawer stays open", async () => {
  const { page, held } = await bookHeld();
  await closeDrawer(page, held);
  await page.getByRole("button", { name: "New appointment" }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByLabel("Date", { exact: true }).waitFor();
  await held[0]?.continue();
  await page.getByText(/Booked for .*10:00/).waitFor();
  await page.getByRole("link", { name: /Carla/ }).waitFor();
  expect(await drawer.count()).toBe(1);
});

test("a refused booking is told by the form alone while the form is open", async () => {
  const { page, held } = await bookHeld();
  await expect.poll(() => held.length).toBe(1);
  await held[0]?.abort();
  await page.getByRole("dialog").getByText("The server did not answer.").waitFor();
  expect(await page.getByText("Not booked for").count()).toBe(0);
});
