import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import type axe from "axe-core";
import {
  chromium,
  type Browser,
  type BrowserContext,
  type Locator,
  type Page,
} from "playwright-core";
import { expect, inject, onTestFinished } from "vitest";

/** The Chromium of this process, as one test file drives it. */
export interface TestBrowser {
  /**
   * A page of its own: no cookie, storage, history or listener of another. It is emptied after its test,
   * since one that is left open goes on working; `kept` is for the whole file.
   */
  openPage(options?: PageOptions, kept?: boolean): Promise<TestPage>;
  /** Closes the pages of the whole file. */
  stop(): Promise<void>;
}

/** How people look at a page. */
export interface PageOptions {
  width?: number;
  height?: number;
  theme?: "light" | "dark";
  locale?: string;
  /** Of the browser; the machine's own without one. */
  timeZone?: string;
  /** `Cookie` header of a login, set for `url`. */
  cookie?: { url: string; header: string };
}

/** A page, and what must not happen on it. */
export interface TestPage {
  page: Page;
  /** Messages of level error in the console, scripts that threw, requests to any other host. */
  faults: string[];
}

/**
 * Chromium as root needs no sandbox; it asks nobody for updates, and speaks HTTP over TCP alone. A page
 * lives for seconds, in which optimized code costs more than it saves.
 */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--js-flags=--no-maglev,--no-opt",
];

let launched: Promise<Browser> | null = null;

/** Starts the Chromium that the global setup found, or takes the one that this process has. */
export async function startBrowser(): Promise<TestBrowser> {
  if (launched === null || !(await launched).isConnected()) launched = launchBrowser();
  const browser = await launched;
  const keptPages: Page[] = [];
  return {
    async openPage(options = {}, kept = false) {
      const opened = await openPage(browser, options);
      if (kept) keptPages.push(opened.page);
      else {
        onTestFinished(async ({ task }) => {
          await leave(opened.page, task.result?.state === "fail");
        });
      }
      return opened;
    },
    stop: async () => void (await Promise.all(keptPages.map((page) => page.context().close()))),
  };
}

/** The browser ends with this process. */
async function launchBrowser(): Promise<Browser> {
  const { path, env } = inject("chromium");
  return await chromium.launch({
    executablePath: path,
    env: { ...process.env, ...env },
    headless: true,
    args: FLAGS,
  });
}

/** Whether the keyboard's focus is there. */
export async function isFocused(on: Locator): Promise<boolean> {
  return await on.evaluate((it) => it.matches(":focus"));
}

/** Waits until the keyboard's focus is there. */
export async function expectFocus(on: Locator): Promise<void> {
  await expect.poll(async () => await isFocused(on)).toBe(true);
}

/**
 * Waits until an opened dialog has taken the keyboard's focus. A key pressed before that goes to
 * the dialog's first button, which closes it.
 */
export async function expectFocusIn(dialog: Locator): Promise<void> {
  await expect
    .poll(async () => await dialog.evaluate((it) => it.matches(":focus-within")))
    .toBe(true);
  // A dialog takes the focus by timers of 0 ms. Those that it set by now run before this one.
  await dialog.evaluate(async () => await new Promise((resolve) => setTimeout(resolve)));
}

/** A property of an element's style, as the browser computes it. */
export async function styleOf(of: Locator, property: string): Promise<string> {
  return await of.evaluate((element, name) => {
    const { getComputedStyle } = globalThis as unknown as {
      getComputedStyle: (of: unknown) => { getPropertyValue: (name: string) => string };
    };
    return getComputedStyle(element).getPropertyValue(name);
  }, property);
}

/** The content of a page of the Dashboard, where the keyboard goes on once what it was at is gone. */
export function contentOf(page: Page): Locator {
  return page
    .locator("main [tabindex='-1']")
    .filter({ has: page.getByRole("heading", { level: 1 }) });
}

/** Lets the page use the clipboard. @returns what reads what was copied last */
export async function openClipboard(page: Page): Promise<() => Promise<string>> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  return async () => await page.evaluate<string>("navigator.clipboard.readText()");
}

/** The short form has less than half the bytes, which stay in the page's process. */
const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
let axeSource: string | null = null;

