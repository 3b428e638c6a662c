import { setTimeout as sleep } from "node:timers/promises";
import { chromium, type Browser, type Page } from "playwright-core";
import { createMember, createSession } from "../../core/services/accounts/users.ts";
import { systemOf, transaction } from "../../db/transaction.ts";
import { exitOnSignal } from "../../dev/child.ts";
import { findChromium } from "../../dev/servers/chromium.ts";
import { ensureDashboard } from "../../dev/build/dashboard-build.ts";
import { partLog } from "../../dev/local.ts";
import { median, percentile } from "./load.ts";
import { fillImport } from "./import-rows.ts";
import { inMs, printTable } from "./print.ts";
import { startBenchStack, type BenchStack } from "./stack.ts";

const help = `npm run bench:dashboard [-- rows]

Measures the Dashboard in a Chromium against an installation of its own, with 10,000 open conversations:
how long a message takes from the request that brings it to the screen (20 of them), until the inbox can
be worked with in a fresh profile (5 of them), how long frames take while the list is scrolled from one
end to the other, how long they take while the 100,000 rows of a dry run are scrolled, and how long a
test of a webhook takes from the click to the receiver's answer on the screen (10 of them). About two
minutes. With "rows" it measures the rows of a dry run alone.
`;

const conversations = 10_000;
const importRows = 100_000;
const messages = 20;
const profiles = 5;
const tests = 10;
const desk = { width: 1440, height: 900 };
const rowLink = 'a[href^="/inbox/"]';

/** A logged-in user of the installation, with a browser. */
interface Desk {
  stack: BenchStack;
  browser: Browser;
  cookie: string;
}

