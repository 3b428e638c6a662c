import type { Route } from "playwright-core";
import { expect, test } from "vitest";
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
