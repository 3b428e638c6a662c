import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { ActivityDeps } from "../../activities/deps.ts";
import { createPageReader } from "../../activities/pages/page-reader.ts";
import { createRefreshPage } from "../../activities/refresh-page.ts";
import { createLog } from "../../core/log.ts";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { contentOf, expectFocus, expectFocusIn, findBarriers } from "../support/browser.ts";
import { startPageServer, type PageServer } from "../support/pages.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
/** One account per test, so that each starts without knowledge. */
let account: TestAccount;
let site: PageServer;

beforeAll(async () => {
  site = await startPageServer("");
});
afterAll(() => site.close());
beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
  Object.assign(site, { status: 200, body: faq("Yes, from 9 to 6.") });
});

const faq = (answer: string) =>
  `<h2>Do you open on Monday?</h2><p>${answer}</p><h2>Do you take cards?</h2><p>Yes.</p><h2>Is there parking?</h2><p>Yes, for free.</p>`;

async function call(method: string, path: string, body?: unknown) {
  const { cookie } = account;
  const answer = await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
  expect([path, answer.status < 300]).toEqual([path, true]);
  return answer.json.data;
}

/** Reads each page that waits for its run, as the worker does. */
async function readPages(): Promise<void> {
  const steps = createRefreshPage({
    dataSource: fixture.database.dataSource,
    pages: createPageReader({ policy: { allowPrivate: true, ownHosts: [] } }),
    log: createLog("worker", "silent"),
  } as ActivityDeps);
  const rows = await fixture.database.dataSource.query<{ id: string; run: number }[]>(
    "SELECT id, run FROM knowledge_sources WHERE account_id = ? AND requested_at IS NOT NULL",
    [account.accountId],
  );
  for (const { id, run } of rows) {
    await steps.refreshPage({ accountId: account.accountId, sourceId: Number(id), run });
  }
}

const open = async (): Promise<Page> =>
  (await fixture.open("/agent/knowledge", { as: account.cookie })).page;
const queue = (page: Page) => page.getByRole("region", { name: "Suggestions" });
const sources = (page: Page) => page.getByRole("region", { name: "List of pages and files" });
const states = async () => {
  const rows: { question: string; state: string }[] = await call("GET", "/knowledge-items");
  return Object.fromEntries(rows.map(({ question, state }) => [question, state]));
};
const addPage = async () => {
  await call("POST", "/knowledge-sources", { kind: "page", url: site.url, language: "en" });
  await readPages();
};

