import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { addColleague, createTestAccount, type TestAccount } from "../support/accounts.ts";
import { expectFocus, findBarriers, styleOf } from "../support/browser.ts";
import { receive } from "../support/conversations.ts";
import { startDashboard, type OpenOptions } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
let account: TestAccount;
/** Conversation with Ana, who wrote "Hola". */
let conversation: number;

beforeEach(async () => {
  const { dataSource } = fixture.database;
  account = await createTestAccount(dataSource);
  const { row } = await receive(dataSource, account.accountId, {
    channel: "web",
    from: "ana",
    name: "Ana Ruiz",
  });
  conversation = row.conversationId;
});

async function call(method: string, path: string, body?: unknown, { cookie } = account) {
  return (await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body })).json.data;
}

/** A colleague with a login in the account. */
const addLuis = async () =>
  await addColleague(fixture.database.dataSource, account.accountId, "Luis Prado");

async function open(options: OpenOptions = {}): Promise<Page> {
  const path = `/inbox/${conversation}?view=all`;
  const { page } = await fixture.open(path, { as: account.cookie, ...options });
  await page.getByRole("log").getByText("Hola").waitFor();
  return page;
}

test("a slash and Enter insert a canned answer with its variables filled, and send nothing", async () => {
  const text = "Hola {{contact.first_name}}, estamos en Reforma 222.";
  await call("POST", "/canned-answers", { shortcut: "ubicación", text });
  await call("POST", "/canned-answers", { shortcut: "precio", text: "Cuesta 690." });
  const page = await open();
  const box = page.getByRole("textbox", { name: "Reply" });
  await box.fill("Claro. ");
  await box.pressSequentially("/ubi");
  const list = page.getByRole("listbox", { name: "Canned answers" });
  const option = list.getByRole("option", { name: "/ubicación" });
  await option.waitFor();
  await expect.poll(async () => await list.getByRole("option").count()).toBe(1);
  expect(await option.getAttribute("id")).toBe(await box.getAttribute("aria-activedescendant"));
  expect(await list.getAttribute("id")).toBe(await box.getAttribute("aria-controls"));
  expect(await findBarriers(page)).toEqual([]);
  await box.press("Tab");
  await page.getByRole("status").getByText("Hola Ana, estamos en Reforma 222.").waitFor();
  await box.press("Enter");
  await list.waitFor({ state: "detached" });
  expect(await box.inputValue()).toBe("Claro. Hola Ana, estamos en Reforma 222.");
  expect(await call("GET", `/conversations/${conversation}/messages`)).toHaveLength(1);
});

test("arrow keys choose another answer, Escape closes the list, and a slash within a word opens none", async () => {
  await call("POST", "/canned-answers", { shortcut: "a-uno", text: "Uno" });
  await call("POST", "/canned-answers", { shortcut: "b-dos", text: "Dos" });
  const page = await open();
  const box = page.getByRole("textbox", { name: "Reply" });
  await box.pressSequentially("/");
  const list = page.getByRole("listbox", { name: "Canned answers" });
  await list.getByRole("option", { name: "/b-dos" }).waitFor();
  await box.press("Escape");
  await list.waitFor({ state: "detached" });
  expect(await box.inputValue()).toBe("/");
  await box.fill("");
  await box.pressSequentially("/");
  await list.waitFor();
  await box.press("ArrowDown");
  await box.press("Enter");
  expect(await box.inputValue()).toBe("Dos");
  await box.pressSequentially("/");
  expect(await list.count()).toBe(0);
});