async function main(): Promise<void> {
  if (process.argv.includes("--help")) return void process.stdout.write(help);
  await ensureDashboard(partLog("dashboard"));
  const { path, env } = await findChromium(partLog("chromium"));
  const stack = await startBenchStack();
  const browser = await chromium.launch({
    executablePath: path,
    env: { ...process.env, ...env },
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  try {
    const cookie = await logIn(stack);
    const at = { stack, browser, cookie };
    if (process.argv[2] === "rows") {
      printTable(await reportRows(at));
      return;
    }
    await fillInbox(stack);
    printTable([
      ...(await reportInbox(at)),
      ...(await reportMessages(at)),
      ...(await reportScrolling(at)),
      ...(await reportRows(at)),
      ...(await reportTests(at)),
    ]);
  } finally {
    await browser.close();
    await stack.stop();
  }
}

async function logIn({ dataSource, accountId }: BenchStack): Promise<string> {
  const { token } = await transaction(dataSource, systemOf(accountId), async (tx) => {
    const person = { email: "bench@example.com", name: "Bench", passwordHash: "-" };
    const { userId } = await createMember(tx, { ...person, role: "admin" });
    return await createSession(tx, { userId, passwordHash: "-" }, { accountId, userAgent: null });
  });
  return `parley_session=${token}`;
}

async function fillInbox({ dataSource, accountId }: BenchStack): Promise<void> {
  await dataSource.transaction(async (manager) => {
    await manager.query("SET SESSION cte_max_recursion_depth = 100000");
    await manager.query(
      `INSERT INTO contacts (account_id, name, phone, phone_key, source)
       WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       SELECT ?, CONCAT('Customer ', i), 34700000000 + i, 34700000000 + i, 'api' FROM n`,
      [conversations, accountId],
    );
    await manager.query(
      `INSERT INTO conversations (account_id, contact_id, channel_account_id, channel, status, bot_enabled, sort_at, customer_waits_since)
       SELECT c.account_id, c.id, a.id, 'whatsapp', 'active', 1, UTC_TIMESTAMP(3) - INTERVAL c.id SECOND,
              UTC_TIMESTAMP(3) - INTERVAL c.id SECOND
         FROM contacts c JOIN channel_accounts a ON a.account_id = c.account_id AND a.channel = 'whatsapp'
        WHERE c.account_id = ?`,
      [accountId],
    );
    await manager.query("ANALYZE TABLE contacts, conversations");
  });
}

/** Opens a page in a new browser profile. */
async function openPage({ stack, browser, cookie }: Desk, path: string): Promise<Page> {
  const context = await browser.newContext({ viewport: desk });
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([{ name, value, url: stack.apiUrl }]);
  const page = await context.newPage();
  await page.goto(stack.apiUrl + path, { waitUntil: "commit" });
  return page;
}

/** Time from the start of the navigation until `j` has moved to the first conversation. */
async function reportInbox(at: Desk): Promise<string[][]> {
  const times: number[] = [];
  // The first profile warms the API up and does not count.
  for (let profile = 0; profile <= profiles; profile += 1) {
    const page = await openPage(at, "/inbox");
    await page.locator(rowLink).first().waitFor();
    await page.keyboard.press("j");
    const time = await page.evaluate<number>(`new Promise((resolve) => {
      const look = () => document.activeElement?.matches('${rowLink}')
        ? resolve(performance.now()) : requestAnimationFrame(look);
      look();
    })`);
    if (profile > 0) times.push(time);
    await page.context().close();
  }
  return [
    [
      `inbox with ${conversations} conversations, until a key moves in its list: median of ${profiles} fresh profiles`,
      inMs(median(times)),
      `slowest ${inMs(Math.max(...times))}; target 1000 ms`,
    ],
  ];
}

/** Time from the request with a customer's message until the open conversation shows it. */
async function reportMessages(at: Desk): Promise<string[][]> {
  const { conversation_id: id } = await write(at, "Hello");
  const page = await openPage(at, `/inbox/${id}`);
  await page.getByRole("log").getByText("Hello").waitFor();
  const times: number[] = [];
  for (let number = 1; number <= messages; number += 1) {
    const text = `Message ${number} of the bench`;
    const shown = page.evaluate<number>(`new Promise((resolve) => {
      const log = document.querySelector('[role="log"]');
      const look = () => log.textContent.includes('${text}')
        ? requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now()))
        : undefined;
      new MutationObserver(look).observe(log, { childList: true, subtree: true, characterData: true });
    })`);
    const started = performance.timeOrigin + performance.now();
    await write(at, text);
    times.push((await shown) - started);
    await sleep(250);
  }
  await page.context().close();
  return [
    [
      `a customer's message, from the request to the screen: median of ${messages}`,
      inMs(median(times)),
      `slowest ${inMs(Math.max(...times))}; target 500 ms`,
    ],
  ];
}

async function write({ stack, cookie }: Desk, text: string): Promise<{ conversation_id: number }> {
  const answer = await fetch(`${stack.apiUrl}/dashboard/api/sandbox/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify({ channel: "whatsapp", from: "5215512345678", name: "Ana", text }),
  });
  if (!answer.ok) throw new Error(`The message was answered ${answer.status}.`);
  return ((await answer.json()) as { data: { conversation_id: number } }).data;
}

/**
 * Scrolls ten rows per frame, from the first conversation to the last. Pages are loaded on the way,
 * and frames count while the list moves.
 */
async function reportScrolling(at: Desk): Promise<string[][]> {
  const page = await openPage(at, "/inbox");
  await page.locator(rowLink).first().waitFor();
  const frames = await scroll(page, rowLink, 760);
  // The one whose wait is shortest.
  await page.getByText("Customer 1", { exact: true }).waitFor();
  await page.context().close();
  return framesOf(`scrolling ${conversations} conversations, ten rows a frame`, frames);
}

/** Scrolls the rows of a dry run to the last one. Pages of 100 rows are loaded on the way. */
async function reportRows(at: Desk): Promise<string[][]> {
  const id = await fillImport(at.stack, importRows);
  const page = await openPage(at, `/settings/imports/${id}`);
  const row = '[role="table"] [role="rowgroup"]';
  await page.locator(row).getByText("Customer 1", { exact: true }).waitFor();
  const frames = await scroll(page, row, 400);
  await page.getByText(`Customer ${importRows}`, { exact: true }).waitFor();
  await page.context().close();
  return framesOf(`scrolling ${importRows} rows of a dry run, ten rows a frame`, frames);
}

/**
 * Scrolls the list around an element so many px per frame, from its start to its end. Frames count
 * while the list moves.
 * @returns times of the frames in ms
 */
async function scroll(page: Page, inside: string, px: number): Promise<number[]> {
  return await page.evaluate<number[]>(`new Promise((resolve) => {
    let list = document.querySelector('${inside}');
    while (!/auto|scroll/.test(getComputedStyle(list).overflowY)
      || list.scrollHeight <= list.clientHeight + 1_000) list = list.parentElement;
    const frames = [];
    let last = performance.now();
    let atEndSince = null;
    const step = () => {
      const now = performance.now();
      if (list.scrollTop + list.clientHeight < list.scrollHeight - 1) {
        frames.push(now - last);
        list.scrollTop += ${px};
        atEndSince = null;
      } else {
        // The next page may be on its way.
        atEndSince ??= now;
        if (now - atEndSince > 3_000) return resolve(frames);
      }
      last = now;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`);
}

function framesOf(what: string, frames: number[]): string[][] {
  const long = frames.filter((ms) => ms > 50).length;
  const late = frames.filter((ms) => ms > 17.5).length;
  return [
    [`${what}, ${frames.length} frames: p50 of a frame`, inMs(percentile(frames, 0.5))],
    ["p95", inMs(percentile(frames, 0.95)), `${late} of them later than 60 a second`],
    ["longest", inMs(Math.max(...frames)), `${long} of them over 50 ms`],
  ];
}

/** Time from the click on Send test until the page shows the receiver's answer. */
async function reportTests(at: Desk): Promise<string[][]> {
  await at.stack.startWorker();
  const page = await openPage(at, "/webhooks");
  await page.locator('main a[href^="/webhooks/"]').first().click();
  const send = page.getByRole("button", { name: "Send test" });
  const drawer = page.getByRole("dialog");
  const times: number[] = [];
  for (let number = 1; number <= tests; number += 1) {
    await send.waitFor();
    const started = performance.now();
    await send.click();
    await drawer.getByText(/^204/).first().waitFor();
    times.push(performance.now() - started);
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
  }
  await page.context().close();
  return [
    [
      `a test of a webhook, from the click to the receiver's answer on the screen: median of ${tests}`,
      inMs(median(times)),
      `slowest ${inMs(Math.max(...times))}; target 1000 ms`,
    ],
  ];
}

exitOnSignal();
await main();
