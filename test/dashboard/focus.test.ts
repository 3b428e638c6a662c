import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { at, openFrom } from "../support/appointments.ts";
import { expectFocus, expectFocusIn } from "../support/browser.ts";
import { setUpOwnAgenda } from "../support/own-accounts.ts";

/** Whoever works by keyboard goes on from where they were: what they press does not go from under them. */
const own = setUpOwnAgenda();
const { call, open } = own;

/** Presses a key while the answer to it is held back, and again; the focus stays, and one call went. */
async function pressTwice(page: Page, on: Locator, key: string): Promise<void> {
  let sent = 0;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const changes = (url: URL): boolean => url.pathname.startsWith("/dashboard/api/");
  await page.route(changes, async (route) => {
    if (route.request().method() === "GET") return await route.fallback();
    sent += 1;
    await held;
    await route.continue();
  });
  await on.press(key);
  await expect.poll(async () => await on.getAttribute("aria-busy")).toBe("true");
  await page.keyboard.press(key);
  await expectFocus(on);
  release();
  await expect.poll(async () => await on.getAttribute("aria-busy")).toBe("false");
  await expectFocus(on);
  expect(sent).toBe(1);
  await page.unroute(changes);
}

test("an appointment is kept, moved or not, and cancelled with a reason, by keyboard alone", async () => {
  await call("PATCH", `/resources/${own.agenda.resourceId}`, {
    weekly_hours: openFrom("08:00", "18:00"),
  });
  const { id } = await own.agenda.book();
  const page = await open(`/appointments?view=day&date=2030-03-05&appointment=${id}`);
  const drawer = page.getByRole("dialog");
  const actions = drawer.getByRole("group", { name: "Actions" });
  await expectFocusIn(drawer);
  await drawer.getByRole("button", { name: "Cancel…" }).press("Enter");
  await expectFocus(drawer.getByLabel("Reason"));
  await page.keyboard.press("Tab");
  await expectFocus(drawer.getByRole("button", { name: "Keep it" }));
  await page.keyboard.press("Enter");
  await expectFocus(actions);
  await page.keyboard.press("Tab");
  await expectFocus(drawer.getByRole("button", { name: "Move…" }));
  await page.keyboard.press("Enter");
  await expectFocus(drawer.getByRole("heading", { name: "Move to another time" }));
  await drawer.getByRole("button", { name: "Cancel", exact: true }).press("Enter");
  await expectFocus(actions);

  await drawer.getByRole("button", { name: "Cancel…" }).press("Enter");
  await page.keyboard.type("Ill");
  await page.keyboard.press("Enter");
  await drawer.getByText("Cancelled: Ill").waitFor();
  expect(await own.agenda.read(id)).toMatchObject({ status: "cancelled", cancelReason: "Ill" });
  await expectFocus(actions);
  await page.keyboard.press("Tab");
  await pressAndFollow(page, drawer.getByRole("button", { name: "Confirm again" }));
  await expectFocus(actions);
  expect(await own.agenda.read(id)).toMatchObject({ status: "confirmed", startTime: at("16:00") });
});

/** What is done goes, and what can be done next comes. */
async function pressAndFollow(page: Page, button: Locator): Promise<void> {
  await expectFocus(button);
  await page.keyboard.press("Enter");
  await button.waitFor({ state: "detached" });
}

test("a booking link is switched off once, and its switch keeps the focus", async () => {
  await call("POST", "/booking-links", { title: "Visit", resource_id: own.agenda.resourceId });
  const links = await open("/appointments/links");
  await pressTwice(links, links.getByRole("switch", { name: "Visit is in use" }), "Space");
  expect((await call("GET", "/booking-links"))[0].enabled).toBe(false);
});

test("a pipeline's stage is moved to the top by one key, which keeps the focus all the way", async () => {
  await call("POST", "/pipelines", { name: "Sales", stages: ["New", "Warm", "Won"] });
  const board = await open("/pipelines");
  await board.getByRole("button", { name: "Pipeline settings" }).click();
  const dialog = board.getByRole("dialog");
  await expectFocusIn(dialog);
  const standard = dialog.getByRole("switch", { name: "New conversations enter its first stage" });
  await pressTwice(board, standard, "Space");
  await pressTwice(board, dialog.getByRole("button", { name: "Move Won up" }), "Enter");
  // To the top, where there is no way on.
  await pressTwice(board, dialog.getByRole("button", { name: "Move Won up" }), "Enter");
  const [pipeline] = await call("GET", "/pipelines");
  expect(pipeline.stages.map(({ name }: { name: string }) => name)).toEqual(["Won", "New", "Warm"]);
  expect(pipeline.default).toBe(true);
});

