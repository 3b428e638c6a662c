import type { CDPSession, Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectFocus, findBarriers } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";
import { listedRows, resultFilter, upload, useImportDesk } from "./import-desk.ts";

const fixture = useFixture(startDashboard);
const desk = useImportDesk(fixture);

/** A table of contacts; a batch has 500 of them. */
function tableOf(rows: number): string {
  const lines = Array.from(
    { length: rows },
    (_, row) => `Persona ${row},+52 55 1${1_000_000 + row}`,
  );
  return ["Nombre,Celular", ...lines].join("\n");
}

/** Limits the bytes that the page sends in a second; -1 ends the limit. */
async function limitUpload(session: CDPSession, uploadThroughput: number): Promise<void> {
  const link = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput };
  await session.send("Network.emulateNetworkConditions", link);
}

const startUpload = async (): Promise<{ page: Page; link: CDPSession }> => {
  const page = await desk.open("/settings/imports/new");
  const link = await page.context().newCDPSession(page);
  await page.getByRole("button", { name: "Choose a file" }).waitFor();
  return { page, link };
};

test("an upload shows the bytes that were sent, until the file is read", async () => {
  const { page, link } = await startUpload();
  // Notes each value of the bar, and the words beside it.
  await page.evaluate(`{
    window.shares = [];
    window.words = new Set();
    const note = () => {
      const bar = document.querySelector('[role="progressbar"]');
      if (bar === null) return;
      window.shares.push(Number(bar.getAttribute("aria-valuenow")));
      window.words.add(/\\d+ kB of \\d+ kB/.exec(document.body.innerText)?.[0]);
    };
    const options = { subtree: true, childList: true, attributes: true };
    new MutationObserver(note).observe(document.body, options);
  }`);
  await limitUpload(link, 400_000);
  await upload(page, "clientes.csv", tableOf(20_000));
  await page.getByRole("progressbar", { name: "Uploading clientes.csv" }).waitFor();
  await page.getByRole("heading", { name: "Match the columns" }).waitFor();
  const shares = await page.evaluate<number[]>("window.shares");
  const between = shares.filter((share) => share > 0 && share < 100);
  expect(new Set(between).size).toBeGreaterThan(2);
  expect(shares).toEqual(shares.toSorted((one, other) => one - other));
  expect(await page.evaluate<number>("window.words.size")).toBeGreaterThan(2);
  expect(await desk.call("GET", "/imports")).toMatchObject([
    { name: "clientes.csv", state: "mapping" },
  ]);
});

test("a cancelled upload ends at once and leaves nothing", async () => {
  const { page, link } = await startUpload();
  await limitUpload(link, 20_000);
  await upload(page, "clientes.csv", tableOf(20_000));
  await page.getByRole("progressbar", { name: "Uploading clientes.csv" }).waitFor();
  const ended = page.waitForEvent("requestfailed", (request) => request.method() === "POST");
  await page.getByRole("button", { name: "Cancel upload" }).click();
  expect((await ended).url()).toContain("/dashboard/api/imports?");
  await page.getByText("Drop a CSV or Excel file here").waitFor();
  await limitUpload(link, -1);
  expect(await desk.call("GET", "/imports")).toEqual([]);
  // The page takes the next file.
  await upload(page, "otros.csv", tableOf(2));
  await page.getByRole("heading", { name: "otros.csv", level: 1 }).waitFor();
});

/** Opens an import whose dry run is over, and begins its commit. */
async function startCommit(rows: number): Promise<Page> {
  const page = await desk.open("/settings/imports/new");
  await upload(page, "clientes.csv", tableOf(rows));
  await page.getByRole("button", { name: "Start dry run" }).click();
  await page.getByText("Each row is compared with your contacts.").waitFor();
  await desk.work();
  await page.getByRole("button", { name: `Import ${rows.toLocaleString("en")} contacts` }).click();
  await page.getByRole("heading", { name: "Importing" }).waitFor();
  return page;
}

const countContacts = async (): Promise<number | undefined> => (await desk.count("contacts"))[0];

