import type { Page, Route } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
/** One account per test, so that each starts with an agent that was never set up. */
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

const open = async (path: string): Promise<Page> =>
  (await fixture.open(path, { as: account.cookie })).page;
const draftBar = (page: Page) => page.getByRole("region", { name: "Draft" });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

test("an admin switches the agent on, and the head of the page says so", async () => {
  const page = await open("/agent");
  await page.getByText("Basic agent", { exact: true }).waitFor();
  await page.getByRole("switch", { name: "The agent answers customers" }).click();
  await page.getByText("Answering", { exact: true }).waitFor();
  expect((await call("GET", "/agent")).enabled).toBe(true);
});

test("a member without the role reads the settings and changes nothing", async () => {
  account = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  const page = await open("/agent");
  const isOn = page.getByRole("switch", { name: "The agent answers customers" });
  expect(await isOn.isDisabled()).toBe(true);
  await page.getByRole("link", { name: "Setup" }).click();
  await page.getByText("Only admins change the agent.").waitFor();
  expect(await button(page, "Save draft").count()).toBe(0);
  expect(await button(page, "Add provider").count()).toBe(0);
});

test("a change goes into the draft, and is live once it is published", async () => {
  const page = await open("/agent/setup");
  await page.getByRole("textbox", { name: "Name" }).fill("Sofi");
  await button(page, "Save draft").click();
  await draftBar(page).getByText("1 setting changed.").waitFor();
  expect((await call("GET", "/agent")).published.persona.name).toBe("");
  await button(page, "Publish").click();
  await draftBar(page).waitFor({ state: "detached" });
  const { published } = await call("GET", "/agent");
  expect(published.persona.name).toBe("Sofi");
});

test("Discard asks first, and then the draft has the published settings again", async () => {
  await call("PATCH", "/agent", { quiet_seconds: 9 });
  const page = await open("/agent/setup");
  await button(page, "Discard").click();
  await page.getByRole("dialog", { name: "Discard the changes?" }).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
  await draftBar(page).waitFor({ state: "detached" });
  expect((await call("GET", "/agent")).draft.quiet_seconds).toBe(4);
  expect(await page.getByRole("textbox", { name: "Seconds of silence" }).inputValue()).toBe("4");
});

