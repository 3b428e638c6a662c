import type { Route } from "playwright-core";
import { expect, test } from "vitest";
import { installClock } from "../support/browser.ts";
import { setUpOwnAccounts } from "../support/own-accounts.ts";

const own = setUpOwnAccounts();
const { call, open } = own;

test("a second press of e, a held e and a double click leave the conversation resolved", async () => {
  const sent = { channel: "web", from: "Ana", name: "Ana", text: "Hello" };
  const ana = Number((await call("POST", "/sandbox/messages", sent)).conversation_id);
  const page = await open(`/inbox/${ana}`);
  const thread = page.getByRole("region", { name: "Conversation with Ana" });
  const resolve = thread.getByRole("button", { name: "Resolve" });
  const reopen = thread.getByRole("button", { name: "Reopen" });
  const conversation = async () => await call("GET", `/conversations/${ana}`);
  // The last change of the page. Changes of a conversation run one after another.
  const expectResolved = async (): Promise<void> => {
    await page.keyboard.press("i");
    const { userId } = own.account;
    await expect
      .poll(async () => await conversation())
      .toMatchObject({ assigned_to_user_id: userId });
    expect((await conversation()).status).toBe("resolved");
    await call("POST", `/conversations/${ana}/assign`, { user_id: null });
    await call("PATCH", `/conversations/${ana}`, { status: "active" });
    await resolve.waitFor();
  };
  const held: Route[] = [];
  await page.route(`**/dashboard/api/conversations/${ana}`, async (route) => {
    if (route.request().method() === "PATCH" && held.length === 0) held.push(route);
    else await route.continue();
  });
  await resolve.waitFor();
  await page.keyboard.press("e");
  await reopen.waitFor();
  await page.keyboard.press("e");
  await held[0]?.continue();
  await expectResolved();
  await page.keyboard.down("e");
  await expect.poll(async () => (await conversation()).status).toBe("resolved");
  await reopen.waitFor();
  await page.keyboard.down("e");
  await page.keyboard.up("e");
  await expectResolved();
  await resolve.dblclick();
  await expectResolved();
});

/** Ana's conversation, with Benito's behind it and each search for the next one held back. */
async function openBeforeNext() {
  const [ana] = await Promise.all(
    ["Ana", "Benito"].map(async (name) => {
      const body = { channel: "web", from: name, name, text: "Hello" };
      return Number((await call("POST", "/sandbox/messages", body)).conversation_id);
    }),
  );
  const page = await open(`/inbox/${ana}`);
  await installClock(page);
  await page.clock.setFixedTime(Date.now());
  const thread = page.getByRole("region", { name: "Conversation with Ana" });
  await thread.getByRole("button", { name: "Resolve" }).waitFor();
  const held: Route[] = [];
  await page.route(`**/dashboard/api/conversations/${ana}/next*`, (route) => {
    held.push(route);
  });
  const status = async () => (await call("GET", `/conversations/${ana}`)).status;
  return { ana, page, thread, held, status };
}

test.each(["e", "Enter"])(
  "a second press of %s while the next conversation is searched for leaves the first one resolved",
  async (key) => {
    const { page, thread, held, status } = await openBeforeNext();
    const patched: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "PATCH") patched.push(request.postData() ?? "");
    });
    // Enter presses the button, and `e` works anywhere.
    await thread.getByRole("button", { name: "Resolve" }).focus();
    await page.keyboard.press(key);
    await expect.poll(() => held.length).toBe(1);
    await thread.getByRole("button", { name: "Reopen" }).waitFor();
    await page.keyboard.press(key);
    await held[0]?.continue();
    await page.getByRole("region", { name: "Conversation with Benito" }).waitFor();
    expect(patched).toHaveLength(1);
    expect(await status()).toBe("resolved");
  },
);

test("the search of an earlier resolution does not move on from a later one", async () => {
  const { ana, page, thread, held, status } = await openBeforeNext();
  const resolve = thread.getByRole("button", { name: "Resolve" });
  await resolve.click();
  await expect.poll(() => held.length).toBe(1);
  await thread.getByRole("button", { name: "Reopen" }).click();
  await resolve.waitFor();
  await expect.poll(status).toBe("active");
  const changes: Route[] = [];
  await page.route(`**/dashboard/api/conversations/${ana}`, async (route) => {
    if (route.request().method() === "PATCH") changes.push(route);
    else await route.continue();
  });
  await resolve.click();
  await expect.poll(() => changes.length).toBe(1);
  await thread.getByRole("button", { name: "Reopen" }).waitFor();
  const answer = held[0]?.request().response();
  await held[0]?.continue();
  await (await answer)?.finished();
  await page.waitForTimeout(300);
  expect(await thread.isVisible()).toBe(true);
  await changes[0]?.continue();
  await expect.poll(() => held.length).toBe(2);
  await held[1]?.continue();
  await page.getByRole("region", { name: "Conversation with Benito" }).waitFor();
  expect(await status()).toBe("resolved");
});

test("a conversation that is reopened while the next one is searched for stays open", async () => {
  const { ana, page, thread, held, status } = await openBeforeNext();
  const reopenings = {
    button: async () => await thread.getByRole("button", { name: "Reopen" }).click(),
    undo: async () => await page.getByRole("button", { name: "Undo" }).last().click(),
    key: async () => {
      await page.clock.setFixedTime(Date.now() + 60_000);
      await page.keyboard.press("e");
    },
  };
  for (const [name, reopen] of Object.entries(reopenings)) {
    held.length = 0;
    await thread.getByRole("button", { name: "Resolve" }).click();
    await expect.poll(() => held.length).toBe(1);
    await thread.getByRole("button", { name: "Reopen" }).waitFor();
    await reopen();
    await expect.poll(status, { message: name }).toBe("active");
    const answer = held[0]?.request().response();
    await held[0]?.continue();
    await (await answer)?.finished();
    // The page acts on Ana's conversation, so it has not moved on.
    await page.keyboard.press("i");
    const assignee = own.account.userId;
    await expect
      .poll(async () => await call("GET", `/conversations/${ana}`), { message: name })
      .toMatchObject({ assigned_to_user_id: assignee, status: "active" });
    await call("POST", `/conversations/${ana}/assign`, { user_id: null });
    await thread.getByRole("button", { name: "Resolve" }).waitFor();
  }
});
