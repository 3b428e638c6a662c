import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { styleOf } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
/** One account per test, so that each starts without contacts. */
let account: TestAccount;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
});

async function send(method: string, path: string, body?: unknown) {
  return await fixture.api.call(method, `/dashboard/api${path}`, { cookie: account.cookie, body });
}

async function call(method: string, path: string, body?: unknown) {
  const answer = await send(method, path, body);
  expect([path, answer.status < 300]).toEqual([path, true]);
  return answer.json.data;
}

/** @returns the contact's id. */
async function make(name: string, email: string, tags: string[] = []): Promise<number> {
  return Number((await call("POST", "/contacts", { name, email, tags })).id);
}

async function open(path: string): Promise<Page> {
  return (await fixture.open(path, { as: account.cookie })).page;
}

test("contacts are searched and narrowed to a tag, and the URL holds what they are narrowed to", async () => {
  await make("Ana Ruiz", "ana@example.com", ["VIP", "terrace"]);
  await make("Benito Juárez", "benito@example.com", ["vip"]);
  await make("Carla Ruiz", "carla@example.com");
  const page = await open("/contacts");
  const table = page.getByRole("region", { name: "Contacts" });
  await table.getByRole("link", { name: "Carla Ruiz" }).waitFor();
  await page.getByRole("searchbox", { name: "Search by name, email or phone" }).fill("ruiz");
  await table.getByRole("link", { name: "Benito Juárez" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("searchbox", { name: "Tag" }).fill("Vip");
  await table.getByRole("link", { name: "Carla Ruiz" }).waitFor({ state: "detached" });
  await page.waitForURL("**/contacts?search=ruiz&tag=Vip");

  const shared = await open("/contacts?search=ruiz&tag=Vip");
  const shown = shared.getByRole("region", { name: "Contacts" });
  await shown.getByRole("link").first().waitFor();
  expect(await shown.getByRole("link").allInnerTexts()).toEqual(["Ana Ruiz"]);
  await shared.getByRole("button", { name: "Filter: 1" }).click();
  await shared.getByRole("searchbox", { name: "Tag" }).fill("nobody has it");
  await shared.getByText("No contact fits").waitFor();
});

test("a filter is saved under a name, set by one press wherever the person logs in, and forgotten", async () => {
  await make("Ana Ruiz", "ana@example.com", ["vip"]);
  await make("Benito Juárez", "benito@example.com", ["vip"]);
  await make("Carla Ruiz", "carla@example.com");
  const page = await open("/contacts?search=ruiz&tag=vip");
  await page.getByRole("button", { name: "Save this filter" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Good customers");
  await page.getByRole("textbox", { name: "Name" }).press("Enter");
  const kept = page.getByRole("button", { name: "Good customers", exact: true });
  await kept.waitFor();
  expect(await kept.getAttribute("aria-pressed")).toBe("true");
  const good = { name: "Good customers", search: "ruiz", tag: "vip" };
  expect(await call("GET", "/me/contact-filters")).toEqual([good]);

  const elsewhere = await open("/contacts");
  const table = elsewhere.getByRole("region", { name: "Contacts" });
  await table.getByRole("link", { name: "Carla Ruiz" }).waitFor();
  await elsewhere.getByRole("button", { name: "Good customers", exact: true }).focus();
  await elsewhere.keyboard.press("Enter");
  await elsewhere.waitForURL("**/contacts?search=ruiz&tag=vip");
  await table.getByRole("link", { name: "Carla Ruiz" }).waitFor({ state: "detached" });
  await elsewhere.getByRole("button", { name: "Filter: 1" }).click();
  expect(await elsewhere.getByRole("searchbox", { name: "Tag" }).inputValue()).toBe("vip");
  await elsewhere.keyboard.press("Escape");
  await elsewhere.getByRole("button", { name: "Good customers", exact: true }).press("Enter");
  await table.getByRole("link", { name: "Carla Ruiz" }).waitFor();
  expect(new URL(elsewhere.url()).search).toBe("");

  await elsewhere.getByRole("button", { name: "Forget the filter Good customers" }).click();
  const button = elsewhere.getByRole("button", { name: "Good customers", exact: true });
  await button.waitFor({ state: "detached" });
  expect(await call("GET", "/me/contact-filters")).toEqual([]);
});

test("the longest email address finds its contact, and is saved as a filter", async () => {
  const [one, other] = ["1", "2"].map((last) => `${"a".repeat(239)}${last}@b.example.com`) as [
    string,
    string,
  ];
  await make("Ana Ruiz", one);
  await make("Benito Juárez", other);
  const page = await open("/contacts");
  const table = page.getByRole("region", { name: "Contacts" });
  await table.getByRole("link", { name: "Ana Ruiz" }).waitFor();
  await page.getByRole("searchbox", { name: "Search by name, email or phone" }).focus();
  await page.keyboard.insertText(other);
  await table.getByRole("link", { name: "Ana Ruiz" }).waitFor({ state: "detached" });
  await table.getByRole("link", { name: "Benito Juárez" }).waitFor();
  await page.getByRole("button", { name: "Save this filter" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Benito");
  await page.getByRole("textbox", { name: "Name" }).press("Enter");
  await page.getByRole("button", { name: "Benito", exact: true }).waitFor();
  expect(await call("GET", "/me/contact-filters")).toEqual([{ name: "Benito", search: other }]);
});

test("a long list is paged; going back leads to the page before", async () => {
  for (let number = 1; number <= 51; number += 1) {
    await make(`Contact ${number}`, `contact-${number}@example.com`);
  }
  const page = await open("/contacts");
  const links = page.getByRole("region", { name: "Contacts" }).getByRole("link");
  await expect.poll(async () => await links.count()).toBe(50);
  await page.getByText("51", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Next" }).click();
  await page.waitForURL("**/contacts?cursor=*");
  await page.getByRole("link", { name: "Contact 1", exact: true }).waitFor();
  expect(await links.count()).toBe(1);
  await page.goBack();
  await page.getByRole("link", { name: "Contact 51", exact: true }).waitFor();
  await page.goForward();
  await page.getByRole("button", { name: "First page" }).click();
  await page.getByRole("link", { name: "Contact 51", exact: true }).waitFor();
});

test("a contact is made by hand; what is no phone is said at the field, and nobody is made", async () => {
  const page = await open("/contacts");
  await page.getByText("No contacts yet").waitFor();
  await page.getByRole("button", { name: "New contact" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Ana Ruiz");
  await dialog.getByRole("textbox", { name: "Phone" }).fill("12");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Use 8 to 15 digits with the country code.").first().waitFor();
  expect(await call("GET", "/contacts")).toEqual([]);
  await dialog.getByRole("textbox", { name: "Phone" }).fill("+52 55 1234 5678");
  await dialog.getByRole("textbox", { name: "Phone" }).press("Enter");
  await page.getByRole("heading", { name: "Ana Ruiz", level: 1 }).waitFor();
  const [made] = await call("GET", "/contacts");
  expect(made).toMatchObject({ name: "Ana Ruiz", phone: "525512345678", email: null });
  await page.waitForURL(`**/contacts/${made.id}`);
});

test("a contact's page changes what is known of them, and shows what others change by itself", async () => {
  const id = await make("Ana", "ana@example.com");
  await make("Benito", "benito@example.com");
  const page = await open(`/contacts/${id}`);
  const main = page.getByRole("main");
  await main.getByRole("textbox", { name: "Email" }).fill("benito@example.com");
  await main.getByRole("button", { name: "Save" }).click();
  await page.getByText("Another contact has this phone or email.").waitFor();
  expect(await call("GET", `/contacts/${id}`)).toMatchObject({ email: "ana@example.com" });
  await main.getByRole("textbox", { name: "Email" }).fill("ANA.RUIZ@example.com");
  await main.getByRole("textbox", { name: "Name" }).fill("Ana Ruiz");
  await main.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Ana Ruiz", level: 1 }).waitFor();
  expect(await call("GET", `/contacts/${id}`)).toMatchObject({
    name: "Ana Ruiz",
    email: "ana.ruiz@example.com",
  });
  await main.getByLabel("Tags").fill("vip");
  await main.getByLabel("Tags").press("Enter");
  await expect.poll(async () => (await call("GET", `/contacts/${id}`)).tags).toEqual(["vip"]);

  await call("PATCH", `/contacts/${id}`, { name: "Ana Ruiz Prado" });
  await page.getByRole("heading", { name: "Ana Ruiz Prado", level: 1 }).waitFor();
});

test("the list shows by itself the stage of a contact, who has them, and what they write", async () => {
  const { stages } = await call("POST", "/pipelines", { name: "Sales", stages: ["Quoted"] });
  const words = { channel: "web", from: "ana", name: "Ana Ruiz", text: "Hi" };
  const { conversation_id, contact_id } = await call("POST", "/sandbox/messages", words);
  await make("Benito Juárez", "benito@example.com");
  const page = await open("/contacts");
  const names = page.getByRole("region", { name: "Contacts" }).getByRole("link");
  await expect.poll(async () => await names.allInnerTexts()).toEqual(["Benito Juárez", "Ana Ruiz"]);
  const row = page.getByRole("row").filter({ hasText: "Ana Ruiz" });
  await call("POST", `/contacts/${contact_id}/stage`, { stage_id: stages[0].id });
  await row.getByText("Quoted").waitFor();
  await call("POST", `/conversations/${conversation_id}/assign`, { user_id: account.userId });
  await row.getByText("Unassigned").waitFor({ state: "detached" });
  const duplicates: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/contacts/duplicates")) duplicates.push(request.url());
  });
  await call("POST", "/sandbox/messages", words);
  await expect.poll(async () => await names.allInnerTexts()).toEqual(["Ana Ruiz", "Benito Juárez"]);
  // That read takes up to 20,000 contacts, so it waits for changes of contacts.
  expect(duplicates).toEqual([]);
});

test("a contact's conversations, stages and appointments stand on the page, with the way to each conversation", async () => {
  const body = { channel: "web", from: "visitor-7", name: "Ana", text: "Hello" };
  const { conversation_id, contact_id } = await call("POST", "/sandbox/messages", body);
  const page = await open(`/contacts/${contact_id}`);
  await page.getByText("In no pipeline.").waitFor();
  await page.getByText("No appointment yet.").waitFor();
  const { stages } = await call("POST", "/pipelines", { name: "Sales", stages: ["New", "Won"] });
  await call("POST", `/contacts/${contact_id}/stage`, { stage_id: stages[1].id });
  const place = page.getByRole("region", { name: "Pipelines" });
  await place.getByText("Sales", { exact: true }).waitFor();
  await place.getByText("Won", { exact: true }).waitFor();
  await page.getByRole("link", { name: `Web chat ${conversation_id}` }).click();
  await page.waitForURL(`**/inbox/${conversation_id}`);
  await page.getByRole("button", { name: "More of this contact" }).click();
  await page.getByRole("menuitem", { name: "Open the contact" }).click();
  await page.waitForURL(`**/contacts/${contact_id}`);
  expect(await call("GET", `/contacts/${contact_id}`)).toMatchObject({
    stages: [{ stage_name: "Won" }],
    conversations: [{ id: conversation_id }],
  });
});

test("a contact is merged into another one, which is then on the page", async () => {
  const loser = await make("Ana R.", "ana.r@example.com", ["terrace"]);
  const winner = await make("Ana Ruiz", "ana@example.com", ["vip"]);
  const page = await open(`/contacts/${loser}`);
  await page.getByRole("button", { name: "Actions for Ana R." }).click();
  await page.getByRole("menuitem", { name: "Merge into another contact" }).click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByRole("button", { name: "Merge" }).isDisabled()).toBe(true);
  await dialog.getByRole("searchbox").fill("ana@");
  await dialog.getByRole("radio", { name: "Ana Ruiz" }).check();
  await dialog.getByRole("button", { name: "Merge" }).click();
  await page.waitForURL(`**/contacts/${winner}`);
  await page.getByRole("heading", { name: "Ana Ruiz", level: 1 }).waitFor();
  expect((await send("GET", `/contacts/${loser}`)).status).toBe(404);
  const { tags } = await call("GET", `/contacts/${winner}`);
  expect(tags.toSorted()).toEqual(["terrace", "vip"]);
});

test("an admin erases a contact after typing the name; an agent is not offered it", async () => {
  const id = await make("Ana Ruiz", "ana@example.com");
  const page = await open(`/contacts/${id}`);
  const ask = async () => {
    await page.getByRole("button", { name: "Actions for Ana Ruiz" }).click();
    await page.getByRole("menuitem", { name: "Delete permanently" }).click();
  };
  await ask();
  const dialog = page.getByRole("dialog", { name: "Delete Ana Ruiz permanently?" });
  await dialog.getByText("Nobody can bring this back:").waitFor();
  await dialog.getByText("This stays:").waitFor();
  await dialog.getByRole("button", { name: "Keep it" }).click();
  await dialog.waitFor({ state: "detached" });
  await ask();
  const field = dialog.getByRole("textbox", { name: "Type “Ana Ruiz” to go on" });
  const confirm = dialog.getByRole("button", { name: "Delete permanently" });
  for (const other of ["", "Ana", "Ana Ruiza"]) {
    await field.fill(other);
    expect([other, await confirm.isDisabled()]).toEqual([other, true]);
    await field.press("Enter");
  }
  expect((await send("GET", `/contacts/${id}`)).status).toBe(200);
  await field.fill(" ana  ruiz");
  expect(await styleOf(confirm, "background-color")).toBe(
    await page.evaluate<string>(
      "(() => { const on = document.body.appendChild(document.createElement('i')); on.style.background = 'var(--mantine-color-bad-filled)'; return getComputedStyle(on).backgroundColor; })()",
    ),
  );
  await confirm.click();
  await page.getByText("No contacts yet").waitFor();
  expect((await send("GET", `/contacts/${id}`)).status).toBe(404);

  const agent = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  const { cookie } = agent;
  const body = { email: "ana@example.com" };
  const made = await fixture.api.call("POST", "/dashboard/api/contacts", { cookie, body });
  const { page: agentPage } = await fixture.open(`/contacts/${made.json.data.id}`, { as: cookie });
  await agentPage.getByRole("button", { name: /^Actions for/ }).click();
  await agentPage.getByRole("menuitem", { name: "Merge into another contact" }).waitFor();
  expect(await agentPage.getByRole("menuitem", { name: "Delete permanently" }).count()).toBe(0);
});

test("a contact of nobody, or of another account, is said to be gone", async () => {
  const other = await fixture.call("POST", "/contacts", { email: "other@example.com" });
  const page = await open(`/contacts/${other.json.data.id}`);
  await page.getByText("This contact is gone. It may have been merged or deleted.").waitFor();
  expect(await page.getByRole("textbox", { name: "Name" }).count()).toBe(0);
});