test("a paused import stays where it is until a person resumes it, by keyboard", async () => {
  const page = await startCommit(1_100);
  await desk.workOneBatch();
  await page.getByText("500 of 1,100 rows").waitFor();
  await page.getByRole("button", { name: "Pause" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Paused. Rows that were imported stay.").waitFor();
  await expectFocus(page.getByRole("button", { name: "Resume" }));
  expect(await findBarriers(page)).toEqual([]);
  await desk.work();
  expect(await countContacts()).toBe(500);
  await page.getByText("500 of 1,100 rows").waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("You may leave this page. The work goes on.").waitFor();
  await desk.work();
  await page.getByRole("heading", { name: "The import is done" }).waitFor();
  expect(await countContacts()).toBe(1_100);
  await resultFilter(page, "1,100 New").waitFor();
});

test("an import that is cancelled midway keeps the rows that are done, and can be undone", async () => {
  const page = await startCommit(1_100);
  await desk.workOneBatch();
  await page.getByRole("button", { name: "Cancel import" }).click();
  const dialog = page.getByRole("dialog", { name: "Cancel this import?" });
  await dialog.getByText("Rows that were imported stay.").waitFor();
  await dialog.getByRole("button", { name: "Go on" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await desk.call("GET", "/imports")).toMatchObject([{ state: "committing" }]);
  await page.getByRole("button", { name: "Cancel import" }).click();
  await dialog.getByRole("button", { name: "Cancel import" }).click();
  await page.getByRole("heading", { name: "The import was cancelled" }).waitFor();
  await page.getByText("Rows that were imported until then stay.").waitFor();
  await desk.work();
  expect(await countContacts()).toBe(500);
  await page.getByRole("button", { name: "Undo import" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Undo import" }).click();
  await page.getByRole("heading", { name: "The import is being undone" }).waitFor();
  await desk.work();
  await page.getByText("500 rows were undone.").waitFor();
  expect(await countContacts()).toBe(0);
});

const chat = [
  "13/4/25, 9:15 - Sonrisa Dental: Hola Martina, ¿en qué te podemos ayudar?",
  "13/4/25, 9:17 - Martina Acosta: Quiero una cita",
  "14/4/25, 10:02 - Sonrisa Dental: ¿El martes a las 10?",
].join("\n");

/** Imports the chat with a contact. @returns the page of the result */
async function importChat(): Promise<Page> {
  const page = await desk.open("/settings/imports/new?kind=chat");
  await upload(page, "chat.txt", chat);
  await page.getByRole("radio", { name: "Sonrisa Dental" }).check();
  await page.getByRole("textbox", { name: "Phone" }).fill("+52 55 2222 0001");
  await page.getByRole("button", { name: "Start dry run" }).click();
  await page.getByText("Each message is compared with the conversation.").waitFor();
  await desk.work();
  await page.getByRole("button", { name: "Import 3 messages" }).click();
  await page.getByRole("heading", { name: "Importing" }).waitFor();
  await desk.work();
  await page.getByRole("heading", { name: "The import is done" }).waitFor();
  return page;
}

async function undo(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Undo import" }).click();
  const dialog = page.getByRole("dialog", { name: "Undo this import?" });
  await dialog.getByText("Imported messages go.").waitFor();
  await dialog.getByRole("button", { name: "Undo import" }).click();
  await page.getByRole("heading", { name: "The import is being undone" }).waitFor();
  await desk.work();
  await page.getByRole("heading", { name: "The import was undone" }).waitFor();
  await page.getByText("3 rows were undone.").waitFor();
}

test("the undo of a chat takes its messages, its conversation and its contact back", async () => {
  const page = await importChat();
  expect(await desk.count("contacts", "conversations", "messages")).toEqual([1, 1, 3]);
  await undo(page);
  expect(await desk.count("contacts", "conversations", "messages")).toEqual([0, 0, 0]);
  await resultFilter(page, "3 Undone").click();
  await expect.poll(async () => await listedRows(page).count()).toBe(4);
  expect(await findBarriers(page)).toEqual([]);
});

test("the undo of a chat leaves what people have written since then", async () => {
  const page = await importChat();
  const message = { channel: "whatsapp", from: "525522220001", text: "¿Sigue en pie?" };
  await desk.call("POST", "/sandbox/messages", message);
  await undo(page);
  expect(await desk.count("contacts", "conversations", "messages")).toEqual([1, 1, 1]);
  await page.getByRole("link", { name: "Open inbox" }).click();
  await page.getByRole("link", { name: /Martina Acosta/u }).click();
  await page.getByRole("log").getByText("¿Sigue en pie?").waitFor();
  expect(await page.getByRole("log").getByText("Quiero una cita").count()).toBe(0);
});
