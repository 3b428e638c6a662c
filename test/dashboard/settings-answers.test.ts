import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { expectFocusIn, findBarriers } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
let account: TestAccount;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
});

async function open(): Promise<Page> {
  const { page } = await fixture.open("/settings/account", { as: account.cookie });
  await page.getByRole("heading", { name: "Canned answers", exact: true }).waitFor();
  return page;
}

async function call(method: string, path: string, body?: unknown) {
  const { cookie } = account;
  return (await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body })).json.data;
}

/** Takes an action from the menu of a row. */
async function act(page: Page, row: string, action: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${row}` }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

test("a canned answer is created, shared, changed and deleted after asking", async () => {
  const page = await open();
  await page.getByText("No canned answers yet").waitFor();
  await page.getByRole("button", { name: "Create a canned answer" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Shortcut").fill("/ubicación");
  await dialog.getByLabel("Answer").fill("Hola {{contact.surname}}");
  expect(await findBarriers(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("There is no variable {{contact.surname}}").waitFor();
  await dialog.getByLabel("Answer").fill("Hola {{contact.first_name}}");
  await dialog.getByRole("switch", { name: "Share with everybody in the account" }).check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("cell", { name: "/ubicación", exact: true }).waitFor();
  expect(await call("GET", "/canned-answers")).toMatchObject([
    { shortcut: "ubicación", text: "Hola {{contact.first_name}}", shared: true, locale: null },
  ]);
  expect(await findBarriers(page)).toEqual([]);

  await page.getByRole("button", { name: "/ubicación", exact: true }).click();
  await dialog.getByLabel("Shortcut").fill("mapa");
  await dialog.getByRole("button", { name: "Save" }).click();
  await act(page, "/mapa", "Delete");
  await dialog.getByText("Nobody in the account can insert it any more.").waitFor();
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("No canned answers yet").waitFor();
  expect(await call("GET", "/canned-answers")).toEqual([]);
});

test("an agent changes personal canned answers and none of the account", async () => {
  const { dataSource } = fixture.database;
  const { accountId } = account;
  for (const body of [
    { shortcut: "todos", text: "Para todos", shared: true },
    { shortcut: "propia", text: "Propia" },
  ]) {
    await call("POST", "/canned-answers", body);
  }
  await dataSource.query("UPDATE memberships SET role = 'agent' WHERE account_id = ?", [accountId]);
  const page = await open();
  await page.getByRole("button", { name: "Actions for /propia" }).waitFor();
  expect(await page.getByRole("button", { name: "Actions for /todos" }).count()).toBe(0);
});

test("a taken shortcut is refused at its field, in the person's language", async () => {
  await call("POST", "/canned-answers", { shortcut: "mapa", text: "Reforma 222" });
  await call("PATCH", "/me", { locale: "es" });
  const { page } = await fixture.open("/settings/account", {
    as: account.cookie,
    theme: "dark",
    width: 390,
  });
  await page.getByRole("button", { name: "Nueva respuesta guardada" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Atajo").fill("MAPA");
  await dialog.getByLabel("Respuesta").fill("Otra");
  await dialog.getByRole("button", { name: "Guardar" }).click();
  const refusal = "Ya hay una respuesta guardada con este atajo. Elige otro.";
  await dialog.getByText(refusal).waitFor();
  expect(await dialog.getByLabel("Atajo").getAttribute("aria-invalid")).toBe("true");
  expect(await findBarriers(page)).toEqual([]);
});

test("a macro of every step is created by keyboard, arranged, changed and deleted after asking", async () => {
  const stages = ["New", "Won"];
  const pipeline = await call("POST", "/pipelines", { name: "Sales", stages });
  const page = await open();
  await page.getByRole("button", { name: "Create a macro" }).press("Enter");
  const dialog = page.getByRole("dialog");
  await expectFocusIn(dialog);
  await dialog.getByLabel("Name").fill("Thank and close");
  await dialog.getByRole("button", { name: "Save" }).press("Enter");
  await dialog.getByText("Add at least one step.").waitFor();
  for (const step of ["Resolve", "Reply", "Add a tag", "Move to a stage", "Assign"]) {
    await dialog.getByRole("button", { name: step, exact: true }).press("Enter");
  }
  await dialog.getByRole("button", { name: "Save" }).press("Enter");
  await dialog.getByRole("textbox", { name: "Text" }).fill("Gracias, {{contact.nick}}");
  await dialog.getByRole("textbox", { name: "Tag" }).fill("vip");
  await dialog.getByRole("button", { name: "Save" }).press("Enter");
  await dialog.getByText("There is no variable {{contact.nick}}.").waitFor();
  const stage = dialog.getByRole("group", { name: "4. Move to a stage" });
  await stage.getByText("Choose a stage").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await dialog.getByRole("textbox", { name: "Text" }).fill("Gracias, {{contact.first_name}}");
  await dialog.getByRole("combobox", { name: "Stage" }).click();
  await page.getByRole("option", { name: "Won" }).click();
  // The first step becomes the last one.
  for (const number of [1, 2, 3, 4]) {
    await dialog.getByRole("button", { name: `Move down: ${number}. Resolve` }).press("Enter");
  }
  await dialog.getByRole("switch", { name: "Share with everybody in the account" }).check();
  await dialog.getByRole("button", { name: "Save" }).press("Enter");
  await dialog.waitFor({ state: "detached" });
  const steps = [
    { type: "reply", text: "Gracias, {{contact.first_name}}" },
    { type: "add_tag", tag: "vip" },
    { type: "move_to_stage", stage_id: pipeline.stages[1].id },
    { type: "assign", to: "me" },
    { type: "resolve" },
  ];
  expect(await call("GET", "/macros")).toMatchObject([
    { name: "Thank and close", shared: true, steps },
  ]);
  await page.getByText("Reply, Add a tag, Move to a stage, Assign, Resolve").waitFor();
  expect(await findBarriers(page)).toEqual([]);

  await act(page, "Thank and close", "Edit");
  await dialog.getByRole("button", { name: "Remove: 2. Add a tag" }).press("Enter");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const [reply, , ...rest] = steps;
  expect(await call("GET", "/macros")).toMatchObject([{ steps: [reply, ...rest] }]);
  await act(page, "Thank and close", "Delete");
  await dialog.getByText("Nobody in the account can run it any more.").waitFor();
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("No macros yet").waitFor();
  expect(await call("GET", "/macros")).toEqual([]);
});

test("a step whose stage or member is gone is refused at its field", async () => {
  const stages = ["New", "Won"];
  const pipeline = await call("POST", "/pipelines", { name: "Sales", stages });
  const [, won] = pipeline.stages;
  const steps = [{ type: "resolve" }, { type: "move_to_stage", stage_id: won.id }];
  await call("POST", "/macros", { name: "Close", steps });
  const page = await open();
  await act(page, "Close", "Edit");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Stage" }).waitFor();
  await fixture.database.dataSource.query("DELETE FROM pipeline_stages WHERE id = ?", [won.id]);
  await dialog.getByRole("button", { name: "Save" }).click();
  const step = dialog.getByRole("group", { name: "2. Move to a stage" });
  await step.getByText("This stage is gone. Choose another one.").waitFor();
  expect(await step.getByRole("combobox").getAttribute("aria-invalid")).toBe("true");
});

test("an answer that is being edited stays where another one moves its row to the next page", async () => {
  const make = async (shortcut: string) =>
    await call("POST", "/canned-answers", { shortcut, text: "Hello", shared: true });
  for (let n = 10; n < 30; n += 1) await make(`b${n}`);
  const page = await open();
  const row = page.getByRole("row", { name: /\/b29/ });
  await row.getByRole("button").first().click();
  const text = page.getByRole("dialog").getByLabel("Answer");
  await text.fill("Good morning");
  await make("a1");
  await row.waitFor({ state: "detached" });
  expect(await text.inputValue()).toBe("Good morning");
});
