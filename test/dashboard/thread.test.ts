import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { expectFocus, findBarriers, installClock, pauseClock } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
/** One account per test, so that each starts with an empty inbox. */
let account: TestAccount;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
});

async function call(method: string, path: string, body?: unknown) {
  const { cookie } = account;
  const answer = await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
  expect([path, answer.status < 300]).toEqual([path, true]);
  return answer.json.data;
}

/** A customer writes. @returns the message. */
async function write(text: string): Promise<{ id: number; conversation_id: number }> {
  const body = { channel: "web", from: "visitor-7", name: "Ana Ruiz", text };
  return await call("POST", "/sandbox/messages", body);
}

async function open(path: string, width = 1440): Promise<Page> {
  const { page } = await fixture.open(path, { as: account.cookie, width, height: 844 });
  await page.getByRole("log", { name: "Messages" }).waitFor();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  return page;
}

const thread = (page: Page) => page.getByRole("log", { name: "Messages" });
const copied = async (page: Page) => await page.evaluate("navigator.clipboard.readText()");

/** Sets a status so often that as many changes stand in a row. */
async function change(id: number, times: number): Promise<void> {
  for (let at = 0; at < times; at += 1) {
    const status = at % 2 === 0 ? "waiting" : "active";
    await call("PATCH", `/conversations/${id}`, { status });
  }
}

test("three changes in a row fold into one line with the newest, and a click shows all", async () => {
  const { conversation_id: id } = await write("Hello");
  await change(id, 2);
  const page = await open(`/inbox/${id}`);
  await thread(page).getByText("Now Active (Admin)").waitFor();
  expect(
    await thread(page)
      .getByText(/changes/)
      .count(),
  ).toBe(0);
  await change(id, 1);
  const folded = thread(page).getByRole("button", { name: "3 changes" });
  await folded.waitFor();
  expect(await thread(page).getByText("Now Waiting (Admin)").count()).toBe(1);
  expect(await thread(page).getByText("Now Active (Admin)").count()).toBe(0);
  await folded.press("Enter");
  await thread(page).getByText("Now Active (Admin)").waitFor();
  expect(await thread(page).getByText("Now Waiting (Admin)").count()).toBe(2);
  expect(await findBarriers(page)).toEqual([]);
});

test("a note or a message between changes keeps them apart", async () => {
  const { conversation_id: id } = await write("Hello");
  await change(id, 2);
  await call("POST", `/conversations/${id}/notes`, { text: "Prefers the terrace" });
  await change(id, 1);
  const page = await open(`/inbox/${id}`);
  await thread(page).getByText("Admin · Note, only your team sees it").waitFor();
  expect(await thread(page).getByText(/^Now /).count()).toBe(3);
  expect(
    await thread(page)
      .getByText(/changes/)
      .count(),
  ).toBe(0);
  await thread(page).getByText("today", { exact: true }).waitFor();
});

test("by keyboard the menu of a message copies its text, and gives the focus back", async () => {
  const { conversation_id: id } = await write("Do you have a table for two?");
  const page = await open(`/inbox/${id}`);
  const actions = thread(page).getByRole("button", { name: "Message actions" });
  await actions.focus();
  await page.keyboard.press("Enter");
  await expectFocus(page.getByRole("menuitem", { name: "Copy text" }));
  expect(await page.getByRole("menuitem", { name: "Try again" }).count()).toBe(0);
  await page.keyboard.press("Enter");
  await page.getByText("Copied").waitFor();
  expect(await copied(page)).toBe("Do you have a table for two?");
  await expectFocus(actions);
});

test("a finger that holds a bubble opens its menu, a tap or a scroll does not", async () => {
  const { conversation_id: id } = await write("Hello");
  const page = await open(`/inbox/${id}`, 390);
  const bubble = thread(page).getByText("Hello", { exact: true });
  const item = page.getByRole("menuitem", { name: "Copy text" });
  const touch = { pointerType: "touch", bubbles: true };
  // A finger that stays for 450 ms holds.
  await installClock(page);
  await pauseClock(page);
  for (const end of ["pointerup", "pointercancel"]) {
    await bubble.dispatchEvent("pointerdown", touch);
    await page.clock.runFor(300);
    await bubble.dispatchEvent(end, touch);
    await page.clock.runFor(600);
    expect(await item.count()).toBe(0);
  }
  await page.clock.resume();
  await bubble.dispatchEvent("pointerdown", touch);
  await item.waitFor();
  await bubble.dispatchEvent("pointerup", touch);
  await item.click();
  await page.getByText("Copied").waitFor();
});

test("the menu of a failed message sends it again", async () => {
  const { conversation_id: id } = await write("Hello");
  await call("POST", `/conversations/${id}/messages`, { content: "Your table" });
  const error = JSON.stringify({ code: "channel_unavailable", message: "no", provider_code: null });
  await fixture.database.dataSource.query(
    "UPDATE messages SET status = 'failed', error = ? WHERE conversation_id = ? AND direction = 'outbound'",
    [error, id],
  );
  const page = await open(`/inbox/${id}`);
  await thread(page).getByText("Your table").hover();
  await thread(page).getByRole("button", { name: "Message actions" }).last().click();
  await page.getByRole("menuitem", { name: "Try again" }).click();
  await expect.poll(async () => await thread(page).getByText("Your table").count()).toBe(2);
});

test("the link to a message scrolls to it, also where older messages have to be loaded", async () => {
  const first = await write("The very first words");
  const { conversation_id: id } = first;
  for (let at = 0; at < 60; at += 1) await write(`Line ${at}`);
  const newest = await open(`/inbox/${id}`);
  await thread(newest).getByText("Line 59").waitFor();
  await thread(newest).getByText("Line 59").hover();
  await thread(newest).getByRole("button", { name: "Message actions" }).last().click();
  await newest.getByRole("menuitem", { name: "Copy link" }).click();
  await newest.getByText("Copied").waitFor();
  expect(await copied(newest)).toMatch(new RegExp(`/inbox/${id}#message-\\d+$`));
  const page = await open(`/inbox/${id}#message-${first.id}`);
  const words = thread(page).getByText("The very first words");
  await words.waitFor();
  await expect
    .poll(async () => {
      const [box, around] = [await words.boundingBox(), await thread(page).boundingBox()];
      return box !== null && around !== null && box.y >= around.y;
    })
    .toBe(true);
});

test("a link to a message that is gone shows the newest ones, and reads no further", async () => {
  const { conversation_id: id } = await write("Hello");
  const page = await open(`/inbox/${id}#message-999999999`);
  await thread(page).getByText("Hello").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
});
