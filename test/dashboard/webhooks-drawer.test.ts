import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { verifySignature } from "../../core/signature.ts";
import { curlCommand } from "../../dashboard/src/features/webhooks/curl.ts";
import {
  createTestAccount,
  createTestSubscription,
  type TestAccount,
} from "../support/accounts.ts";
import { expectFocus, findBarriers, openClipboard, styleOf } from "../support/browser.ts";
import { startDashboard, type OpenOptions } from "../support/dashboard-fixture.ts";
import { startSink, type Sink } from "../support/sink.ts";
import { useFixture } from "../support/use-fixture.ts";

const run = promisify(execFile);
const fixture = useFixture(startDashboard);
let account: TestAccount;
let sink: Sink;
let id: number;
let secret: string;

beforeEach(async () => {
  const { dataSource } = fixture.database;
  account = await createTestAccount(dataSource);
  sink = await startSink();
  const subscription = { url: `${sink.url}/hook?a=[1]` };
  ({ id, secret } = await createTestSubscription(dataSource, account.accountId, subscription));
});

afterEach(async () => await sink.stop());

async function call(method: string, path: string, body?: unknown) {
  const { cookie } = account;
  return (await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body })).json.data;
}

/** Deliveries of contacts with these names, the first name's first. Nobody sends them. */
async function addDeliveries(names: string[]): Promise<number[]> {
  for (const [index, name] of names.entries())
    await call("POST", "/contacts", { email: `c${index}@example.com`, name });
  const rows = (await call("GET", `/deliveries?subscription_id=${id}`)) as { id: number }[];
  return rows.map((row) => row.id).toReversed();
}

/** Lets a delivery have failed with these statuses, so that it waits for 7 min 12 s. */
async function fail(deliveryId: number, statuses: number[]): Promise<void> {
  const { dataSource } = fixture.database;
  for (const [index, status] of statuses.entries()) {
    await dataSource.query(
      `INSERT INTO delivery_attempts (account_id, delivery_id, subscription_id, run, seq, number, started_at,
              started_hour, request_url, request_headers, response_headers, response_excerpt,
              status_code, duration_ms, error_class)
       VALUES (?, ?, ?, 1, ?, ?, UTC_TIMESTAMP(3) - INTERVAL ? MINUTE, UNIX_TIMESTAMP() DIV 3600, 'https://x/',
               '{"X-Service-Event": "contact.created"}', '{"server": "nginx"}', ?, ?, 312, 'http_status')`,
      [
        account.accountId,
        deliveryId,
        id,
        index + 1,
        index + 1,
        (statuses.length - index) * 3,
        `answer ${index + 1}`,
        status,
      ],
    );
  }
  await dataSource.query(
    `UPDATE deliveries SET state = 'waiting', attempts_made = ?,
            next_attempt_at = UTC_TIMESTAMP(3) + INTERVAL 432 SECOND WHERE id = ?`,
    [statuses.length, deliveryId],
  );
}

async function open(deliveryId: number, options: OpenOptions = {}): Promise<Page> {
  const path = `/webhooks/${id}?delivery=${deliveryId}`;
  return (await fixture.open(path, { as: account.cookie, ...options })).page;
}

test("the drawer tells the next try by a countdown, the plan after it, and the last answer", async () => {
  const [deliveryId = 0] = await addDeliveries(["Valentina"]);
  await fail(deliveryId, [500, 502, 503]);
  const page = await open(deliveryId);
  const drawer = page.getByRole("dialog", { name: `Delivery ${deliveryId}` });
  const countdown = drawer.getByText(/^Attempt 4 of 6 in \d:\d\d$/);
  const first = await countdown.innerText();
  await expect.poll(async () => await countdown.innerText()).not.toBe(first);
  await drawer.getByText(/^at \d+:\d\d:\d\d, then after 1 h and 6 h; fails 24 h later$/).waitFor();
  const attempts = drawer.getByRole("list", { name: "Attempts", exact: true });
  const buttons = attempts.getByRole("button");
  const opened = async () =>
    await buttons.evaluateAll((all) => all.map((one) => one.getAttribute("aria-expanded")));
  expect(await opened()).toEqual(["true", "false", "false"]);
  await attempts.getByText("503 Service Unavailable", { exact: true }).waitFor();
  await attempts.getByText("answer 3").waitFor();
  expect(await attempts.getByText("answer 2").count()).toBe(0);
  await buttons.nth(1).focus();
  await page.keyboard.press("Enter");
  await attempts.getByText("answer 2").waitFor();
  await attempts.getByText("Response headers").first().click();
  await attempts.getByText("server: nginx").first().waitFor();
});

