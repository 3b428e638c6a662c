import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { seedClinic } from "../../dev/launcher/demo-clinic.ts";
import { asSystem } from "../support/accounts.ts";
import { findBarriers, keepApart } from "../support/browser.ts";
import { receive } from "../support/conversations.ts";
import { setUpOwnAccounts } from "../support/own-accounts.ts";

const own = setUpOwnAccounts();
const { call, open } = own;

beforeEach(async () => {
  const { dataSource } = own.fixture.database;
  await asSystem(dataSource, own.account.accountId, (tx) => seedClinic(tx));
});

const field = (page: Page) => page.getByRole("textbox", { name: "Write as a customer" });
const messages = (page: Page) => page.getByRole("log", { name: "Messages of the trial" });
const why = (page: Page) => page.getByRole("region", { name: "Why?" });
const say = async (page: Page, text: string): Promise<void> => {
  await field(page).fill(text);
  await page.keyboard.press("Enter");
};

test("a line is answered, its trace stands beside it, and nothing stays", async () => {
  const page = await open("/agent/playground");
  await say(page, "quiero hablar con una persona");
  await why(page).getByRole("heading", { name: "Handed over" }).waitFor();
  await why(page).getByText("The customer asked for a person").waitFor();
  await page.getByRole("button", { name: "Start over" }).click();
  await page.getByRole("heading", { name: "Try the draft as a customer" }).waitFor();
  await say(page, "¿Aceptan tarjeta de crédito?");
  await why(page).getByRole("heading", { name: "Replied" }).waitFor();
  const found = why(page).getByRole("region", { name: "Knowledge it found" });
  await found.getByText("answers", { exact: true }).first().waitFor();
  expect(await field(page).inputValue()).toBe("");
  expect(await call("GET", "/conversations")).toEqual([]);
});

test("a line that is written while the agent thinks stays in the field", async () => {
  const page = await open("/agent/playground");
  keepApart(page);
  let answer = (): void => undefined;
  const isThought = new Promise<void>((resolve) => (answer = resolve));
  await page.route("**/agent/playground**", async (route) => {
    if (route.request().method() === "POST") await isThought;
    await route.continue();
  });
  await say(page, "¿Aceptan tarjeta de crédito?");
  await messages(page).getByText("¿Aceptan tarjeta de crédito?").waitFor();
  await field(page).fill("¿Y efectivo?");
  answer();
  await why(page).getByRole("heading", { name: "Replied" }).waitFor();
  expect(await field(page).inputValue()).toBe("¿Y efectivo?");
});

test("Why? of an earlier answer shows its trace", async () => {
  const page = await open("/agent/playground");
  await say(page, "¿Aceptan tarjeta de crédito?");
  await messages(page).getByRole("button", { name: "Shown beside" }).waitFor();
  await say(page, "quiero hablar con una persona");
  await why(page).getByRole("heading", { name: "Handed over" }).waitFor();
  await messages(page).getByRole("button", { name: "Why?" }).press("Enter");
  await why(page).getByRole("heading", { name: "Replied" }).waitFor();
  const shown = messages(page).getByRole("button", { pressed: true });
  expect(await shown.count()).toBe(1);
});

test("the page has no barrier, and a phone shows both parts", async () => {
  for (const [width, theme] of [
    [1440, "light"],
    [390, "dark"],
  ] as const) {
    const page = await open("/agent/playground", { width, theme });
    await say(page, "¿Aceptan tarjeta de crédito?");
    await why(page).getByRole("heading", { name: "Replied" }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
  }
});

test("a known contact writes, and another channel begins a new trial", async () => {
  await receive(own.fixture.database.dataSource, own.account.accountId, {
    from: "5215512345678",
    name: "Eva Luna",
    content: "hola",
  });
  const page = await open("/agent/playground");
  await page.getByRole("button", { name: "Somebody new" }).click();
  const dialog = page.getByRole("dialog", { name: "Who writes?" });
  await dialog.getByRole("radio", { name: /Eva Luna/ }).click();
  await dialog.getByRole("button", { name: "Choose" }).click();
  await page.getByRole("button", { name: "Eva Luna" }).waitFor();
  await say(page, "¿Aceptan tarjeta de crédito?");
  await why(page).getByRole("heading", { name: "Replied" }).waitFor();
  await page.getByRole("combobox", { name: "Channel" }).click();
  await page.getByRole("option", { name: "Instagram" }).click();
  await page.getByRole("heading", { name: "Try the draft as a customer" }).waitFor();
  expect(await messages(page).getByText("¿Aceptan tarjeta de crédito?").count()).toBe(0);
});

test("a failing provider is named, the text is kept, and the basic agent goes on", async () => {
  await own.fixture.database.dataSource.query(
    `INSERT INTO agent_providers (account_id, kind, model, base_url, sealed, key_id)
     VALUES (?, 'openai_compatible', 'lost', 'https://model.example.com/v1', 'unreadable', 'k')`,
    [own.account.accountId],
  );
  const page = await open("/agent/playground");
  await say(page, "¿Aceptan tarjeta de crédito?");
  const alert = page.getByRole("alert");
  await alert.getByText("The provider refused the key").waitFor();
  expect(await field(page).inputValue()).toBe("¿Aceptan tarjeta de crédito?");
  await alert.getByRole("button", { name: "Go on with the basic agent" }).click();
  await field(page).press("Enter");
  await why(page).getByRole("heading", { name: "Replied" }).waitFor();
});
