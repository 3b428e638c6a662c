import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { expectFocus, findBarriers } from "../support/browser.ts";
import { receive } from "../support/conversations.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

// Files of a reply: chosen, pasted, dropped, refused, and sent with a caption.
const fixture = useFixture(startDashboard);
let account: TestAccount;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
});

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const picture = { name: "photo.png", mimeType: "image/png", buffer: png };
const letter = { name: "letter.txt", mimeType: "text/plain", buffer: Buffer.from("Dear Ana") };

/** A customer writes, and a person opens the conversation. */
async function open(channel: "web" | "instagram" = "web") {
  const { dataSource } = fixture.database;
  const given = { channel, from: "visitor-7", name: "Ana Ruiz" } as const;
  const { row } = await receive(dataSource, account.accountId, given);
  const id = row.conversationId;
  const opened = await fixture.open(`/inbox/${id}?view=all`, { as: account.cookie });
  const { page } = opened;
  await page.getByRole("button", { name: "Attach files" }).waitFor();
  return { ...opened, id, files: page.getByRole("list", { name: "Attached files" }) };
}

async function choose(page: Page, ...files: (typeof picture)[]): Promise<void> {
  await page.locator("input[data-attach=files]").setInputFiles(files);
}

const sendButton = (page: Page) => page.getByRole("button", { name: "Send", exact: true });
const replyField = (page: Page) => page.getByRole("textbox", { name: "Reply" });

interface Sent {
  direction: string;
  type: string;
  content: string | null;
  attachments: { kind: string; filename: string | null; state: string }[];
}

/** Our messages of a conversation, the oldest first. */
async function listSent(id: number): Promise<Sent[]> {
  const path = `/dashboard/api/conversations/${id}/messages`;
  const { json } = await fixture.api.call("GET", path, { cookie: account.cookie });
  return (json.data as Sent[]).filter(({ direction }) => direction === "outbound").toReversed();
}

test("chosen files go in their order, and the text is the caption of the first", async () => {
  const { page, id, files, faults } = await open();
  await choose(page, picture, letter);
  await files.getByText("photo.png").waitFor();
  await files.getByText("letter.txt").waitFor();
  await replyField(page).fill("The way to us");
  expect(await findBarriers(page)).toEqual([]);
  await sendButton(page).click();
  await expect.poll(async () => (await listSent(id)).length).toBe(2);
  const sent = await listSent(id);
  expect(sent.map(({ type, content }) => [type, content])).toEqual([
    ["image", "The way to us"],
    ["document", null],
  ]);
  expect(sent.flatMap(({ attachments }) => attachments.map((one) => one.filename))).toEqual([
    "photo.png",
    "letter.txt",
  ]);
  await files.getByRole("listitem").first().waitFor({ state: "detached" });
  expect(await replyField(page).inputValue()).toBe("");
  const log = page.getByRole("log", { name: "Messages" });

  await log.getByText("The way to us").waitFor();
  await log.getByText("letter.txt").waitFor();
  // Only links of messages lead to the public URL, which this API does not have.
  expect(faults.filter((one) => !one.includes("/media/"))).toEqual([]);
});

test("a picture shows before it is sent, and its bytes leave the memory with it", async () => {
  const { page, files, faults } = await open();
  await page.addInitScript(`
    globalThis.shown = new Set();
    const { createObjectURL, revokeObjectURL } = URL;
    URL.createObjectURL = (file) => {
      const url = createObjectURL(file);
      shown.add(url);
      return url;
    };
    URL.revokeObjectURL = (url) => {
      shown.delete(url);
      revokeObjectURL(url);
    };
  `);
  await page.reload();
  await page.getByRole("button", { name: "Attach files" }).waitFor();
  const heic = { name: "phone.heic", mimeType: "image/heic", buffer: Buffer.from("no picture") };
  await choose(page, picture, letter, heic);
  await files.getByText("phone.heic").waitFor();
  // A format that the browser cannot draw shows the sign of a file.
  await expect.poll(async () => await files.locator("img").count()).toBe(1);
  const width = async () =>
    await files
      .locator("img")
      .evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth);
  await expect.poll(width).toBe(1);
  const shown = async () => await page.evaluate<number>("shown.size");
  expect(await shown()).toBe(1);
  await files.getByRole("button", { name: "Remove photo.png" }).click();
  await expect.poll(shown).toBe(0);
  await choose(page, picture);
  await expect.poll(shown).toBe(1);
  await expect.poll(async () => await sendButton(page).isEnabled()).toBe(true);
  await sendButton(page).click();
  await expect.poll(shown).toBe(0);
  expect(faults.filter((one) => one.includes("Content Security"))).toEqual([]);
});