test("arrows, j and k go along the list, which keeps its place and takes the keyboard back", async () => {
  const names = Array.from({ length: 30 }, (_, index) => `P${index}`);
  const ids = await addDeliveries(names);
  const at = (place: number): number => ids.at(-1 - place) ?? 0;
  const { page } = await fixture.open(`/webhooks/${id}?state=queued`, {
    as: account.cookie,
    height: 600,
  });
  await page
    .locator(`[data-delivery="${at(24)}"]`)
    .getByRole("button")
    .click();
  const shown = (): string | null => new URL(page.url()).searchParams.get("delivery");
  const press = async (key: string, place: number): Promise<void> => {
    await page.keyboard.press(key);
    await expect.poll(shown).toBe(String(at(place)));
    await page.getByRole("dialog", { name: `Delivery ${at(place)}` }).waitFor();
  };
  await expect.poll(shown).toBe(String(at(24)));
  await page.getByRole("dialog", { name: `Delivery ${at(24)}` }).waitFor();
  await press("ArrowDown", 25);
  await press("j", 26);
  await press("k", 25);
  await press("ArrowUp", 24);
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("button", { name: "Previous delivery" }).click();
  await expect.poll(shown).toBe(String(at(23)));
  // The address changes before the drawer does: until then the button is the one of the row before.
  await page.getByRole("dialog", { name: `Delivery ${at(23)}` }).waitFor();
  await drawer.getByRole("button", { name: "Cancel delivery" }).click();
  await drawer.getByLabel("Why").fill("");
  await drawer.getByLabel("Why").press("j");
  expect([shown(), await drawer.getByLabel("Why").inputValue()]).toEqual([String(at(23)), "j"]);
  expect(new URL(page.url()).searchParams.get("state")).toBe("queued");
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  const row = page.locator(`[data-delivery="${at(23)}"]`);
  await expectFocus(row.getByRole("button"));
  const box = await row.boundingBox();
  expect(box?.y).toBeGreaterThan(0);
  expect(box?.y).toBeLessThan(600);
});

test("Enter twice cancels a delivery once", async () => {
  const [deliveryId = 0] = await addDeliveries(["Ana"]);
  const page = await open(deliveryId);
  const drawer = page.getByRole("dialog", { name: `Delivery ${deliveryId}` });
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let calls = 0;
  await page.route("**/deliveries/*/cancel", async (route) => {
    calls += 1;
    await released;
    await route.continue();
  });
  await drawer.getByRole("button", { name: "Cancel delivery" }).click();
  const why = drawer.getByLabel("Why");
  await why.fill("Sent by hand");
  await why.press("Enter");
  await drawer.locator("form button[aria-busy=true]").waitFor();
  await why.press("Enter");
  release();
  await why.waitFor({ state: "detached" });
  expect(calls).toBe(1);
  expect(await page.getByRole("alert").count()).toBe(0);
});

test("before the first and behind the last delivery there is nothing to go to", async () => {
  const [older = 0, newer = 0] = await addDeliveries(["Ana", "Eva"]);
  const page = await open(newer);
  const drawer = page.getByRole("dialog");
  const button = (name: string) => drawer.getByRole("button", { name });
  await drawer.getByText("contact.created").first().waitFor();
  const isOff = async (name: string) => await button(name).getAttribute("aria-disabled");
  await expect.poll(async () => await isOff("Next delivery")).toBe("false");
  expect(await isOff("Previous delivery")).toBe("true");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowDown");
  await page.getByRole("dialog", { name: `Delivery ${older}` }).waitFor();
  await expect.poll(async () => await isOff("Next delivery")).toBe("true");
  await page.keyboard.press("ArrowDown");
  expect(new URL(page.url()).searchParams.get("delivery")).toBe(String(older));
});

test("the copied cURL command posts the same bytes with a new signature, and holds no secret", async () => {
  const name = `Zoë O'Neil "Ñandú" $HOME \`id\` \\n ! 😀`;
  const [deliveryId = 0] = await addDeliveries([name]);
  const page = await open(deliveryId);
  const copied = await openClipboard(page);
  await page.getByRole("dialog").getByRole("button", { name: "Copy as cURL" }).click();
  await page.getByText("Command copied. Its signature is new").waitFor();
  const command = await copied();
  expect(command).not.toContain(secret);
  await run("sh", ["-c", command]);
  const [posted] = sink.posts;
  if (posted === undefined) throw new Error("The command posted nothing.");
  const { body } = await call("GET", `/deliveries/${deliveryId}`);
  expect(posted.body.toString("utf8")).toBe(body);
  expect(JSON.parse(body).data.name).toBe(name);
  expect(posted.path).toBe("/hook?a=[1]");
  const signature = String(posted.headers["x-service-signature"]);
  expect(verifySignature(signature, secret, posted.body)).toBe(true);
});

