import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { setUpOwnAccounts } from "../support/own-accounts.ts";

const own = setUpOwnAccounts();
const { call, open } = own;

/** A customer writes. @returns the conversation's id and the message's. */
async function write(text: string, name = "Ana"): Promise<{ id: number; messageId: number }> {
  const body = { channel: "web", from: name, name, text };
  const message = await call("POST", "/sandbox/messages", body);
  return { id: Number(message.conversation_id), messageId: message.id };
}

/** Somebody has seen a conversation up to a message. */
async function see({ id, messageId }: { id: number; messageId: number }): Promise<void> {
  await call("POST", `/conversations/${id}/read`, { up_to_message_id: messageId });
}

const thread = (page: Page) => page.getByRole("log", { name: "Messages" });
const row = (page: Page, name: string) => page.getByRole("link", { name: new RegExp(name) });
const badge = (page: Page, name: string) => row(page, name).locator("[data-count]");
const unseenOf = async (id: number) => (await call("GET", `/conversations/${id}`)).unread_count;

/** The lines of the thread that are one of these, from the top. */
async function linesOf(page: Page, wanted: string[]): Promise<string[]> {
  const lines = (await thread(page).innerText()).split(/\n+/);
  return lines.filter((line) => wanted.includes(line));
}

/** A conversation with more than a screen holds, read to its end. */
async function openLong(): Promise<{ id: number; page: Page }> {
  let last = await write("The oldest");
  for (let n = 1; n <= 40; n += 1) last = await write(`Line ${n}`);
  await see(last);
  const page = await open(`/inbox/${last.id}`);
  await thread(page).getByText("Line 40", { exact: true }).waitFor();
  return { id: last.id, page };
}

/** Turns the wheel over the thread until its oldest message is in view. */
async function scrollUp(page: Page): Promise<void> {
  await thread(page).hover();
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, -2_000);
      return await isInView(page, "The oldest");
    })
    .toBe(true);
}

/** Whether a message stands within the thread's visible part. */
async function isInView(page: Page, text: string): Promise<boolean> {
  const [part, message] = await Promise.all([
    thread(page).boundingBox(),
    thread(page).getByText(text, { exact: true }).boundingBox(),
  ]);
  if (part === null || message === null) return false;
  return message.y >= part.y && message.y + message.height <= part.y + part.height;
}

test("the list counts what nobody has seen, as it comes, until somebody opens it", async () => {
  const { id } = await write("one");
  const page = await open("/inbox");
  await expect.poll(async () => await badge(page, "Ana").innerText()).toBe("1");
  await write("two");
  await expect.poll(async () => await badge(page, "Ana").innerText()).toBe("2");
  await row(page, "Ana.*2 unseen").waitFor();
  await write("of another", "Benito");
  await row(page, "Ana").click();
  await thread(page).getByText("two", { exact: true }).waitFor();
  await badge(page, "Ana").waitFor({ state: "detached" });
  expect(await unseenOf(id)).toBe(0);
  expect(await badge(page, "Benito").innerText()).toBe("1");
});

test("a line stands before what was new when the conversation was opened, and stays while one reads", async () => {
  await see(await write("seen before"));
  await write("new one");
  const { id } = await write("new two");
  const page = await open(`/inbox/${id}`);
  await thread(page).getByText("new two", { exact: true }).waitFor();
  const before = ["seen before", "New", "new one", "new two"];
  expect(await linesOf(page, before)).toEqual(before);
  await expect.poll(async () => await unseenOf(id)).toBe(0);
  await write("came later");
  const after = [...before, "came later"];
  await expect.poll(async () => await linesOf(page, after)).toEqual(after);
  await expect.poll(async () => await unseenOf(id)).toBe(0);
  await page.reload();
  await thread(page).getByText("came later", { exact: true }).waitFor();
  expect(await linesOf(page, ["New"])).toEqual([]);
});

test("the line stands also in a conversation that was looked at a moment ago", async () => {
  const { id } = await write("seen before");
  await write("of another", "Benito");
  const page = await open(`/inbox/${id}?view=all`);
  await thread(page).getByText("seen before", { exact: true }).waitFor();
  await expect.poll(async () => await unseenOf(id)).toBe(0);
  await row(page, "^Benito").click();
  await thread(page).getByText("of another", { exact: true }).waitFor();
  await write("new one");
  await write("new two");
  await row(page, "^Ana.*2 unseen").click();
  await thread(page).getByText("new two", { exact: true }).waitFor();
  const all = ["seen before", "New", "new one", "new two"];
  await expect.poll(async () => await linesOf(page, all)).toEqual(all);
  await expect.poll(async () => await unseenOf(id)).toBe(0);
  await write("came later");
  await thread(page).getByText("came later", { exact: true }).waitFor();
  expect(await linesOf(page, all)).toEqual(all);
});

test("what comes while one reads older messages waits behind New messages, which leads to it", async () => {
  const { page } = await openLong();
  const pill = page.getByRole("button", { name: "New messages" });
  await scrollUp(page);
  expect(await pill.count()).toBe(0);
  await write("The newest");
  await pill.waitFor();
  expect(await isInView(page, "The oldest")).toBe(true);
  expect(await isInView(page, "The newest")).toBe(false);
  await pill.click();
  await expect.poll(async () => await isInView(page, "The newest")).toBe(true);
  await pill.waitFor({ state: "detached" });
});

test("what comes while one is at the end comes into view by itself, without New messages", async () => {
  const { page } = await openLong();
  await write("The newest");
  await expect.poll(async () => await isInView(page, "The newest")).toBe(true);
  expect(await page.getByRole("button", { name: "New messages" }).count()).toBe(0);
});

test("a reply of one who reads older messages comes into view at once, and so does the next one", async () => {
  const { page } = await openLong();
  const field = page.getByRole("textbox", { name: "Reply" });
  for (const text of ["My reply", "My other reply"]) {
    await scrollUp(page);
    await field.fill(text);
    await field.press("Enter");
    await expect.poll(async () => await isInView(page, text)).toBe(true);
  }
  expect(await page.getByRole("button", { name: "New messages" }).count()).toBe(0);
});
