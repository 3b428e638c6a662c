import axe from "axe-core";
import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Frame, Page, Route } from "playwright-core";
import { expect } from "vitest";
import { createWidgetLimits } from "../../api/widget/limits.ts";
import { recordMessageStatus } from "../../core/services/conversations/message-sending.ts";
import type { WidgetSettings } from "../../core/model/widget.ts";
import { insertWidgetSecret } from "../../core/services/widgets/widget-secrets.ts";
import { ensureWidget } from "../../dev/build/widget-build.ts";
import { freePort, releasePort } from "../../dev/child.ts";
import { createTestWidget, type TestWidget } from "../api/widget/widget-fixture.ts";
import { asSystem } from "../support/accounts.ts";
import { plainInstallation, startTestApi, type TestApi } from "../support/api.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { startBrowser, type PageOptions, type TestPage } from "../support/browser.ts";

/** A page of a company's site, as its server sends it. */
export interface HostPage {
  /** HTML of the head, before the script of the widget. */
  head?: string;
  /** HTML of the body. */
  body?: string;
  headers?: Record<string, string>;
  /** Attributes of `<html>`. */
  html?: string;
}

/** A site with a widget, and a visitor on it. */
export interface OpenSite extends TestPage {
  widget: TestWidget;
  url: string;
}

interface Given {
  host?: HostPage;
  settings?: Partial<WidgetSettings>;
  widget?: TestWidget;
  allowedOrigins?: string[];
  options?: PageOptions;
}

