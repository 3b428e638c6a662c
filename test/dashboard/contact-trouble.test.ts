import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { dashboardBuild } from "../../dev/build/dashboard-build.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);

async function makeContact(): Promise<{ id: number; page: Page }> {
  const name = `Ana ${Math.random()}`;
  const phone = `52156${Math.floor(Math.random() * 1e8)}`.padEnd(13, "0");
  const { id } = (await fixture.call("POST", "/contacts", { name, phone })).json.data;
  const { page } = await fixture.open(`/contacts/${id}`);
  await page.getByRole("heading", { name, level: 1 }).waitFor();
  return { id, page };
}

async function read(id: number) {
  return (await fixture.call("GET", `/contacts/${id}`)).json.data;
}

test("an unsaved text stays when somebody else changes the contact; other fields follow, and it is said", async () => {
  const { id, page } = await makeContact();
  const field = (name: string) => page.getByRole("textbox", { name });
  await field("Name").fill("Ana María");
  await fixture.call("PATCH", `/contacts/${id}`, { email: "ana@example.com" });
  await expect.poll(async () => await field("Email").inputValue()).toBe("ana@example.com");
  expect(await field("Name").inputValue()).toBe("Ana María");
  expect(await page.getByText("Somebody has changed").count()).toBe(0);

  await fixture.call("PATCH", `/contacts/${id}`, { name: "Anita" });
  await page.getByText("Somebody has changed “Name” to “Anita” meanwhile.").waitFor();
  expect(await field("Name").inputValue()).toBe("Ana María");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  expect(await read(id)).toMatchObject({ name: "Ana María", email: "ana@example.com" });
  expect(await page.getByRole("button", { name: "Save" }).count()).toBe(0);

  await field("Name").fill("Nobody");
  await page.getByRole("button", { name: "Cancel" }).click();
  expect(await field("Name").inputValue()).toBe("Ana María");
});

// No timer of the page runs in between.
const addTwoTags = `(async () => {
  for (const tag of ["one", "two"]) {
    document.execCommand("insertText", false, tag);
    await null;
    const enter = { key: "Enter", bubbles: true, cancelable: true };
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", enter));
    await null;
  }
})()`;

test("tags that are added quickly leave one after the other, and all of them stay", async () => {
  const { id, page } = await makeContact();
  const held: Route[] = [];
  await page.route("**/tags", (route) => void held.push(route));
  await page.getByRole("combobox", { name: "Tags" }).focus();
  await page.evaluate(addTwoTags);
  await expect.poll(() => held.length).toBe(1);
  for (const tag of ["one", "two"]) await page.getByText(tag, { exact: true }).waitFor();
  await page.evaluate("fetch('/dashboard/api/session').then((answer) => answer.status)");
  expect(held).toHaveLength(1);
  await held[0]?.continue();
  await expect.poll(() => held.length).toBe(2);
  await held[1]?.continue();
  await expect.poll(async () => (await read(id)).tags).toEqual(["one", "two"]);
});

test("a loaded list stays when a later read of it fails, and follows again after that", async () => {
  const { id } = await makeContact();
  const { page } = await fixture.open("/contacts");
  const { name } = await read(id);
  await page.getByRole("link", { name }).waitFor();
  // The stream, once it is there, has everything read once more.
  await page.waitForLoadState("networkidle");
  const lists = "**/dashboard/api/contacts?*";
  const error = { code: "internal_error", message: "no", details: null };
  await page.route(lists, async (route) => {
    await route.fulfill({ status: 500, json: { success: false, error } });
  });
  const failed = page.waitForResponse((response) => response.status() === 500);
  await fixture.call("PATCH", `/contacts/${id}`, { email: "kept@example.com" });
  await failed;
  await page.waitForLoadState("networkidle");
  expect(await page.getByRole("link", { name }).count()).toBe(1);
  expect(await page.getByRole("alert").count()).toBe(0);

  await page.unroute(lists);
  await fixture.call("PATCH", `/contacts/${id}`, { name: `${name} followed` });
  await page.getByRole("link", { name: `${name} followed` }).waitFor();
});

test("the search box says what the list is narrowed to, also after a way back or a link", async () => {
  const { page } = await fixture.open("/contacts");
  const search = page.getByRole("searchbox", { name: "Search", exact: false }).first();
  await search.fill("nobody at all");
  await page.waitForURL("**?search=nobody*");
  await page
    .getByRole("navigation", { name: "Pages" })
    .getByRole("link", { name: "Contacts" })
    .click();
  await expect.poll(async () => await search.inputValue()).toBe("");
  await page.goBack();
  await expect.poll(async () => await search.inputValue()).toBe("nobody at all");
});

test("where the Spanish texts cannot be read the Dashboard is there in English", async () => {
  const manifest = JSON.parse(
    readFileSync(join(dashboardBuild, ".vite", "manifest.json"), "utf8"),
  ) as Record<string, { file: string }>;
  const { page } = await fixture.open("/login", { as: null, locale: "es-MX" });
  await page.getByRole("heading", { name: "Hola de nuevo" }).waitFor();
  for (const source of ["src/locales/es/first.ts", "src/locales/es/index.ts"]) {
    await page.route(`**/${manifest[source]?.file}`, (route) => route.abort());
  }
  await page.reload();
  await page.getByRole("heading", { name: "Welcome back" }).waitFor();
  expect(await page.getByRole("button", { name: "Log in" }).isVisible()).toBe(true);
});
