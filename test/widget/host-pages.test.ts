import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { expectFocus, keepApart } from "../support/browser.ts";
import { useFixture } from "../support/use-fixture.ts";
import {
  command,
  createKnownWidget,
  findPanel,
  holdCall,
  openPanel,
  startWidgetPages,
  write,
} from "./widget-pages-fixture.ts";

const fixture = useFixture(startWidgetPages);

/** The widget's element on the site, with the box that the visitor sees. */
async function launcherBox(page: Page): Promise<{ isAround: boolean }> {
  const isAround = await page.evaluate(
    `document.elementFromPoint(innerWidth - 45, innerHeight - 45)?.hasAttribute("data-parley") === true`,
  );
  return { isAround: isAround as boolean };
}

async function expectLauncher(page: Page): Promise<void> {
  await expect.poll(async () => await launcherBox(page)).toEqual({ isAround: true });
}

/** Clicks the launcher, which a closed shadow root hides from locators. */
async function clickLauncher(page: Page): Promise<void> {
  await expectLauncher(page);
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  await page.mouse.click(width - 45, height - 45);
}

/** The site's field has the focus, also once the panel has had time to take it. */
async function expectInSearch(page: Page): Promise<void> {
  await page.waitForTimeout(100);
  expect(await page.evaluate("document.activeElement.id")).toBe("search");
}

test("a site whose policy forbids everything but our script and frame has a whole chat", async () => {
  const origin = fixture.api.url;
  const policy = `default-src 'none'; script-src ${origin}; frame-src ${origin}; require-trusted-types-for 'script'; trusted-types 'none'`;
  const { page, faults } = await fixture.visit({
    host: { headers: { "content-security-policy": policy } },
  });
  await clickLauncher(page);
  const panel = await findPanel(page);
  await write(panel, "Do you ship to Lisbon?");
  expect(faults.filter((one) => !one.includes("404"))).toEqual([]);
});

test("a site's style reaches neither launcher nor panel", async () => {
  const { page } = await fixture.visit({
    host: { head: "<style>*{all:unset!important} div{display:none!important}</style>" },
  });
  await clickLauncher(page);
  const panel = await findPanel(page);
  await panel.getByRole("textbox").waitFor();
  const box = await (await panel.frameElement()).boundingBox();
  expect([box?.width, (box?.height ?? 0) > 500]).toEqual([392, true]);
});

test("patched prototypes do not break it", async () => {
  const patches = `<script>
    Array.prototype.toJSON = function () { return "broken"; };
    Object.prototype.extra = function () {};
    Array.prototype.last = function () { return this[this.length - 1]; };
    Element.prototype.remove = function () { throw new Error("no"); };
    window.fetch = function () { throw new Error("no"); };
    window.Promise.prototype.done = function () {};
    window.XMLHttpRequest = undefined;
  </script>`;
  const { page, faults } = await fixture.visit({ host: { head: patches } });
  keepApart(page);
  await clickLauncher(page);
  await write(await findPanel(page), "Hello");
  expect(faults.filter((one) => one.startsWith("threw"))).toEqual([]);
});

test("a site with cross-origin isolation shows it", async () => {
  const { page } = await fixture.visit({
    host: {
      headers: {
        "cross-origin-embedder-policy": "require-corp",
        "cross-origin-opener-policy": "same-origin",
      },
    },
  });
  expect(await page.evaluate("crossOriginIsolated")).toBe(true);
  await clickLauncher(page);
  await write(await findPanel(page), "Hello");
});

test("it stays when the site replaces its body, and works twice loaded", async () => {
  const { page, widget } = await fixture.visit();
  const panel = await openPanel(page);
  await write(panel, "First");
  await page.evaluate(`document.body.replaceWith(document.createElement("body"))`);
  await page.evaluate(
    `document.head.append(Object.assign(document.createElement("script"), { src: "${fixture.api.url}/widget/${widget.key}.js" }))`,
  );
  await write(panel, "Second");
  expect(await page.evaluate(`document.querySelectorAll("[data-parley]").length`)).toBe(1);
});

test("a site that is not on the list shows no panel", async () => {
  const { page } = await fixture.visit({ allowedOrigins: ["https://shop.example"] });
  await clickLauncher(page);
  await expect
    .poll(() => page.frames().map((frame) => frame.url()))
    .toContain("chrome-error://chromewebdata/");
});