/** An API with the built web chat, a browser, and a server for companies' sites. */
export interface WidgetPages {
  database: TestDatabase;
  api: TestApi;
  query: <Row = Record<string, unknown>>(sql: string, values?: unknown[]) => Promise<Row[]>;
  siteOrigin: string;
  visit(given?: Given): Promise<OpenSite>;
  /** The company writes to the newest visitor of a widget, and its message leaves. @returns its id */
  reply(widget: TestWidget, body: Record<string, unknown>): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the fixture of one test file. @param more settings of the API */
export async function startWidgetPages(more: Record<string, string> = {}): Promise<WidgetPages> {
  await ensureWidget(() => undefined);
  const [database, browser, port] = await Promise.all([
    createTestDatabase(),
    startBrowser(),
    freePort(),
  ]);
  const settings = { PUBLIC_URL: `http://127.0.0.1:${port}`, ...more };
  const api = await startTestApi(database, settings, plainInstallation, port);
  const query = async <Row>(sql: string, values: unknown[] = []): Promise<Row[]> =>
    await database.dataSource.query<Row[]>(sql, values);
  const fixture = { database, api, query };
  const pages = new Map<string, { html: string; headers: Record<string, string> }>();
  const server = createServer((request, response) => {
    const found = pages.get(new URL(request.url ?? "/", "http://site").pathname);
    response.writeHead(found === undefined ? 404 : 200, {
      "content-type": "text/html; charset=utf-8",
      ...found?.headers,
    });
    response.end(found?.html ?? "");
  });
  const siteOrigin = await listenAnywhere(server);
  return {
    database,
    api,
    query,
    siteOrigin,
    async reply({ account: { accountId, cookie } }, body) {
      const sql = "SELECT id FROM conversations WHERE account_id = ? ORDER BY id DESC LIMIT 1";
      const [row] = await query<{ id: number }>(sql, [accountId]);
      const path = `/dashboard/api/conversations/${row?.id}/messages`;
      const { status, text, json } = await api.call("POST", path, { cookie, body });
      if (status !== 201) throw new Error(`${path} answered ${status}: ${text}`);
      await asSystem(database.dataSource, accountId, async (tx) => {
        await recordMessageStatus(tx, json.data.id, "sent");
      });
      return json.data.id;
    },
    async visit({
      host = {},
      settings: chosen = {},
      widget: known,
      allowedOrigins,
      options,
    }: Given = {}) {
      const widget =
        known ??
        (await createTestWidget(fixture, {
          settings: chosen,
          allowedOrigins: allowedOrigins ?? [],
        }));
      // Every test comes from one address, whose limits would count them all together.
      api.deps.widgetLimits = createWidgetLimits();
      const path = `/page-${pages.size}`;
      const script = `${fixture.api.url}/widget/${widget.key}.js`;
      pages.set(path, { html: htmlOf(host, script), headers: host.headers ?? {} });
      const opened = await browser.openPage(options);
      await opened.page.goto(siteOrigin + path);
      return { ...opened, widget, url: siteOrigin + path };
    },
    async stop() {
      await browser.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await api.stop();
      releasePort(port);
      await database.stop();
    },
  };
}

async function listenAnywhere(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function htmlOf(
  { head = "", body = "<h1>Shop</h1>", html = 'lang="en"' }: HostPage,
  script: string,
): string {
  return `<!doctype html><html ${html}><head><meta charset="utf-8"><title>Shop</title>${head}<script async src="${script}"></script></head><body>${body}</body></html>`;
}

/** A widget that takes identities, and a function that signs one. */
export async function createKnownWidget(
  fixture: WidgetPages,
  settings: Partial<WidgetSettings> = {},
) {
  const widget = await createTestWidget(fixture, { settings, identityMode: "optional" });
  const { dataSource } = fixture.database;
  const secret = await asSystem(dataSource, widget.account.accountId, (tx) =>
    insertWidgetSecret(tx, fixture.api.deps.secretBox, widget.widgetId),
  );
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const identityOf = (sub: string, name: string, lifeSeconds = 600) => {
    const exp = Math.floor(Date.now() / 1_000) + lifeSeconds;
    const text = `${part({ alg: "HS256", typ: "JWT" })}.${part({ sub, name, exp })}`;
    return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
  };
  return { widget, identityOf };
}

/** Opens the launcher's shadow root, which is closed, to the locators of a test. */
export const openShadow = `<script>{
  const { attachShadow } = Element.prototype;
  Element.prototype.attachShadow = function () { return attachShadow.call(this, { mode: "open" }); };
}</script>`;

/** A command of the site to the widget. Resolves with the outcome. */
export async function command(page: Page, ...given: unknown[]): Promise<unknown> {
  await page.waitForFunction("typeof Parley === 'function'");
  return await page.evaluate(async (args) => {
    const { Parley } = globalThis as unknown as { Parley: (...all: unknown[]) => Promise<unknown> };
    return await Parley(...args);
  }, given);
}

/** The frame of the panel, once it is there. */
export async function findPanel(page: Page): Promise<Frame> {
  const find = (): Frame | undefined =>
    page.frames().find((frame) => frame.url().includes("/widget/frame/"));
  await expect.poll(() => find() !== undefined).toBe(true);
  const frame = find();
  if (frame === undefined) throw new Error("The page has no panel.");
  return frame;
}

/** Opens the panel as the site does, and waits until one can write. */
export async function openPanel(page: Page): Promise<Frame> {
  await command(page, "open");
  const frame = await findPanel(page);
  await frame.getByRole("textbox").first().waitFor();
  // Chromium drops keys that come before the first frame of a page is drawn.
  await frame.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
  );
  return frame;
}

/** Opens the same page of a site in another tab of the browser. */
export async function openTab(page: Page, url: string): Promise<{ tab: Page; panel: Frame }> {
  const tab = await page.context().newPage();
  await tab.goto(url);
  return { tab, panel: await openPanel(tab) };
}

/** Holds the next call of an address: its answer if it `arrives`, else its request. */
export async function holdCall(page: Page, address: string, arrives: boolean) {
  let hold = (): void => undefined;
  let release = (): void => undefined;
  const isHeld = new Promise<void>((resolve) => (hold = resolve));
  const isOver = new Promise<void>((resolve) => (release = resolve));
  const take = async (route: Route): Promise<void> => {
    const response = arrives ? await route.fetch() : null;
    hold();
    await isOver;
    await (response === null ? route.continue() : route.fulfill({ response }));
  };
  await page.route(address, take, { times: 1 });
  return { isHeld, release };
}

/** Texts that the panel shows, the oldest first. */
export async function shownTexts(panel: Frame): Promise<string[]> {
  return (await panel.locator(".bubble p").allInnerTexts()).map((text) => text.trim());
}

/** Writes a message in the panel, and waits until the API has it. */
export async function write(panel: Frame, text: string): Promise<void> {
  const field = panel.getByRole("textbox");
  // Chromium on a busy machine drops a text for a field that has just been drawn.
  await expect
    .poll(async () => {
      await field.fill(text);
      return await field.inputValue();
    })
    .toBe(text);
  await field.press("Enter");
  const bubble = panel.getByRole("listitem").filter({ hasText: text });
  await bubble.getByText("Sent").waitFor();
}

/** Faults that axe finds in the panel by WCAG 2.2 AA. */
export async function findPanelBarriers(panel: Frame): Promise<string[]> {
  await panel.evaluate(axe.source);
  return await panel.evaluate(async () => {
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
    const { axe: checker } = globalThis as unknown as { axe: typeof axe };
    const found = await checker.run({ runOnly: { type: "tag", values: tags } });
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.failureSummary ?? ""}`),
    );
  });
}
