import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { expectFocus, findBarriers } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
/** One account per test, so that each starts without contacts. */
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

async function make(name: string, more: object = {}): Promise<number> {
  const email = `${name.toLowerCase().replaceAll(/\W/g, "")}@example.com`;
  return Number((await call("POST", "/contacts", { name, email, ...more })).id);
}

async function write(name: string, from: string): Promise<number> {
  const body = { channel: "whatsapp", from, name, text: "Hello" };
  return (await call("POST", "/sandbox/messages", body)).contact_id;
}

async function open(options: Parameters<typeof fixture.open>[1] = {}) {
  const opened = await fixture.open("/contacts", { as: account.cookie, ...options });
  await opened.page.getByRole("region").getByRole("link").first().waitFor();
  return opened;
}

const select = async (page: Page, ...names: string[]) => {
  for (const name of names) await page.getByRole("checkbox", { name: `Select ${name}` }).check();
};

test("a row shows channel, phone, stage, tags, assignee and activity; the whole row opens", async () => {
  const ana = await write("Ana Ruiz", "5215512345678");
  const { stages } = await call("POST", "/pipelines", { name: "Sales", stages: ["New", "Won"] });
  await call("POST", `/contacts/${ana}/stage`, { stage_id: stages[1].id });
  await call("PUT", `/contacts/${ana}/tags`, { tags: ["VIP"] });
  const { page, faults } = await open();
  const row = page.getByRole("row", { name: /Ana Ruiz/ });
  for (const text of ["Won", "VIP", "Unassigned"]) await row.getByText(text).waitFor();
  await row.getByRole("img", { name: "WhatsApp" }).waitFor();
  const phone = row.getByRole("link", { name: "+52 55 1234 5678" });
  expect(await phone.getAttribute("href")).toBe("tel:+525512345678");
  // The link covers the row, so a press on any text of the row follows the link.
  await row.getByText("VIP").click({ force: true });
  await page.waitForURL(`**/contacts/${ana}`);
  expect(faults).toEqual([]);
});

test("the head sorts by last activity, and the URL keeps the order", async () => {
  await make("Ana");
  await make("Benito");
  const { page } = await open();
  const names = async () =>
    await page.getByRole("region", { name: "Contacts" }).getByRole("link").allInnerTexts();
  const head = page.getByRole("columnheader", { name: "Last activity" });
  expect([await names(), await head.getAttribute("aria-sort")]).toEqual([
    ["Benito", "Ana"],
    "descending",
  ]);
  await head.getByRole("button").press("Enter");
  await page.waitForURL("**/contacts?order=quiet");
  await expect.poll(names).toEqual(["Ana", "Benito"]);
  expect(await head.getAttribute("aria-sort")).toBe("ascending");
  await page.goBack();
  await expect.poll(names).toEqual(["Benito", "Ana"]);
});

test("stage, assignee and channel narrow the list, and a shared URL shows the same", async () => {
  const ana = await write("Ana Ruiz", "5215512345678");
  await make("Benito");
  const { stages } = await call("POST", "/pipelines", { name: "Sales", stages: ["New"] });
  await call("POST", `/contacts/${ana}/stage`, { stage_id: stages[0].id });
  const { page } = await open();
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("combobox", { name: "Stage" }).click();
  await page.getByRole("option", { name: "New" }).click();
  await page.getByRole("link", { name: "Benito" }).waitFor({ state: "detached" });
  await page.getByRole("combobox", { name: "Assignee" }).click();
  await page.getByRole("option", { name: "Unassigned" }).click();
  await page.getByRole("combobox", { name: "Channel" }).click();
  await page.getByRole("option", { name: "WhatsApp" }).click();
  const url = `/contacts?stage_id=${stages[0].id}&assigned_to=nobody&channel=whatsapp`;
  await page.waitForURL(`**${url}`);
  await page.getByRole("link", { name: "Ana Ruiz" }).waitFor();
  const { page: shared } = await fixture.open(url, { as: account.cookie });
  await shared.getByRole("button", { name: "Filter: 3" }).waitFor();
  await shared.getByRole("link", { name: "Ana Ruiz" }).waitFor();
  expect(await shared.getByRole("link", { name: "Benito" }).count()).toBe(0);
});