test("calls before the script has loaded are kept, and wrong ones are refused", async () => {
  const stub = `<script>window.Parley=function(){var a=arguments;return new Promise(function(r,e){(Parley.q=Parley.q||[]).push([a,r,e])})};
    window.wrong = Parley("setTheme", "pink").then(function(){return "taken"}, function(e){return e.name});
    Parley("open");</script>`;
  const { page } = await fixture.visit({ host: { head: stub } });
  await (await findPanel(page)).getByRole("textbox").waitFor();
  expect(await page.evaluate("wrong")).toBe("TypeError");
  const refused = [
    ["identify", 7],
    ["setLocale", "xx"],
    ["setContact", { admin: "x" }],
    ["setContact", { name: "x".repeat(4_097) }],
    ["page", "javascript:alert(1)"],
    ["constructor"],
    ["on", "open", "no function"],
  ];
  for (const given of refused) await expect(command(page, ...given)).rejects.toThrow(/Parley|URL/u);
});

test("a window that becomes narrow or wide takes no focus from the site", async () => {
  const { page } = await fixture.visit({ host: { body: `<input id="search">` } });
  const panel = await openPanel(page);
  await expectFocus(panel.getByRole("textbox"));
  await page.locator("#search").focus();
  for (const [width, full] of [
    [600, 1],
    [1_000, 0],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await expect.poll(async () => await panel.locator(".panel.full").count()).toBe(full);
    await expectInSearch(page);
  }
});

test("a chat that begins late, and a login, take no focus from the site", async () => {
  const { widget, identityOf } = await createKnownWidget(fixture);
  const host = { body: `<input id="search">` };
  const { page } = await fixture.visit({ widget, host });
  const session = await holdCall(page, "**/widget/api/sessions", true);
  const panel = await openPanel(page);
  const field = panel.getByRole("textbox");
  await expectFocus(field);
  await session.isHeld;
  await page.locator("#search").focus();
  session.release();
  await expect.poll(async () => await panel.getByLabel("Attach").isEnabled()).toBe(true);
  await expectInSearch(page);
  await command(page, "identify", identityOf("ana", "Ana"));
  await write(panel, "I am Ana");
  await page.locator("#search").focus();
  await field.evaluate((it) => it.setAttribute("data-before", ""));
  await command(page, "identify", identityOf("luis", "Luis"));
  // The next person gets a new field.
  await expect.poll(async () => await panel.locator("[data-before]").count()).toBe(0);
  await field.waitFor();
  await expectInSearch(page);
});

test("a hello of the site, or of another frame of ours, gets no port", async () => {
  const { page, widget } = await fixture.visit();
  const panel = await openPanel(page);
  await page.evaluate(`
    addEventListener("message", ({ data, ports }) => { window.got = [data, ports.length]; });
    postMessage("parley:hello", "*");
    document.body.append(Object.assign(document.createElement("iframe"), {
      src: "${fixture.api.url}/widget/frame/${widget.key}",
    }));
  `);
  await expect.poll(async () => await page.evaluate("window.got")).toEqual(["parley:hello", 0]);
  // The forged answer comes from the parent, as the true one does, but it brings no port.
  await page.evaluate(`frames[0].postMessage({ kind: "parley:welcome", state: {} }, "*")`);
  await page.evaluate(`frames[0].postMessage({ kind: "parley:preview", config: null }, "*")`);
  await write(panel, "Still here");
});

test("opening and closing by the launcher, and Esc, move the focus", async () => {
  const { page } = await fixture.visit();
  await clickLauncher(page);
  const panel = await findPanel(page);
  const field = panel.getByRole("textbox");
  await expect.poll(async () => await field.evaluate((it) => it.matches(":focus"))).toBe(true);
  await page.keyboard.press("Escape");
  await expect
    .poll(async () => await page.evaluate(`document.activeElement?.hasAttribute("data-parley")`))
    .toBe(true);
  await expect.poll(async () => await (await panel.frameElement()).isVisible()).toBe(false);
  await page.keyboard.press("Enter");
  await expect.poll(async () => await (await panel.frameElement()).isVisible()).toBe(true);
});

test("on a phone it fills the window, and the site behind does not scroll", async () => {
  const { page } = await fixture.visit({
    host: { body: "<div style='height:4000px'>long</div>" },
    options: { width: 390, height: 844 },
  });
  await page.evaluate("scrollTo(0, 500)");
  const panel = await openPanel(page);
  const box = await (await panel.frameElement()).boundingBox();
  expect(box).toEqual({ x: 0, y: 0, width: 390, height: 844 });
  expect(await page.evaluate("getComputedStyle(document.documentElement).overflow")).toBe("hidden");
  await panel.getByRole("button", { name: "Close chat" }).click();
  await expect
    .poll(async () => await page.evaluate("getComputedStyle(document.documentElement).overflow"))
    .toBe("visible");
  expect(await page.evaluate("scrollY")).toBe(500);
});