test("quotes, line breaks and leading signs of a body survive the shell", async () => {
  const body = `@a'b''c"d\n$(id) \\ %s {1,2} é`;
  const url = `${sink.url}/it's?x={a,b}`;
  await run("sh", ["-c", curlCommand({ url, headers: { "X-Note": 'it\'s "so"' }, body })]);
  expect(sink.posts).toMatchObject([{ headers: { "x-note": 'it\'s "so"' } }]);
  expect(sink.posts[0]?.body.toString("utf8")).toBe(body);
});

test("an agent gets no command; a command that the server refuses is told", async () => {
  const [deliveryId = 0] = await addDeliveries(["Ana"]);
  const page = await open(deliveryId);
  await page.route("**/signed-request", async (route) => {
    const error = { code: "event_erased", message: "erased", details: null };
    await route.fulfill({ status: 409, json: { success: false, error } });
  });
  await page.getByRole("dialog").getByRole("button", { name: "Copy as cURL" }).click();
  await page.getByText("The command was not copied").waitFor();
  await fixture.database.dataSource.query(
    "UPDATE memberships SET role = 'agent' WHERE account_id = ?",
    [account.accountId],
  );
  await page.reload();
  await page.getByRole("dialog").getByText("Body", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Copy as cURL" }).count()).toBe(0);
});

test.each([
  { width: 1440, theme: "light" },
  { width: 1440, theme: "dark" },
  { width: 390, theme: "light" },
] as const)("the drawer is usable by all, $width px wide and $theme", async ({ width, theme }) => {
  const [deliveryId = 0] = await addDeliveries(["Ana"]);
  await fail(deliveryId, [500, 500]);
  const { page, faults } = await fixture.open(`/webhooks/${id}?delivery=${deliveryId}`, {
    as: account.cookie,
    width,
    theme,
  });
  const drawer = page.getByRole("dialog");
  await drawer.getByText(/^Attempt 3 of 6/).waitFor();
  expect((await drawer.boundingBox())?.width).toBe(Math.min(width, 680));
  expect(await drawer.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
  expect(faults).toEqual([]);
  const waits = drawer.getByRole("list", { name: /waits/ }).getByText(/^(1|24) h$/);
  const [short = 0, long = 0] = await waits.evaluateAll((all) =>
    all.map((one) => (one.parentElement as unknown as { clientWidth: number }).clientWidth),
  );
  expect(short).toBeGreaterThan(10);
  expect(long).toBeGreaterThan(short);
  const failed = drawer.getByRole("img", { name: "Attempt 1: failed" });
  expect(await styleOf(failed, "background-color")).toBe(
    theme === "dark" ? "rgb(239, 106, 106)" : "rgb(207, 47, 47)",
  );
});

test("the log is searched by contact and by id, and by days of the account's time zone", async () => {
  const [first = 0] = await addDeliveries(["Ana Ruiz", "Benito"]);
  await fixture.database.dataSource.query(
    "UPDATE deliveries SET created_at = '2026-03-02 23:30:00' WHERE id = ?",
    [first],
  );
  await call("PATCH", "/account", { time_zone: "America/Mexico_City" });
  const { page } = await fixture.open(`/webhooks/${id}`, { as: account.cookie });
  const rows = page.locator("[data-delivery]");
  const count = async () => await rows.count();
  await expect.poll(count).toBe(2);
  const field = page.getByRole("searchbox", { name: "Delivery or event id, contact" });
  await field.fill("ruiz");
  await expect.poll(count).toBe(1);
  await rows.getByText("Ana Ruiz").waitFor();
  await field.fill(String(first));
  await expect.poll(() => new URL(page.url()).searchParams.get("q")).toBe(String(first));
  await rows.getByText("Ana Ruiz").waitFor();
  await field.fill("nobody");
  await page.getByText("No delivery fits").waitFor();
  await field.press("Escape");
  await expect.poll(count).toBe(2);
  await page.getByLabel("To", { exact: true }).fill("02/03/2026");
  await expect.poll(count).toBe(1);
  await page.getByLabel("From", { exact: true }).fill("03/03/2026");
  await page.getByText("No delivery fits").waitFor();
  await page.getByLabel("From", { exact: true }).fill("02/03/2026");
  await expect.poll(count).toBe(1);
  expect(new URL(page.url()).search).toBe("?to=2026-03-02&from=2026-03-02");
  await page.reload();
  await rows.getByText("Ana Ruiz").waitFor();
  await page.getByLabel("To", { exact: true }).fill("31/02/2026");
  await expect.poll(count).toBe(1);
});