/** Script that tells the page of a picture as its paste, or a step of its drop, does. */
function give(kind: "paste" | "dragover" | "drop"): string {
  return `(() => {
    const data = new DataTransfer();
    const bytes = Uint8Array.from(atob("${png.toString("base64")}"), (one) => one.charCodeAt(0));
    data.items.add(new File([bytes], "${kind}.png", { type: "image/png" }));
    const options = { bubbles: true, cancelable: true, clipboardData: data, dataTransfer: data };
    const Given = "${kind}" === "paste" ? ClipboardEvent : DragEvent;
    return document.querySelector("section form textarea").dispatchEvent(new Given("${kind}", options));
  })()`;
}

test("a picture is pasted or dropped, and a note takes none", async () => {
  const { page, files } = await open();
  expect(await page.evaluate(give("paste"))).toBe(false);
  await files.getByText("paste.png").waitFor();
  expect(await page.evaluate(give("dragover"))).toBe(false);
  await page.getByText("Drop the files to attach them").waitFor();
  expect(await page.evaluate(give("drop"))).toBe(false);
  await files.getByText("drop.png").waitFor();
  await page
    .locator("label")
    .filter({ hasText: /^Note$/u })
    .click();
  await page.getByRole("textbox", { name: "Note" }).waitFor();
  expect(await files.count()).toBe(0);
  expect(await page.evaluate(give("dragover"))).toBe(false);
  expect(await page.evaluate(give("drop"))).toBe(false);
  await page.getByText("Files go with a reply.").waitFor();
  await page
    .locator("label")
    .filter({ hasText: /^Reply$/u })
    .click();
  expect(await files.getByRole("listitem").count()).toBe(2);
});

test("a file that is too large for the channel is refused before it is uploaded", async () => {
  const { page, files } = await open("instagram");
  const uploads: string[] = [];
  page.on("request", (one) => one.url().includes("/api/media") && uploads.push(one.url()));
  const buffer = Buffer.alloc(26 * 1_024 * 1_024);
  await choose(page, { name: "film.mp4", mimeType: "video/mp4", buffer });
  await page.getByText("film.mp4 was not attached").waitFor();
  await page.getByText("This channel takes files of up to 25 MB.").waitFor();
  expect(await files.getByRole("listitem").count()).toBe(0);
  expect(uploads).toEqual([]);
});

test("an upload that fails says why, and is tried again; a removed file is not sent", async () => {
  const { page, id, files } = await open();
  let fails = true;
  await page.route("**/dashboard/api/media?**", async (route) => {
    await (fails ? route.abort() : route.continue());
  });
  await choose(page, picture);
  const again = files.getByRole("button", { name: "Upload photo.png again" });
  await again.waitFor();
  await replyField(page).fill("Look");
  expect(await sendButton(page).isDisabled()).toBe(true);
  fails = false;
  await again.click();
  await expect.poll(async () => await sendButton(page).isEnabled()).toBe(true);
  await files.getByRole("button", { name: "Remove photo.png" }).click();
  await expectFocus(replyField(page));
  await sendButton(page).click();
  await expect.poll(async () => (await listSent(id)).map(({ type }) => type)).toEqual(["text"]);
});

test("a file and its caption that are refused return to the reply", async () => {
  const { page, id, files } = await open();
  await choose(page, picture);
  await files.getByText("photo.png").waitFor();
  await replyField(page).fill("Look at this");
  await expect.poll(async () => await sendButton(page).isEnabled()).toBe(true);
  let refuses = true;
  await page.route("**/conversations/*/messages", async (route) => {
    const isSend = route.request().method() === "POST" && refuses;
    await (isSend ? route.abort() : route.continue());
  });
  await sendButton(page).click();
  // A sent text leaves the field at once, and comes back with the refusal.
  await expect.poll(async () => await replyField(page).inputValue()).toBe("Look at this");
  await files.getByText("photo.png").waitFor();
  refuses = false;
  await sendButton(page).click();
  await expect
    .poll(async () => (await listSent(id)).map(({ content }) => content))
    .toEqual(["Look at this"]);
});

test("the files of another conversation wait there", async () => {
  const { page, id, files } = await open();
  const { dataSource } = fixture.database;
  const other = { channel: "web", from: "visitor-8", name: "Bea Sol" } as const;
  await receive(dataSource, account.accountId, other);
  await choose(page, picture);
  await files.getByText("photo.png").waitFor();
  await page.getByRole("link", { name: /Bea Sol/ }).click();
  await page.getByRole("heading", { name: "Bea Sol" }).first().waitFor();
  expect(await files.count()).toBe(0);
  await page.getByRole("link", { name: /Ana Ruiz/ }).click();
  await files.getByText("photo.png").waitFor();
  expect(await listSent(id)).toEqual([]);
});
