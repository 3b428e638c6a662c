import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { setUpOwnAccounts } from "../support/own-accounts.ts";

const own = setUpOwnAccounts();
const { call, open } = own;
const name = "Maximiliana Hernández de la Torre Villaseñor";

interface Written {
  conversation_id: number;
}

async function write(from: string, called: string): Promise<number> {
  const body = { channel: "whatsapp", from, name: called, text: "Hola" };
  const { conversation_id: id }: Written = await call("POST", "/sandbox/messages", body);
  return id;
}

/** A conversation that was handed to a person, with a reason of several lines on a phone. */
async function handOff(from: string, called: string): Promise<number> {
  const id = await write(from, called);
  const reason = "The customer asks for a discount that the agent may not give to anybody";
  await call("POST", `/conversations/${id}/bot`, { enabled: false, reason });
  return id;
}

async function boxOf(on: Locator) {
  const box = await on.boundingBox();
  if (box === null) throw new Error("It is not on the screen.");
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
}

async function openThread(id: number, language: string, width: number): Promise<Page> {
  await call("PATCH", "/me", { locale: language });
  const page = await open(`/inbox/${id}`, { width, height: 844 });
  await page.getByRole("heading", { level: 1, name }).waitFor();
  await page.getByRole("textbox", { name: /Reply|Responder|Respuesta/ }).waitFor();
  return page;
}

test.each([
  ["es", 1440],
  ["es", 1280],
  ["en", 1280],
  ["en", 820],
  ["es", 390],
])("the header of a thread is one line, %s at %d px", async (language, width) => {
  const page = await openThread(await handOff("525511112222", name), language, width);
  const title = page.getByRole("heading", { level: 1, name });
  const resolve = page.getByRole("button", { name: /^(Resolve|Resolver)$/ });
  const more = page.getByRole("button", { name: /^(More actions|Más acciones)$/ });
  const thread = page.getByRole("region", { name: new RegExp(name) });
  const pane = await boxOf(thread);
  const controls = await Promise.all([title, resolve, more].map(boxOf));
  const state = await boxOf(thread.locator("[data-status]").first());
  for (const box of [...controls, state]) {
    expect(box.bottom - pane.y).toBeLessThanOrEqual(56);
    expect(box.right).toBeLessThanOrEqual(pane.right);
  }
  expect(state.right).toBeLessThanOrEqual(controls[2]?.x ?? 0);
  expect(controls[0]?.width).toBeGreaterThan(100);
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
  expect((await boxOf(page.getByRole("log"))).y - pane.y).toBe(57);
});

test("a name of 200 characters leaves every action in its place", async () => {
  const long = name.repeat(5).slice(0, 200);
  const id = await write("525511113333", "Ana");
  const { contact_id } = await call("GET", `/conversations/${id}`);
  await call("PATCH", `/contacts/${contact_id}`, { name: long });
  const page = await open(`/inbox/${id}`, { width: 390, height: 844 });
  await page.getByRole("heading", { level: 1, name: long }).waitFor();
  const resolve = await boxOf(page.getByRole("button", { name: "Resolve" }));
  expect(resolve.right).toBeLessThanOrEqual(390);
  expect(resolve.width).toBeGreaterThanOrEqual(44);
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
});

test("the menu pauses the agent, links to the contact and copies the conversation's URL", async () => {
  const id = await write("525511112222", name);
  const page = await openThread(id, "en", 390);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const menu = page.getByRole("button", { name: "More actions" });
  await menu.click();
  await page.getByRole("menuitem", { name: "Copy link" }).click();
  await page.getByText("Copied").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(
    new RegExp(`^http.*/inbox/${id}$`),
  );
  await menu.click();
  await page.getByRole("menuitem", { name: "Pause the AI agent" }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("asks for a discount");
  await page.getByRole("textbox", { name: "Reason" }).press("Enter");
  await page.getByRole("log").getByText("“asks for a discount”").waitFor();
  await menu.click();
  await page.getByRole("menuitem", { name: "Resume the AI agent" }).waitFor();
  await page.getByRole("menuitem", { name: "Open the contact" }).click();
  await page.waitForURL("**/contacts/*");
});

test("where the browser refuses to copy, the page says why and what to do", async () => {
  const page = await openThread(await write("525511112222", name), "en", 1280);
  await page.evaluate(
    "navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))",
  );
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Copy link" }).click();
  await page.getByText("Select the text and copy it with the keyboard.").waitFor();
  expect(await page.getByText("Copied", { exact: true }).count()).toBe(0);
});

test.each([
  { width: 767, panes: 1 },
  { width: 768, panes: 2 },
  { width: 1359, panes: 2 },
  { width: 1360, panes: 3 },
])("at $width px each pane is beside the thread, or in reach of it", async ({ width, panes }) => {
  const page = await openThread(await write("525511112222", name), "en", width);
  const shown = {
    list: page.getByRole("region", { name: "Conversations", exact: true }),
    back: page.getByRole("link", { name: "Back to the list" }),
    assignee: page.getByRole("combobox", { name: "Assigned to" }),
    contact: page.getByRole("region", { name: "Contact", exact: true }),
    toContact: page.getByRole("button", { name: "Contact", exact: true }),
  };
  const found = Object.entries(shown).map(async ([part, on]) => [part, await on.isVisible()]);
  expect(Object.fromEntries(await Promise.all(found))).toEqual({
    list: panes > 1,
    back: panes === 1,
    assignee: panes > 1,
    contact: panes === 3,
    toContact: panes < 3,
  });
});

test("on a phone the bars leave the screen to the messages, and the details have the assignee", async () => {
  const page = await openThread(await handOff("525511112222", name), "en", 390);
  const messages = await boxOf(page.getByRole("log"));
  expect(messages.y).toBeLessThanOrEqual(200);
  await page.getByRole("button", { name: "Contact", exact: true }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("combobox", { name: "Assigned to" }).click();
  await page.getByRole("option").nth(1).click();
  await expect
    .poll(
      async () => (await call("GET", "/conversations?status=handed_off"))[0].assigned_to_user_id,
    )
    .toBe(own.account.userId);
});

test("rows of the list keep their height and their lines, whatever they show", async () => {
  await call("POST", `/conversations/${await write("525511110001", "Ana")}/read`, {});
  await handOff("525511110002", "👩‍⚕️ مريم 李雷 Ñandú");
  const resolved = await write("525511110003", name.repeat(4).slice(0, 190));
  await call("PATCH", `/conversations/${resolved}`, { status: "resolved" });
  await call("PATCH", "/me", { locale: "es" });
  const page = await open("/inbox?view=all", { width: 390, height: 844 });
  const rows = page.locator("a[href*='/inbox/']").filter({ hasText: "Hola" });
  await expect.poll(async () => await rows.count()).toBe(3);
  await page.evaluate("document.fonts.ready.then(() => null)");
  const shapes: number[][] = [];
  for (const row of await rows.all()) {
    const around = await boxOf(row);
    const lines = await Promise.all(
      (await row.locator("> span:first-child > span").all()).map(boxOf),
    );
    const middles = lines.map(({ y, height }) => Math.round(y + height / 2 - around.y));
    shapes.push([around.height, ...middles]);
  }
  expect(new Set(shapes.map(String)).size).toBe(1);
  expect(shapes[0]?.[0]).toBe(76);
});