test("selected contacts get a tag, lose it, move to a stage and are assigned", async () => {
  const ids = [await write("Ana", "5215512345671"), await write("Benito", "5215512345672")];
  const { stages } = await call("POST", "/pipelines", { name: "Sales", stages: ["New"] });
  const { page, faults } = await open();
  const bar = page.getByRole("toolbar", { name: "Selected contacts" });
  expect(await bar.count()).toBe(0);
  const chooseAll = async () =>
    await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await chooseAll();
  await bar.getByText("2 selected").waitFor();
  await bar.getByRole("button", { name: "Tag", exact: true }).click();
  await page.getByRole("textbox", { name: "Tag" }).fill("VIP");
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("textbox", { name: "Tag" }).press("Enter");
  await page.getByText("2 contacts are changed.").waitFor();
  await bar.waitFor({ state: "detached" });
  const read = async () => await Promise.all(ids.map((id) => call("GET", `/contacts/${id}`)));
  expect(await read()).toMatchObject([{ tags: ["VIP"] }, { tags: ["VIP"] }]);

  await select(page, "Ana");
  await bar.getByRole("button", { name: "Tag", exact: true }).click();
  await page.getByRole("textbox", { name: "Tag" }).fill("vip");
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByText("1 contact is changed.").waitFor();
  expect(await read()).toMatchObject([{ tags: [] }, { tags: ["VIP"] }]);

  await chooseAll();
  await bar.getByRole("button", { name: "Stage" }).click();
  await page.getByRole("menuitem", { name: "New" }).click();
  await bar.waitFor({ state: "detached" });
  expect(await read()).toMatchObject(
    ids.map(() => ({ stages: [{ stage_id: stages[0].id, stage_name: "New" }] })),
  );

  await chooseAll();
  await bar.getByRole("button", { name: "Assign" }).click();
  const { user } = await call("GET", "/session");
  await page.getByRole("menuitem", { name: user.name }).click();
  await bar.waitFor({ state: "detached" });
  const rows = await call("GET", "/contacts?order=active");
  expect(rows).toMatchObject(ids.map(() => ({ assigned_to_user_id: account.userId })));
  expect(faults).toEqual([]);
});

test("one that was deleted meanwhile and one without a conversation stay, and it is said of each", async () => {
  await write("Ana", "5215512345671");
  const gone = await make("Gone");
  await make("Silent");
  const { user } = await call("GET", "/session");
  const { page } = await open();
  await select(page, "Ana", "Gone", "Silent");
  // The page does not hear of the deletion before the action.
  await page.route("**/dashboard/api/contacts?*", (route) => route.abort());
  await call("DELETE", `/contacts/${gone}`);
  await page.getByRole("button", { name: "Assign" }).click();
  await page.getByRole("menuitem", { name: user.name }).click();
  const dialog = page.getByRole("dialog", { name: "2 contacts stay as before" });
  await dialog.getByRole("listitem").filter({ hasText: "Gone" }).getByText("is gone").waitFor();
  await dialog
    .getByRole("listitem")
    .filter({ hasText: "Silent" })
    .getByText("no conversation yet")
    .waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.getByText("1 contact is changed.").waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await page.getByText("2 selected").waitFor();
});

test("a contact of another account is refused alone, even if the page names it", async () => {
  const own = await make("Ana");
  const { id: foreign } = (
    await fixture.call("POST", "/contacts", { email: `f${own}@example.com`, tags: ["old"] })
  ).json.data;
  const { page } = await open();
  await page.route("**/contacts/bulk", async (route) => {
    const body = route.request().postDataJSON() as { ids: number[] };
    await route.continue({ postData: JSON.stringify({ ...body, ids: [...body.ids, foreign] }) });
  });
  await select(page, "Ana");
  await page.getByRole("button", { name: "Tag", exact: true }).click();
  await page.getByRole("textbox", { name: "Tag" }).fill("mine");
  await page.getByRole("textbox", { name: "Tag" }).press("Enter");
  await expect.poll(async () => (await call("GET", `/contacts/${own}`)).tags).toEqual(["mine"]);
  expect((await fixture.call("GET", `/contacts/${foreign}`)).json.data.tags).toEqual(["old"]);
});