test("an account without canned answers is led to the page that makes one", async () => {
  const page = await open();
  await page.getByRole("textbox", { name: "Reply" }).pressSequentially("/");
  await page.getByRole("link", { name: "Create the first one in Settings" }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

test("a note mentions a colleague by name, and shows the name of the day", async () => {
  const luis = await addLuis();
  const page = await open();
  await page.getByText("Note", { exact: true }).click();
  const box = page.getByRole("textbox", { name: "Note" });
  expect(await styleOf(box, "background-color")).toBe("rgb(255, 245, 217)");
  await box.pressSequentially("Ask @pra");
  const list = page.getByRole("listbox", { name: "Mention a colleague" });
  await list.getByRole("option", { name: "@Luis Prado" }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await box.press("Enter");
  expect(await box.inputValue()).toBe("Ask @Luis Prado ");
  await box.pressSequentially("about it");
  await box.press("Enter");
  await page.getByRole("log").getByText("@Luis Prado").waitFor();
  const [note] = await call("GET", `/conversations/${conversation}/notes`);
  expect(note.text).toBe(`Ask @[${luis.userId}] about it`);
  await fixture.database.dataSource.query("UPDATE users SET name = 'Luis P.' WHERE id = ?", [
    luis.userId,
  ]);
  await page.reload();
  await page.getByRole("log").getByText("@Luis P.").waitFor();
});

test("two people see each other look and type, and no longer after one has gone", async () => {
  const luis = await addLuis();
  const mine = await open();
  const his = await open({ as: luis.cookie });
  await mine.getByText("Luis Prado is looking at this").waitFor();
  await his.getByText("Admin is looking at this").waitFor();
  const heartbeat = his.waitForRequest("**/presence");
  await his.getByRole("textbox", { name: "Reply" }).pressSequentially("One mo");
  await heartbeat;
  const heardAt = performance.now();
  await mine.getByText("Luis Prado is typing…").waitFor();
  expect(await findBarriers(mine)).toEqual([]);
  await his.goto(`${fixture.api.url}/contacts`);
  // Sooner than the 25 s after which the server forgets a viewer.
  const timeout = 25_000 - (performance.now() - heardAt);
  await mine.getByText(/^Luis Prado is/).waitFor({ state: "detached", timeout });
});

test("a notification is read once its conversation opens, also without an unread message", async () => {
  const luis = await addLuis();
  const text = `Look, @[${account.userId}]`;
  await call("POST", `/conversations/${conversation}/read`, {});
  await call("POST", `/conversations/${conversation}/notes`, { text }, luis);
  const unread = async () => {
    const { cookie } = account;
    const path = "/dashboard/api/notifications";
    return (await fixture.api.call("GET", path, { cookie })).json.meta.unread;
  };
  await expect.poll(unread).toBe(1);
  await open();
  await expect.poll(unread).toBe(0);
});

test("a macro runs from the composer, and a step that cannot run is named", async () => {
  const steps = [{ type: "reply", text: "Gracias, {{contact.first_name}}" }, { type: "resolve" }];
  await call("POST", "/macros", { name: "Thank and close", steps });
  const gone = { type: "assign", to: 999_999_999 };
  const broken = [{ type: "add_tag", tag: "vip" }, gone];
  const created = await call("POST", "/macros", { name: "Hand to Rosa", steps: [broken[0]] });
  await fixture.database.dataSource.query("UPDATE macros SET steps = ? WHERE id = ?", [
    JSON.stringify(broken),
    created.id,
  ]);
  const page = await open();
  const menu = page.getByRole("button", { name: "Run a macro" });
  await menu.waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await menu.press("Enter");
  await page.getByRole("menuitem", { name: "Hand to Rosa" }).click();
  await page.getByText("Step 2 of “Hand to Rosa” cannot run").waitFor();
  await menu.press("Enter");
  await page.getByRole("menuitem", { name: "Thank and close" }).waitFor();
  await page.getByRole("menuitem", { name: "Thank and close" }).click();
  await page.getByRole("log").getByText("Gracias, Ana").waitFor();
  expect(await call("GET", `/conversations/${conversation}`)).toMatchObject({ status: "resolved" });
});

test("two clicks insert a canned answer, and in a note the same button mentions a colleague", async () => {
  await call("POST", "/canned-answers", { shortcut: "mapa", text: "Reforma 222." });
  await addLuis();
  const page = await open();
  const box = page.getByRole("textbox", { name: "Reply" });
  await page.getByRole("button", { name: "Canned answers" }).click();
  await page.getByRole("option", { name: "/mapa" }).click();
  expect(await box.inputValue()).toBe("Reforma 222.");
  await box.fill("Claro.");
  await page.getByRole("button", { name: "Canned answers" }).click();
  await page.getByRole("option", { name: "/mapa" }).click();
  expect(await box.inputValue()).toBe("Claro. Reforma 222.");
  await expectFocus(box);
  await page.getByText("Note", { exact: true }).click();
  await page.getByRole("button", { name: "Mention a colleague" }).click();
  await page.getByRole("option", { name: "@Luis Prado" }).click();
  expect(await page.getByRole("textbox", { name: "Note" }).inputValue()).toBe("@Luis Prado ");
});

test("an emoji is found by keyboard and comes to the caret, in the skin tone of the last time", async () => {
  const { page, faults } = await fixture.open(`/inbox/${conversation}?view=all`, {
    as: account.cookie,
    theme: "dark",
  });
  const box = page.getByRole("textbox", { name: "Reply" });
  const button = page.getByRole("button", { name: "Emoji" });
  await box.fill("Hola, Ana");
  for (let back = 0; back < 5; back += 1) await box.press("ArrowLeft");
  await button.click();
  const search = page.getByRole("searchbox", { name: "Search emoji" });
  await expectFocus(search);
  await page.getByRole("gridcell", { name: "Grinning face", exact: true }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Skin tone" }).click();
  await search.fill("waving hand");
  await page.getByRole("gridcell", { name: "Waving hand" }).waitFor();
  await search.press("Enter");
  await expect.poll(async () => await box.inputValue()).toBe("Hola👋🏻, Ana");
  await expectFocus(box);
  await box.pressSequentially("!");
  expect(await box.inputValue()).toBe("Hola👋🏻!, Ana");

  await page.reload();
  await button.click();
  await search.fill("waving hand");
  await page.getByRole("gridcell", { name: "Waving hand" }).getByText("👋🏻").waitFor();
  await search.press("Escape");
  await search.waitFor({ state: "detached" });
  await expectFocus(box);
  // All data comes from our own server.
  expect(faults).toEqual([]);
});

test("emoji are found in Spanish, also without accents", async () => {
  await call("PATCH", "/me", { locale: "es" });
  const page = await open();
  await page.getByRole("button", { name: "Emoji" }).click();
  await page.getByRole("searchbox", { name: "Buscar emoji" }).fill("corazon con flecha");
  await page.getByRole("gridcell", { name: "Corazón con flecha" }).click();
  const box = page.getByRole("textbox", { name: "Respuesta" });
  await expect.poll(async () => await box.inputValue()).toBe("💘");
});

test("a phone keeps its room for the text: its keyboard has emoji and the slash", async () => {
  await call("POST", "/macros", { name: "Close", steps: [{ type: "resolve" }] });
  const page = await open({ width: 390 });
  await page.getByRole("button", { name: "Run a macro" }).waitFor();
  for (const name of ["Emoji", "Canned answers"]) {
    expect(await page.getByRole("button", { name }).isVisible()).toBe(false);
  }
});