test("two admins change different settings at once, and both changes are published", async () => {
  const one = await open("/agent/setup");
  const other = await open("/agent/setup");
  await one.getByRole("textbox", { name: "Name" }).fill("Sofi");
  await other.getByRole("combobox", { name: "Keywords" }).fill("abogado");
  await other.keyboard.press("Enter");
  await button(other, "Save draft").click();
  await draftBar(other).getByText("1 setting changed.").waitFor();
  // The colleague's keyword arrives in the first page, and the text typed there stays.
  await one.getByText("abogado", { exact: true }).waitFor();
  expect(await one.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Sofi");
  await button(one, "Save draft").click();
  await draftBar(one).getByText("2 settings changed.").waitFor();
  await draftBar(other).getByText("2 settings changed.").waitFor();
  await button(other, "Publish").click();
  await draftBar(one).waitFor({ state: "detached" });
  const { published } = await call("GET", "/agent");
  expect([published.persona.name, published.handover_keywords]).toEqual(["Sofi", ["abogado"]]);
});

test("two admins change one field: the second reads a note, keeps the text, and may save it", async () => {
  const page = await open("/agent/setup");
  const name = page.getByRole("textbox", { name: "Name" });
  const rules = page.getByRole("textbox", { name: "Rules in your own words" });
  await name.fill("Sofi");
  const persona = { name: "Luz", tone: "formal", instructions: "Be brief.", introduces: true };
  await call("PATCH", "/agent", { persona });
  // The colleague's other fields appear, and the crossed field keeps the typed text.
  await page.getByText("A colleague changed this too.").waitFor();
  await page.getByText("Nothing you typed is lost").waitFor();
  await expect.poll(() => rules.inputValue()).toBe("Be brief.");
  expect(await name.inputValue()).toBe("Sofi");
  await button(page, "Save draft").click();
  await draftBar(page).waitFor();
  const { draft } = await call("GET", "/agent");
  expect(draft.persona).toEqual({ ...persona, name: "Sofi" });
});

test("a save that crosses a colleague's is refused with a text, and the second save succeeds", async () => {
  const page = await open("/agent/setup");
  const name = page.getByRole("textbox", { name: "Name" });
  await name.fill("Sofi");
  // The colleague's change reaches the server between the last reading and the save.
  let isFirst = true;
  await page.route("**/dashboard/api/agent", async (route) => {
    if (isFirst && route.request().method() === "PATCH") {
      isFirst = false;
      await call("PATCH", "/agent", { quiet_seconds: 9 });
    }
    await route.continue();
  });
  await button(page, "Save draft").click();
  await page.getByRole("alert").getByText("Nothing you typed is lost").waitFor();
  const quiet = page.getByRole("textbox", { name: "Seconds of silence" });
  await expect.poll(() => quiet.inputValue()).toBe("9");
  expect(await name.inputValue()).toBe("Sofi");
  await button(page, "Save draft").click();
  await draftBar(page).getByText("2 settings changed.").waitFor();
  const { draft } = await call("GET", "/agent");
  expect([draft.persona.name, draft.quiet_seconds]).toEqual(["Sofi", 9]);
});

test("Publish refuses a draft that the admin has not seen, and shows it", async () => {
  await call("PATCH", "/agent", { quiet_seconds: 2 });
  const page = await open("/agent/setup");
  const change = async (route: Route) => {
    await call("PATCH", "/agent", { blocked_words: ["refund"] });
    await route.continue();
  };
  await page.route("**/dashboard/api/agent/publish", change, { times: 1 });
  await button(page, "Publish").click();
  await page.getByText("The draft was changed meanwhile.").waitFor();
  await draftBar(page).getByText("2 settings changed.").waitFor();
  expect((await call("GET", "/agent")).published.quiet_seconds).toBe(4);
  await button(page, "Publish").click();
  await draftBar(page).waitFor({ state: "detached" });
  expect((await call("GET", "/agent")).published).toMatchObject({ blocked_words: ["refund"] });
});

test("a version is restored into the draft, and stays a draft until it is published", async () => {
  await call("PATCH", "/agent", { quiet_seconds: 9 });
  await call("POST", "/agent/publish");
  await call("PATCH", "/agent", { quiet_seconds: 2 });
  const { published_number: number } = await call("POST", "/agent/publish");
  const page = await open("/agent/setup");
  await button(page, `Restore version ${number - 1}`).click();
  await draftBar(page).getByText("1 setting changed.").waitFor();
  const { draft, published } = await call("GET", "/agent");
  expect([draft.quiet_seconds, published.quiet_seconds]).toEqual([9, 2]);
});

test("a provider is added with its key, which is never shown, and is deleted", async () => {
  const page = await open("/agent/setup");
  await page.getByText("No text of a customer leaves this server.").waitFor();
  await button(page, "Add provider").click();
  const dialog = page.getByRole("dialog", { name: "Add provider" });
  await dialog.getByRole("textbox", { name: "Model" }).fill("gpt-4.1-mini");
  await dialog.getByRole("textbox", { name: "Key" }).fill("sk-secret-key-1234");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("••••1234").waitFor();
  await page.getByText("The provider receives the last messages of a conversation").waitFor();
  expect(await page.getByText("sk-secret").count()).toBe(0);
  await button(page, "Actions for OpenAI, gpt-4.1-mini").click();
  await page.getByRole("menuitem", { name: "Delete provider" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete provider" }).click();
  await page.getByText("No text of a customer leaves this server.").waitFor();
  expect(await call("GET", "/agent/providers")).toEqual([]);
});