test("several contacts are deleted after their number is typed; an agent is not offered it", async () => {
  await make("Ana");
  await make("Benito");
  await make("Carla");
  const { page } = await open();
  await select(page, "Ana", "Benito");
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete permanently" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete 2 contacts permanently?" });
  const confirm = dialog.getByRole("button", { name: "Delete permanently" });
  await dialog.getByRole("textbox").fill("3");
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByRole("textbox").fill("2");
  await confirm.click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Ana" }).waitFor({ state: "detached" });
  expect((await call("GET", "/contacts")).map(({ name }: { name: string }) => name)).toEqual([
    "Carla",
  ]);

  account = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  await make("Diego");
  const { page: agentPage } = await open();
  await select(agentPage, "Diego");
  await agentPage.getByRole("button", { name: "Assign" }).waitFor();
  expect(await agentPage.getByRole("button", { name: "More actions" }).count()).toBe(0);
});

test("possible duplicates are marked and merged into the one that the member keeps", async () => {
  const first = await make("Ana Ruiz", { phone: "5215512345678" });
  const second = await make("Ana R.", { phone: "5512345678", tags: ["terrace"] });
  await make("Benito");
  const { page } = await open();
  await page.getByText("1 possible duplicate", { exact: true }).waitFor();
  expect(await page.getByText("Possible duplicate", { exact: true }).count()).toBe(2);
  await page.getByRole("button", { name: "Review" }).click();
  const dialog = page.getByRole("dialog", { name: "Possible duplicates" });
  expect(await dialog.getByRole("radio", { name: "Ana Ruiz" }).isChecked()).toBe(true);
  await dialog.getByRole("radio", { name: "Ana R." }).check();
  expect(await findBarriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Merge Ana Ruiz, Ana R." }).click();
  await dialog.getByText("No duplicates are left.").waitFor();
  expect((await call("GET", `/contacts/${second}`)).tags).toEqual(["terrace"]);
  const { cookie } = account;
  const path = `/dashboard/api/contacts/${first}`;
  expect((await fixture.api.call("GET", path, { cookie })).status).toBe(404);
});

test("on a phone each contact is a card with the names of its values, in Spanish and in the dark", async () => {
  const { cookie } = account;
  await fixture.api.call("PATCH", "/dashboard/api/me", { cookie, body: { locale: "es" } });
  await write("Ana Ruiz", "5215512345678");
  const { page, faults } = await open({ width: 390, height: 844, theme: "dark", locale: "es-MX" });
  const row = page.getByRole("row", { name: /Ana Ruiz/ });
  const cells = await row.getByRole("cell").evaluateAll((all) =>
    all.map((cell) => {
      const { getComputedStyle } = globalThis as unknown as {
        getComputedStyle: (of: unknown, pseudo: string) => { content: string };
      };
      return getComputedStyle(cell, "::before").content;
    }),
  );
  expect(cells).toEqual(["none", "none", '"Teléfono o correo"', '"A cargo"', '"Última actividad"']);
  const box = await row.boundingBox();
  expect(box?.width).toBeLessThanOrEqual(390);
  await page.getByRole("checkbox", { name: "Seleccionar a Ana Ruiz" }).check();
  await page.getByRole("toolbar", { name: "Contactos seleccionados" }).waitFor();
  expect(
    await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
  ).toBeLessThanOrEqual(0);
  expect(await findBarriers(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test("the keyboard selects a row, opens its actions and comes back", async () => {
  await make("Ana");
  const { page } = await open();
  await page.getByRole("checkbox", { name: "Select Ana" }).press(" ");
  const tag = page.getByRole("button", { name: "Tag", exact: true });
  await tag.press("Enter");
  await expectFocus(page.getByRole("textbox", { name: "Tag" }));
  await page.keyboard.press("Escape");
  await expectFocus(tag);
  await page.getByRole("button", { name: "Clear the selection" }).press("Enter");
  await page.getByRole("toolbar").waitFor({ state: "detached" });
  expect(await page.getByRole("checkbox", { name: "Select Ana" }).isChecked()).toBe(false);
});
