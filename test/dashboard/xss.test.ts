import type { Page } from "playwright-core";
import { beforeAll, beforeEach, expect, test } from "vitest";
import type { TestPage } from "../support/browser.ts";
import { openFrom } from "../support/appointments.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { readAndPress, shownText, watchScripts, witness } from "./script-witness.ts";
import { accountPlaces } from "./xss-account-places.ts";
import { textPlaces, type ShowingPage } from "./xss-places.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
let opened: TestPage;

beforeAll(async () => {
  // High enough for every row of a list that draws but those in view.
  opened = await fixture.open("/contacts", { width: 1440, height: 8_000, kept: true });
  // The test reads texts alone, and at this scale a page is drawn in a sixteenth of the time.
  const session = await opened.page.context().newCDPSession(opened.page);
  const metrics = { width: 1440, height: 8_000, deviceScaleFactor: 0.25, mobile: false };
  await session.send("Emulation.setDeviceMetricsOverride", metrics);
  await watchScripts(opened.page);
});

beforeEach(() => void opened.faults.splice(0));

const clean = { faults: [], markup: [] };

test.each([...textPlaces, ...accountPlaces])(
  "$name: texts that look like markup are shown as they were written, and none runs",
  async ({ payloads, write }) => {
    const { page, faults } = opened;
    for (const showing of await write(fixture, payloads)) {
      const text = await readAll(page, showing);
      const shown = payloads.filter((payload) => text.includes(payload));
      const expected = showing.some === true && shown.length > 0 ? shown : payloads;
      expect([showing.path, shown]).toEqual([showing.path, expected]);
      expect([showing.path, await witness(page)]).toEqual([showing.path, clean]);
    }
    expect(faults).toEqual([]);
  },
  120_000,
);

/** All that a page shows, also behind the button that shows more of it. */
async function readAll(page: Page, { path, more, folded }: ShowingPage): Promise<string> {
  await page.goto(fixture.api.url + path);
  await settle(page);
  if (folded !== undefined) await unfold(page, folded);
  const buttons = page.getByRole("button", { name: more ?? "no such button" });
  let all = "";
  for (;;) {
    const { text, isPressed, isBusy } = await readAndPress(buttons);
    if (isBusy) {
      await settle(page);
      continue;
    }
    all += text;
    if (!isPressed) return all;
    await expect.poll(async () => await shownText(page)).not.toBe(text);
    await settle(page);
  }
}

async function unfold(page: Page, name: RegExp): Promise<void> {
  const buttons = page.getByRole("button", { name, expanded: false });
  await buttons.first().waitFor();
  // All at once: each click draws a page of this height anew.
  await buttons.evaluateAll((all) => {
    for (const one of all) (one as unknown as { click: () => void }).click();
  });
  await expect.poll(async () => await buttons.count()).toBe(0);
}

/** Until nothing loads any more. */
async function settle(page: Page): Promise<void> {
  // A fresh delivery is looked at often for its first 15 s.
  await page.waitForLoadState("networkidle", { timeout: 40_000 });
  const loading = page.getByRole("status", { name: "Loading" });
  await expect.poll(async () => await loading.count()).toBe(0);
}

/** An element behind the end of an attribute, with a template; a handler within an attribute; an address. */
const typed = [
  '"><img src=x onerror=alert(1)>$t(common.save)',
  '" autofocus onfocus=alert(1) x="',
  "javascript:alert(1)",
];

