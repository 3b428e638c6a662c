import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { styleOf } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";
import { fillAsInUse } from "./page-accounts.ts";
import { oddSizes } from "./type-sizes.ts";

/** A phone: each target takes 44 px, each field has letters of 16 px, and type has six sizes. */
const fixture = useFixture(startDashboard);

beforeAll(async () => {
  await fillAsInUse(fixture);
});

/**
 * Targets under 44 px and fields under 16 px, by their words. A link inside a sentence is exempt, as
 * WCAG 2.5.8 says. A target may be wider than its box, so the points around its middle are asked.
 */
const findSmall = `(() => {
  const least = 44;
  const targets = "a[href], button, input:not([type=hidden]), select, textarea, [role=button], [role=tab], [role=menuitem], [role=option]";
  const small = [];
  const isShown = (on) => on.checkVisibility({ visibilityProperty: true }) && on.parentElement.checkVisibility({ opacityProperty: true }) && on.closest("[aria-hidden=true], [inert]") === null;
  const isInSentence = (on) =>
    getComputedStyle(on).display.startsWith("inline") &&
    !getComputedStyle(on).display.includes("flex") &&
    /\\w/.test(on.parentElement.textContent.replace(on.textContent, ""));
  const nameOf = (on) => (on.getAttribute("aria-label") ?? on.innerText ?? on.title ?? "").trim().slice(0, 60) || on.outerHTML.slice(0, 160);
  const halfOf = (on, parts) => {
    // The hidden input of a switch has no size; its label is the target.
    const [shown] = parts.map((one) => one.getBoundingClientRect()).filter(({ width, height }) => width > 2 && height > 2);
    return shown;
  };
  // An open dialog covers the page.
  const place = [...document.querySelectorAll("[role=dialog]")].at(-1) ?? document;
  for (const on of place.querySelectorAll(targets)) {
    if (on.disabled || !isShown(on) || isInSentence(on)) continue;
    const around = on.closest("label");
    const parts = [on, ...(on.labels ?? []), ...(around === null ? [] : [around])];
    const shown = parts.map((one) => one.getBoundingClientRect()).filter(({ width, height }) => width > 2 && height > 2);
    if (shown.length === 0) continue;
    if (on.matches("input:not([type=checkbox], [type=radio]), select, textarea") && parseFloat(getComputedStyle(on).fontSize) < 16) {
      small.push("letters of " + nameOf(on));
    }
    if (shown.some(({ width, height }) => width >= least - 0.5 && height >= least - 0.5)) continue;
    on.scrollIntoView({ block: "center", inline: "center" });
    const box = halfOf(on, parts);
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const reach = least / 2 - 1;
    const hits = [[0, -reach], [0, reach], [-reach, 0], [reach, 0]].map(([x, y]) => {
      const left = Math.min(Math.max(middle.x + x, 0), innerWidth - 1);
      return document.elementFromPoint(left, middle.y + y);
    });
    const missed = hits.filter((hit) => !parts.some((one) => one.contains(hit)));
    if (missed.length > 0) {
      const around = missed.map((hit) => hit?.outerHTML.slice(0, 80) ?? "nothing").join(", ");
      small.push(Math.round(box.width) + " x " + Math.round(box.height) + ": " + nameOf(on) + ", beside " + around);
    }
  }
  return small;
})()`;

async function smallTargets(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(findSmall);
}

async function open(path: string): Promise<Page> {
  const { page } = await fixture.open(path, { width: 390, height: 844 });
  await page
    .getByRole("heading", { level: 1, includeHidden: true })
    .first()
    .waitFor({ state: "attached" });
  await page.waitForLoadState("networkidle");
  return page;
}

test.each([
  "/inbox",
  "/inbox/1?view=all",
  "/contacts",
  "/contacts/1",
  "/contacts?new=1",
  "/pipelines",
  "/appointments?date=2030-03-05&all=1",
  "/appointments/links",
  "/appointments/setup",
  "/agent",
  "/agent/setup",
  "/agent/knowledge",
  "/agent/playground",
  "/agent/cases",
  "/agent/cases?case=1",
  "/agent/turns",
  "/agent/turns?turn=1",
  "/agent/usage",
  "/agent/quality",
  "/channels",
  "/channels/connect",
  "/channels/connect?driver=whatsapp_cloud&step=app",
  "/channels/connect?channel=901",
  "/channels/900",
  "/channels/900?tab=parked",
  "/channels/900?tab=app",
  "/webhooks",
  "/webhooks/1",
  "/webhooks/1?delivery=1",
  "/webhooks/1?tab=events",
  "/webhooks/1?tab=verification",
  "/webhooks/1?tab=settings",
  "/inbound",
  "/inbound/1",
  "/inbound/1?tab=try",
  "/inbound/1?tab=code",
  "/inbound/1?tab=settings",
  "/api-keys",
  "/api-keys?new=1",
  "/notifications",
  "/settings/account",
  "/settings/users",
  "/settings/profile",
  "/system",
])(
  "%s has targets of 44 px, fields of 16 px and the six sizes of type on a phone",
  async (path) => {
    const page = await open(path);
    expect(await oddSizes(page)).toEqual([]);
    expect(await smallTargets(page)).toEqual([]);
  },
);

test("a link inside a message stays in its line", async () => {
  const text = "The price list is at https://example.com/prices and holds until May";
  const body = { channel: "web", from: "link-reader", name: "Link Reader", text };
  const { json } = await fixture.call("POST", "/sandbox/messages", body);
  const page = await open(`/inbox/${json.data.conversation_id}?view=all`);
  const link = page.getByRole("log").getByRole("link", { name: "https://example.com/prices" });
  expect(await styleOf(link, "display")).toBe("inline");
});

test("a row's actions stand beside its title, not above it", async () => {
  await fixture.call("POST", "/canned-answers", {
    shortcut: "map",
    text: "Reforma 222",
    shared: true,
  });
  const page = await open("/settings/account");
  const title = await page.getByRole("button", { name: "/map", exact: true }).boundingBox();
  const actions = await page.getByRole("button", { name: "Actions for /map" }).boundingBox();
  const middleOf = (box: typeof title) => (box?.y ?? Number.NaN) + (box?.height ?? 0) / 2;
  expect(Math.abs(middleOf(title) - middleOf(actions))).toBeLessThan(22);
});