test("where a name is saved or a stage deleted the keyboard goes on from there", async () => {
  await call("POST", "/pipelines", { name: "Sales", stages: ["New", "Warm", "Won"] });
  const board = await open("/pipelines");
  await board.getByRole("button", { name: "Pipeline settings" }).click();
  const dialog = board.getByRole("dialog").first();
  await expectFocusIn(dialog);
  const names = async () =>
    (await call("GET", "/pipelines"))[0].stages.map(({ name }: { name: string }) => name);
  await dialog.getByRole("textbox", { name: "Name of the stage Warm" }).fill("Hot");
  await dialog.getByRole("button", { name: "Save" }).press("Enter");
  const renamed = dialog.getByRole("textbox", { name: "Name of the stage Hot" });
  await expectFocus(renamed);
  expect(await renamed.inputValue()).toBe("Hot");
  await dialog.getByRole("button", { name: "Actions for New" }).press("Enter");
  await expectFocus(board.getByRole("menuitem", { name: "Delete New" }));
  await board.keyboard.press("Enter");
  const question = board.getByRole("dialog", { name: "Delete New?" });
  await expectFocusIn(question);
  await question.getByRole("button", { name: "Delete", exact: true }).press("Enter");
  await question.waitFor({ state: "detached" });
  await expectFocus(dialog.getByRole("heading", { name: "Stages" }));
  expect(await names()).toEqual(["Hot", "Won"]);
});

test("a name that somebody else changes follows, and what is being typed in its place stays", async () => {
  const { id } = await call("POST", "/pipelines", { name: "Sales", stages: ["New", "Won"] });
  const board = await open("/pipelines");
  await board.getByRole("button", { name: "Pipeline settings" }).click();
  const dialog = board.getByRole("dialog");
  const name = dialog.getByRole("textbox", { name: "Name of the pipeline" });
  const rename = async (text: string) => await call("PATCH", `/pipelines/${id}`, { name: text });
  await rename("Deals");
  await expect.poll(async () => await name.inputValue()).toBe("Deals");
  await name.fill("My deals");
  await rename("Business");
  await dialog.getByRole("heading", { name: "Business" }).waitFor();
  expect(await name.inputValue()).toBe("My deals");
});

test("the last page of a list and the last kept filter leave the keyboard where it was", async () => {
  for (let n = 0; n < 60; n += 1) {
    await call("POST", "/contacts", { email: `person-${n}@example.com`, name: `Person ${n}` });
  }
  await call("POST", "/me/contact-filters", { name: "Ones", search: "1" });
  const page = await open("/contacts");
  const next = page.getByRole("button", { name: "Next" });
  await next.press("Enter");
  await expect.poll(async () => await next.getAttribute("aria-disabled")).toBe("true");
  await expectFocus(next);
  const { href } = new URL(page.url());
  await page.keyboard.press("Enter");
  expect(page.url()).toBe(href);
  await page.goto(`${own.fixture.api.url}/contacts?search=1`);
  const forget = page.getByRole("button", { name: "Forget the filter Ones" });
  await forget.waitFor();
  // A page that opens takes no focus.
  expect(await page.locator("body:focus, body:not(:has(:focus))").count()).toBe(1);
  await forget.press("Enter");
  await expectFocus(page.getByRole("group", { name: "Saved filters" }));
  expect(await call("GET", "/me/contact-filters")).toEqual([]);
});

test("Save is pressed once and keeps the keyboard, which goes on from the form where Save goes", async () => {
  const { id } = await call("POST", "/contacts", { email: "ana@example.com" });
  const page = await open("/settings/profile");
  await page.getByRole("textbox", { name: "Name" }).fill("Admin A");
  await pressTwice(page, page.getByRole("button", { name: "Save", exact: true }), "Enter");
  await page.goto(`${own.fixture.api.url}/contacts/${id}`);
  const form = page.getByRole("main").locator("form").filter({ hasText: "Phone" });
  await form.getByRole("textbox", { name: "Name" }).fill("Ana");
  await form.getByRole("button", { name: "Save" }).press("Enter");
  await page.getByRole("heading", { name: "Ana", level: 1 }).waitFor();
  await expectFocus(form);
  expect((await call("GET", `/contacts/${id}`)).name).toBe("Ana");
});

test("the minutes of a booking are cleared and typed anew, and booked as typed", async () => {
  const page = await open("/appointments?view=day&date=2030-03-05");
  const add = page.getByRole("button", { name: "New appointment" });
  await add.click();
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("button", { name: "A new customer" }).click();
  await drawer.getByLabel("Name").fill("Carla");
  await drawer.getByLabel("Phone").fill("+52 1 55 3333 4444");
  const minutes = drawer.getByLabel("Minutes");
  await minutes.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  expect(await minutes.inputValue()).toBe("");
  await page.keyboard.type("45");
  expect(await minutes.inputValue()).toBe("45");
  await drawer.getByLabel("Date", { exact: true }).fill("05/03/2030");
  await drawer.getByText("10:30", { exact: true }).click();
  await drawer.getByRole("button", { name: "Book", exact: true }).click();
  await page.getByText("Booked for").waitFor();
  await expectFocus(add);
  expect(await call("GET", "/appointments?from=2030-03-05T00:00:00Z&limit=5")).toMatchObject([
    { start_time: at("10:30").toISOString(), end_time: at("11:15").toISOString() },
  ]);
});
