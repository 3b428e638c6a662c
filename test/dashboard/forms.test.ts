import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";
import { fillAsInUse } from "./page-accounts.ts";

/** Rules of forms and confirmations that hold on every page. */
const fixture = useFixture(startDashboard);

beforeAll(async () => {
  await fillAsInUse(fixture);
});

/** Checks that the whole button is within the window, above the bar of a phone. */
async function isInSight(page: Page, name: string): Promise<boolean> {
  const box = await page.getByRole("button", { name, exact: true }).boundingBox();
  const bar = await page.locator("nav").last().boundingBox();
  const size = page.viewportSize();
  if (box === null || size === null) return false;
  const end = size.width < 768 ? (bar?.y ?? size.height) : size.height;
  return box.y >= 0 && box.y + box.height <= end;
}

test.each([1440, 390])(
  "at %s px the Save button of the settings stays in sight while something is changed",
  async (width) => {
    const { page } = await fixture.open("/settings/account", { width, height: 700 });
    const name = page.getByRole("textbox", { name: "Name", exact: true });
    const before = await name.inputValue();
    await name.fill(`${before} changed`);
    await expect.poll(async () => await isInSight(page, "Save")).toBe(true);
    await page.mouse.wheel(0, 400);
    expect(await isInSight(page, "Save")).toBe(true);
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    expect(await name.inputValue()).toBe(before);
    await page.evaluate("scrollTo(0, 0)");
    expect(await isInSight(page, "Save")).toBe(false);
  },
);

test.each(["/webhooks/1?tab=settings", "/inbound/1?tab=settings", "/contacts/1"])(
  "%s: the Save button stays in sight while something is changed",
  async (path) => {
    for (const width of [1440, 390]) {
      const { page } = await fixture.open(path, { width, height: 400 });
      const field = page.getByRole("textbox", { name: "Name", exact: true });
      const before = await field.inputValue();
      await field.fill(`${before}changed`);
      await page.getByRole("button", { name: "Save", exact: true }).waitFor();
      // Everything below the field is out of sight.
      await field.evaluate((it) => it.scrollIntoView({ block: "end" }));
      expect(await isInSight(page, "Save")).toBe(true);
      await page.getByRole("button", { name: "Cancel", exact: true }).click();
      await expect.poll(async () => await field.inputValue()).toBe(before);
    }
  },
);

test.each([1440, 390])("at %s px the bar to save covers no focused field", async (width) => {
  const { page } = await fixture.open("/settings/account", { width, height: 600 });
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Changed");
  const save = page.getByRole("button", { name: "Save", exact: true });
  await expect.poll(async () => await isInSight(page, "Save")).toBe(true);
  const covered: string[] = [];
  for (let field = 0; field < 12; field += 1) {
    await page.keyboard.press("Tab");
    const focused = page.locator(":focus");
    const [box, bar] = await Promise.all([focused.boundingBox(), save.boundingBox()]);
    const isField = await focused.evaluate((it) =>
      it.matches("input:not([type=checkbox]), textarea"),
    );
    if (isField && (box?.y ?? 0) + (box?.height ?? 0) > (bar?.y ?? 0))
      covered.push(await focused.evaluate((it) => it.outerHTML));
  }
  expect(covered).toEqual([]);
});

test("a refused form says why beside an icon, and help stands below its field", async () => {
  const { page } = await fixture.open("/contacts?new=1");
  const dialog = page.getByRole("dialog", { name: "New contact" });
  await dialog.getByRole("button", { name: "Save" }).click();
  const alert = dialog.getByRole("alert");
  await alert.getByText("Give a phone, an email or both.").waitFor();
  expect(await alert.locator("svg").count()).toBe(1);

  const { page: settings } = await fixture.open("/settings/account");
  const field = settings.getByRole("textbox", { name: "Name", exact: true });
  const [label, help] = [
    settings.getByText("Name", { exact: true }).first(),
    await field.getAttribute("aria-describedby"),
  ];
  const boxes = await Promise.all(
    [label, field, settings.locator(`[id="${help?.split(" ")[0]}"]`)].map((one) =>
      one.boundingBox(),
    ),
  );
  const tops = boxes.map((box) => box?.y ?? 0);
  expect(tops).toEqual(tops.toSorted((one, other) => one - other));
});

test.each([
  ["/appointments/setup", /^Actions for/, "Delete", /^Delete .*\?$/, "Delete"],
  ["/appointments/links", "Actions for Book a visit", "Delete", "Delete Book a visit?", "Delete"],
  ["/api-keys", /^Actions for/, "Revoke", /^Revoke .*\?$/, "Revoke"],
  ["/webhooks/1", /^Actions for/, "Delete", /^Delete .*\?$/, "Delete"],
  ["/inbound/1", /^Actions for/, "Delete", /^Delete .*\?$/, "Delete"],
  [
    "/settings/users",
    /^Actions for .*@/,
    "Withdraw",
    /^Withdraw the invitation of .*\?$/,
    "Withdraw",
  ],
])(
  "%s: a deletion sits in a menu, and its dialog names the act",
  async (path, menu, item, title, act) => {
    const { page } = await fixture.open(path);
    await page.getByRole("button", { name: menu }).first().click();
    await page.getByRole("menuitem", { name: item, exact: true }).click();
    const dialog = page.getByRole("dialog", { name: title });
    await dialog.getByRole("button", { name: act, exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Keep it" }).click();
    await expect.poll(async () => await dialog.count()).toBe(0);
  },
);

test("no page has a date field of the browser, which would follow the browser's language", async () => {
  const paths = [
    "/appointments?date=2030-03-05&all=1",
    "/appointments?view=day&date=2030-03-05&appointment=1&move=1",
    "/webhooks/1?replay=new",
    "/appointments/setup",
  ];
  for (const path of paths) {
    const { page } = await fixture.open(path);
    await page.waitForLoadState("networkidle");
    const native = page.locator(
      "input:is([type=date], [type=time], [type=datetime-local], [type=month], [type=week])",
    );
    expect([path, await native.count()]).toEqual([path, 0]);
  }
});