/** What of a page some people cannot use, as axe finds it by WCAG 2.2 AA: the rule and where. */
export async function findBarriers(page: Page): Promise<string[]> {
  // Scripts of a page itself are bound by its Content-Security-Policy; this one is the debugger's.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) {
    await page.evaluate((axeSource ??= readFileSync(axeFile, "utf8")));
  }
  const violations = await page.evaluate(async () => {
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const { axe: checker } = globalThis as unknown as { axe: typeof axe };
    const found = await checker.run({
      runOnly: { type: "tag", values: tags },
      // Of what passes, nobody reads the nodes.
      resultTypes: ["violations"],
    });
    return found.violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map((node) => `${node.target.join(" ")} ${node.failureSummary ?? ""}`),
    }));
  });
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node}`));
}

/**
 * Pages that no test uses, by locale and time zone. A new page starts a process that reads and compiles
 * the whole app anew, which takes a third more CPU.
 */
const idlePages = new Map<string, Page[]>();

/** Keys of the pages that another test may take. */
const pageKeys = new WeakMap<Page, string>();

/**
 * Tests that a page serves. Each leaves about 1.5 MB behind, such as the scripts that the debugger ran.
 * After 500 tests a page held 1.5 GB, and a test took more than twice the CPU.
 */
const maxUses = 50;

const uses = new WeakMap<Page, number>();

async function openPage(browser: Browser, options: PageOptions): Promise<TestPage> {
  const { width = 1440, height = 900, theme = "light", locale = "en-US", cookie } = options;
  const timeZone = options.timeZone ?? null;
  const key = `${locale} ${timeZone}`;
  const page =
    idlePages.get(key)?.pop() ?? (await newPage(await newContext(browser, locale, timeZone)));
  pageKeys.set(page, key);
  uses.set(page, (uses.get(page) ?? 0) + 1);
  if (cookie !== undefined) await addCookie(page.context(), cookie);
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
  page.setDefaultTimeout(30_000);
  return { page, faults: watchFaults(page) };
}

/** Keeps this page from later tests, because the test changes it for good: by a script, say. */
export function keepApart(page: Page): void {
  pageKeys.delete(page);
}

/** Lets the test move the page's time. The clock stays in its context. */
export async function installClock(page: Page): Promise<void> {
  keepApart(page);
  await page.clock.install();
}

/**
 * Lets an installed clock stand, 10 s later than it was. From then on the page's time passes by the
 * test's words alone, so that a slow machine takes none of it.
 */
export async function pauseClock(page: Page): Promise<void> {
  await page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 10_000);
}

async function newContext(
  browser: Browser,
  locale: string,
  timeZone: string | null,
): Promise<BrowserContext> {
  const zone = timeZone === null ? {} : { timezoneId: timeZone };
  const viewport = { width: 1440, height: 900 };
  return await browser.newContext({ locale, ...zone, viewport, reducedMotion: "reduce" });
}

/**
 * A Chromium on a busy machine now and then never says that a page is there, and nothing else limits the
 * wait for it. One that comes late goes with its context.
 */
async function newPage(context: BrowserContext): Promise<Page> {
  for (let asked = 0; asked < 3; asked += 1) {
    const page = await Promise.race([context.newPage(), sleep(15_000, null, { ref: false })]);
    if (page !== null) return page;
  }
  throw new Error("Chromium opened no page within 45 s.");
}

/** Makes a page like new and keeps it for another test, or closes a page that has changed for good. */
async function leave(page: Page, hasFailed: boolean): Promise<void> {
  const context = page.context();
  const key = pageKeys.get(page);
  const isWornOut = (uses.get(page) ?? 0) >= maxUses;
  if (hasFailed || isWornOut || page.isClosed() || key === undefined || context.pages().length > 1)
    return await context.close();
  await clear(page);
  idlePages.set(key, [...(idlePages.get(key) ?? []), page]);
}

async function clear(page: Page): Promise<void> {
  const context = page.context();
  for (const event of ["console", "pageerror", "request", "dialog"]) page.removeAllListeners(event);
  // The test's own handlers of requests may still be under way.
  await page.unrouteAll({ behavior: "ignoreErrors" });
  const { protocol, origin } = new URL(page.url());
  const session = await context.newCDPSession(page);
  if (protocol.startsWith("http")) {
    // The page itself asks for the address, so it stays in its process.
    await page.evaluate("location.replace('about:blank')");
    await page.waitForURL("about:blank");
    await page.evaluate("sessionStorage.clear()");
    await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
  }
  await session.send("Page.resetNavigationHistory");
  await session.detach();
  // The pointer of a new page stands in its corner.
  await page.mouse.move(0, 0);
  await context.clearCookies();
  await context.clearPermissions();
  await context.setOffline(false);
}

async function addCookie(
  context: BrowserContext,
  { url, header }: { url: string; header: string },
): Promise<void> {
  const [name = "", value = ""] = header.split("=");
  await context.addCookies([{ name, value, url }]);
}

function watchFaults(page: Page): string[] {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(`threw: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (!["http:", "https:"].includes(protocol)) return;
    if (hostname !== "127.0.0.1") faults.push(`asked ${hostname}`);
  });
  return faults;
}