test.each(typed)("%s typed into the forms of the Dashboard stays text", async (payload) => {
  const { page, faults } = opened;
  await page.setViewportSize({ width: 1440, height: 900 });
  const from = `typist-${typed.indexOf(payload)}`;
  const body = { channel: "web", from, name: "Ana", text: "Hello" };
  const { conversation_id, contact_id } = (await fixture.call("POST", "/sandbox/messages", body))
    .json.data;
  await page.goto(`${fixture.api.url}/inbox/${conversation_id}?view=all`);
  const thread = page.getByRole("log", { name: "Messages" });
  await thread.getByText("Hello").waitFor();
  await page.getByRole("textbox", { name: "Reply" }).fill(payload);
  await page.getByRole("textbox", { name: "Reply" }).press("Enter");
  await thread.getByText(payload).first().waitFor();
  await page.getByText("Note", { exact: true }).click();
  await page.getByRole("textbox", { name: "Note" }).fill(`${payload} noted`);
  await page.getByRole("textbox", { name: "Note" }).press("Enter");
  await thread.getByText(`${payload} noted`).waitFor();
  expect(await witness(page)).toEqual(clean);

  await page.goto(`${fixture.api.url}/contacts/${contact_id}`);
  const main = page.getByRole("main");
  await main.getByRole("textbox", { name: "Name" }).fill(payload);
  await main.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: payload, level: 1 }).waitFor();
  await main.getByLabel("Tags").fill(payload);
  await main.getByLabel("Tags").press("Enter");
  const read = async () => (await fixture.call("GET", `/contacts/${contact_id}`)).json.data;
  await expect.poll(read).toMatchObject({ name: payload, tags: [payload] });
  await page.getByRole("button", { name: `Actions for ${payload}` }).click();
  await page.getByRole("menuitem", { name: "Merge into another contact" }).click();
  await page.getByRole("dialog", { name: `Merge ${payload} into another contact` }).waitFor();
  expect(await witness(page)).toEqual(clean);
  await page.keyboard.press("Escape");

  await page.keyboard.press("Control+k");
  await page.getByRole("textbox", { name: "Search or jump to…" }).fill(payload);
  await page.getByRole("dialog").getByRole("button", { name: payload }).first().waitFor();
  expect(await witness(page)).toEqual(clean);
  expect(faults).toEqual([]);
});

test.each(typed)(
  "%s on a booking page stays text, also where a customer types it",
  async (payload) => {
    const { page, faults } = opened;
    const call = async (path: string, body: object) =>
      (await fixture.call("POST", path, body)).json.data;
    const weekly_hours = openFrom("00:00", "24:00");
    const resource = await call("/resources", { name: `${payload} agenda`, weekly_hours });
    const service = await call("/services", {
      name: `${payload} service`,
      duration_minutes: 30,
      resource_ids: [resource.id],
    });
    const offered = { title: payload, resource_id: resource.id, service_id: service.id };
    const { url } = await call("/booking-links", offered);
    await page.goto(fixture.api.url + new URL(url).pathname);
    expect(await shownText(page)).toContain(payload);
    await page.locator('a[href*="slot="]').first().click();
    await page.getByRole("textbox", { name: "Name" }).fill(payload);
    await page.getByRole("textbox", { name: /Phone/ }).fill(payload);
    await page.getByRole("button", { name: "Book" }).click();
    await page.getByText("Use 8 to 15 digits with the country code.").waitFor();
    expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe(payload);
    expect(await witness(page)).toEqual(clean);
    await page
      .getByRole("textbox", { name: /Phone/ })
      .fill(`3460000${100 + typed.indexOf(payload)}0`);
    await page.getByRole("button", { name: "Book" }).click();
    await page.getByRole("heading", { name: "You are booked" }).waitFor();
    expect(await shownText(page)).toContain(`${payload} service`);
    expect(await witness(page)).toEqual(clean);
    const [contact] = (await fixture.call("GET", "/contacts?limit=1")).json.data;
    expect(contact.name).toBe(payload);
    // The form that was refused.
    expect(faults.filter((fault) => !fault.includes("400"))).toEqual([]);
  },
);

test.each(["javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "JaVaScRiPt://x"])(
  "%s is no address to send events to",
  async (url) => {
    const answer = await fixture.call("POST", "/subscriptions", { url, events: ["*"] });
    expect([answer.status, answer.json.error.code]).toEqual([400, "validation_error"]);
  },
);
