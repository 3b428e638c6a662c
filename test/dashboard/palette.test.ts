import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { expectFocus, findBarriers, installClock, pauseClock } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
let account: TestAccount;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
});

async function call(method: string, path: string, body: unknown) {
  const { cookie } = account;
  const answer = await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
  expect([path, answer.status < 300]).toEqual([path, true]);
  return answer.json.data;
}

const write = async (from: string, name: string) =>
  await call("POST", "/sandbox/messages", { channel: "web", from, name, text: "Hello" });

/** Opens the palette by its keys. */
async function openPalette(): Promise<{ page: Page; input: ReturnType<Page["getByRole"]> }> {
  const { page } = await fixture.open("/api-keys", { as: account.cookie });
  await page.getByRole("heading", { name: "API keys", level: 1 }).waitFor();
  await page.keyboard.press("Control+k");
  const input = page.getByRole("textbox", { name: "Search or jump to…" });
  await expectFocus(input);
  return { page, input };
}

test("by keyboard alone: a contact is found by a part of the phone and opened", async () => {
  const { id } = await call("POST", "/contacts", { name: "Ana Ruiz", phone: "5215512345678" });
  const { page } = await openPalette();
  await page.keyboard.type("55123");
  await page.getByRole("button", { name: /^Ana Ruiz/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/contacts/${id}`);
  await page.getByRole("heading", { name: "Ana Ruiz", level: 1 }).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
});

test("a conversation is found by its customer and opened with the arrow keys", async () => {
  const { conversation_id } = await write("visitor-7", "Benito Juárez");
  const { page } = await openPalette();
  // What stands above comes last, and is selected all the same.
  const below = page.waitForResponse("**/conversations?search=*");
  await page.route("**/contacts?search=*", async (route) => {
    await below;
    await route.continue();
  });
  await page.keyboard.type("Juárez");
  const found = page.getByRole("button", { name: /Benito Juárez/ });
  await expect.poll(async () => await found.count()).toBe(2);
  await expect.poll(async () => await found.first().getAttribute("data-selected")).toBe("true");
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/inbox/${conversation_id}`);
});

test("a conversation whose last message has no text shows its kind in words", async () => {
  const { conversation_id } = await write("visitor-8", "Carla Ruiz");
  await fixture.database.dataSource.query(
    "UPDATE messages SET type = 'image', content = NULL WHERE conversation_id = ?",
    [conversation_id],
  );
  const { page } = await openPalette();
  await page.keyboard.type("Carla");
  const found = page.getByRole("button", { name: /Carla Ruiz.*· Image/ });
  await expect.poll(async () => await found.count()).toBe(1);
});

test("pages and commands come first, and stay selected when answers arrive below them", async () => {
  await call("POST", "/contacts", { name: "Webhooks Pérez", email: "w@example.com" });
  const { page } = await openPalette();
  await page.keyboard.type("webhooks");
  await page.getByRole("button", { name: /Webhooks Pérez/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/webhooks");
});

test("an answer to what was typed before is dropped, however late it comes", async () => {
  await call("POST", "/contacts", { name: "Ana Ruiz", email: "ana@example.com" });
  await call("POST", "/contacts", { name: "Benito Juárez", email: "benito@example.com" });
  const { page, input } = await openPalette();
  let answerFirst = (): void => undefined;
  const held = new Promise<void>((resolve) => (answerFirst = resolve));
  await page.route("**/contacts?search=ana*", async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest("**/contacts?search=ana*");
  await input.fill("ana");
  await asked;
  await input.fill("benito");
  await page.getByRole("button", { name: /Benito Juárez/ }).waitFor();
  const late = page.waitForResponse("**/contacts?search=ana*");
  answerFirst();
  await (await late).finished();
  await input.fill("benito@");
  await page.getByRole("button", { name: /Benito Juárez/ }).waitFor();
  expect(await page.getByRole("button", { name: /Ana Ruiz/ }).count()).toBe(0);
});

test("typing asks the server once it pauses, not at every key; what fits nothing says so", async () => {
  const { page } = await openPalette();
  const asked: string[] = [];
  page.on("request", (request) => {
    const { searchParams } = new URL(request.url());
    if (searchParams.has("search")) asked.push(searchParams.get("search") ?? "");
  });
  await installClock(page);
  await pauseClock(page);
  const text = "nobody at all";
  for (const key of text) {
    await page.keyboard.press(key);
    await page.clock.runFor(50);
  }
  await page.clock.runFor(150);
  await expect.poll(() => asked.length).toBeGreaterThan(1);
  expect(asked).toEqual([text, text]);
  await page.clock.resume();
  await page.getByText("Nothing found").waitFor();
});

test("nothing of another account is found", async () => {
  await fixture.call("POST", "/contacts", { name: "Foreign Ruiz", email: "foreign@example.com" });
  const { page } = await openPalette();
  await page.keyboard.type("Foreign Ruiz");
  await page.getByText("Nothing found").waitFor();
  expect(await page.getByRole("button", { name: /Foreign/ }).count()).toBe(0);
});

test("a task begins on its page, with the dialog open; a closed dialog leaves the URL", async () => {
  const { page } = await openPalette();
  await page.keyboard.type("new contact");
  await page.getByRole("button", { name: "New contact" }).waitFor();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "New contact" });
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(new URL(page.url()).search).toBe("");
});

test("the opened conversation is resolved, assigned and handed over from the palette", async () => {
  const { conversation_id: id } = await write("visitor-7", "Ana Ruiz");
  const { page } = await fixture.open(`/inbox/${id}`, { as: account.cookie });
  await page.getByRole("heading", { name: "Ana Ruiz", level: 1 }).waitFor();
  const run = async (name: string): Promise<void> => {
    await page.keyboard.press("Control+k");
    await expectFocus(page.getByRole("textbox", { name: "Search or jump to…" }));
    await page.keyboard.type(name);
    await page
      .getByRole("button", { name, exact: true })
      .and(page.locator("[data-selected]"))
      .waitFor();
    await page.keyboard.press("Enter");
  };
  const read = async () => await call("GET", `/conversations/${id}`, undefined);
  await run("Assign to me");
  await expect.poll(async () => (await read()).assigned_to_user_id).toBe(account.userId);
  await run("Pause the AI agent");
  await page.getByRole("dialog", { name: "Pause the AI agent?" }).waitFor();
  await page.keyboard.press("Escape");
  await run("Resolve");
  await expect.poll(async () => (await read()).status).toBe("resolved");
});

test("a contact with a phone is written to from the palette", async () => {
  await call("POST", "/contacts", { name: "Ana Ruiz", phone: "5215512345678" });
  const { page } = await openPalette();
  await page.keyboard.type("Ana");
  await page.getByRole("button", { name: "Write to Ana Ruiz" }).click();
  await page.waitForURL(/\/inbox\/\d+$/);
  await page.getByRole("heading", { name: "Ana Ruiz", level: 1 }).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
});