test("a page is added, is being read, and its questions wait in the queue", async () => {
  const page = await open();
  await page.getByRole("button", { name: "Add a page" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a page" });
  await expectFocusIn(dialog);
  await dialog
    .getByRole("textbox", { name: "Address of the page" })
    .fill("http://169.254.169.254/");
  await page.keyboard.press("Enter");
  await dialog.getByText("The address is not on the public internet. Use a public page.").waitFor();
  await dialog.getByRole("textbox", { name: "Address of the page" }).fill(site.url);
  await page.keyboard.press("Enter");
  await sources(page).getByText("Reading…").waitFor();
  await readPages();
  await sources(page).getByText("3 questions · 3 to review").waitFor();
  await queue(page).getByText("Do you open on Monday?").waitFor();
  expect(Object.values(await states())).toEqual(["suggested", "suggested", "suggested"]);
});

test("suggestions are approved, edited and dismissed by keyboard", async () => {
  await addPage();
  const page = await open();
  // The newest is first.
  await queue(page).getByRole("checkbox", { name: "Select: Is there parking?" }).focus();
  await page.keyboard.press("a");
  await expect.poll(states).toMatchObject({ "Is there parking?": "approved" });
  await page.getByText("Asked again, the agent finds this answer: “Is there parking?”").waitFor();
  await expectFocus(queue(page).getByRole("checkbox", { name: "Select: Do you take cards?" }));
  await page.keyboard.press("e");
  const dialog = page.getByRole("dialog", { name: "Edit" });
  await expectFocusIn(dialog);
  await dialog.getByRole("textbox", { name: "Answer", exact: true }).fill("Yes, all cards.");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(states).toMatchObject({ "Do you take cards?": "approved" });
  await queue(page).getByRole("checkbox", { name: "Select: Do you open on Monday?" }).focus();
  await page.keyboard.press("d");
  await queue(page).waitFor({ state: "detached" });
  expect(await states()).toMatchObject({ "Do you open on Monday?": "archived" });
});

test("a key that comes while a decision is stored leaves the focus on its row, which waits", async () => {
  await addPage();
  const page = await open();
  const held: Route[] = [];
  await page.route("**/knowledge-items/bulk", (route) => {
    held.push(route);
  });
  await queue(page).getByRole("checkbox", { name: "Select: Is there parking?" }).focus();
  await page.keyboard.press("a");
  const cards = queue(page).getByRole("checkbox", { name: "Select: Do you take cards?" });
  await expectFocus(cards);
  await expect.poll(() => held.length).toBe(1);
  await page.keyboard.press("a");
  await expectFocus(cards);
  await held[0]?.continue();
  await expect.poll(states).toMatchObject({ "Is there parking?": "approved" });
  await page.getByText(/^Asked again, the agent finds this answer: “Is there parking/).waitFor();
  await expectFocus(cards);
  await page.unrouteAll();
  await page.keyboard.press("d");
  await expect.poll(states).toEqual({
    "Is there parking?": "approved",
    "Do you take cards?": "archived",
    "Do you open on Monday?": "suggested",
  });
});

test("the last suggestion that is approved is asked again, and says so", async () => {
  await addPage();
  const all: { id: number; question: string }[] = await call("GET", "/knowledge-items");
  const ids = all.filter(({ question }) => !/Monday/u.test(question)).map(({ id }) => id);
  await call("POST", "/knowledge-items/bulk", { ids, state: "archived" });
  const page = await open();
  await queue(page).getByRole("checkbox", { name: "Select: Do you open on Monday?" }).focus();
  await page.keyboard.press("a");
  await queue(page).waitFor({ state: "detached" });
  await page.getByText(/^Asked again, the agent finds this answer: “Do you open on/).waitFor();
  expect(await states()).toMatchObject({ "Do you open on Monday?": "approved" });
});

test("several suggestions are selected with the arrows and approved at once", async () => {
  await addPage();
  const page = await open();
  await queue(page).getByRole("checkbox").first().focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await queue(page).getByText("2 selected").waitFor();
  await queue(page).getByRole("button", { name: "Approve selected" }).click();
  await page.getByText("2 answers approved").waitFor();
  expect(await states()).toEqual({
    "Is there parking?": "approved",
    "Do you take cards?": "approved",
    "Do you open on Monday?": "suggested",
  });
});

test("a changed answer shows the approved one, and a page that fails says why", async () => {
  await addPage();
  const rows: { id: number }[] = await call("GET", "/knowledge-items");
  await call("POST", "/knowledge-items/bulk", { ids: rows.map(({ id }) => id), state: "approved" });
  site.body = faq("No, we are closed.");
  const page = await open();
  await page.getByRole("button", { name: `Actions for ${site.url}` }).click();
  await page.getByRole("menuitem", { name: "Refresh now" }).click();
  await sources(page).getByText("Reading…").waitFor();
  await readPages();
  await queue(page).getByText("Now: Yes, from 9 to 6.").waitFor();
  await queue(page).getByText("New: No, we are closed.").waitFor();
  site.status = 404;
  await page.getByRole("button", { name: `Actions for ${site.url}` }).click();
  await page.getByRole("menuitem", { name: "Refresh now" }).click();
  await sources(page).getByText("Reading…").waitFor();
  await readPages();
  await sources(page).getByText("There is no page at this address. Check it.").waitFor();
  await page.getByRole("button", { name: `Actions for ${site.url}` }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Add a page of your site or a text file.").waitFor();
  await queue(page).waitFor({ state: "detached" });
  expect(Object.values(await states())).toEqual(["approved", "approved", "approved"]);
});

test("a file is uploaded, and a bad file says why", async () => {
  const page = await open();
  const choose = async (name: string, buffer: Buffer) => {
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Upload a file" }).click();
    await (await chooser).setFiles({ name, mimeType: "text/plain", buffer });
  };
  await choose("faq.csv", Buffer.from('Do you ship?,"Yes\n'));
  await page.getByText("The CSV has quotation marks that do not close.").waitFor();
  await choose("faq.txt", Buffer.from([0xff, 0xfe, 0x41]));
  await page.getByText("The file is no text in UTF-8.").waitFor();
  await choose("faq.csv", Buffer.from("Do you ship?,Yes\nDo you gift-wrap?,No\n"));
  await page.getByText("2 suggestions to review").waitFor();
  await queue(page).getByText("Do you gift-wrap?").waitFor();
  await sources(page).getByText("faq.csv").waitFor();
  expect(Object.keys(await states()).toSorted()).toEqual(["Do you gift-wrap?", "Do you ship?"]);
});

test.each([1440, 390])("nobody is kept out of a full page, at %i px", async (width) => {
  await addPage();
  const rows: { id: number }[] = await call("GET", "/knowledge-items");
  await call("POST", "/knowledge-items/bulk", { ids: rows.map(({ id }) => id), state: "approved" });
  const [source] = await call("GET", "/knowledge-sources");
  site.body = faq("No, we are closed.");
  await call("POST", `/knowledge-sources/${source.id}/refresh`);
  await readPages();
  const page = await open();
  await page.setViewportSize({ width, height: 900 });
  await queue(page).getByRole("checkbox").click();
  await queue(page).getByText("1 selected").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  const sides = await contentOf(page).evaluate((main) => [main.scrollWidth, main.clientWidth]);
  expect(sides[0]).toBe(sides[1]);
});

test("a member without the role sees the queue and decides nothing", async () => {
  await addPage();
  await fixture.database.dataSource.query(
    "UPDATE memberships SET role = 'agent' WHERE account_id = ?",
    [account.accountId],
  );
  const page = await open();
  await queue(page).getByRole("button", { name: "Edit: Is there parking?" }).waitFor();
  expect(await queue(page).getByRole("checkbox").count()).toBe(0);
  expect(await page.getByRole("button", { name: "Add a page" }).count()).toBe(0);
});
