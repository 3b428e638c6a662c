import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { findBarriers } from "../support/browser.ts";
import { receive, type Incoming } from "../support/conversations.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
let account: TestAccount;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
});

/** A customer writes over web chat. @returns the conversation's id. */
async function write(message: Omit<Incoming, "from">): Promise<number> {
  const from = "visitor-7";
  const given = { channel: "web", name: "Ana Ruiz", content: null, ...message, from } as const;
  const { row } = await receive(fixture.database.dataSource, account.accountId, given);
  return row.conversationId;
}

const media = (url: string) => ({ url, mime_type: null });
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function open(id: number) {
  const opened = await fixture.open("/inbox", { as: account.cookie });
  await opened.page.route("https://media.example/**", async (route) => {
    const found = route.request().url().endsWith(".png");
    await route.fulfill(found ? { contentType: "image/png", body: pixel } : { status: 404 });
  });
  await opened.page.goto(`${fixture.api.url}/inbox/${id}`);
  return opened;
}

const thread = (page: Page) => page.getByRole("log", { name: "Messages" });

test("media are shown as what they are, each with its own way to open it", async () => {
  await write({
    type: "image",
    content: "The menu",
    media: media("https://media.example/menu.png"),
  });
  await write({ type: "document", media: media("https://media.example/Mi%20factura.pdf") });
  await write({ type: "image", media: media("https://media.example/gone.jpg") });
  await write({ type: "audio", media: media("https://media.example/voice.ogg") });
  const id = await write({ type: "video", media: media("https://media.example/clip.mp4") });
  const { page } = await open(id);
  const image = thread(page).getByRole("img", { name: "The menu" });
  await expect
    .poll(
      async () =>
        await image.evaluate((it) => (it as unknown as { naturalWidth: number }).naturalWidth),
    )
    .toBe(1);
  expect(await image.getAttribute("referrerpolicy")).toBe("no-referrer");
  await thread(page).getByText("The menu", { exact: true }).waitFor();
  for (const [name, url] of [
    [/^The menu$/, "https://media.example/menu.png"],
    [/^Mi factura\.pdf Document$/, "https://media.example/Mi%20factura.pdf"],
    [/^gone\.jpg Image$/, "https://media.example/gone.jpg"],
  ] as const) {
    const link = thread(page).getByRole("link", { name });
    await link.waitFor();
    expect(await link.getAttribute("href")).toBe(url);
    expect(await link.getAttribute("target")).toBe("_blank");
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
  }
  const players = await thread(page)
    .locator("audio, video")
    .evaluateAll((all) => all.map((one) => [one.getAttribute("src"), one.getAttribute("preload")]));
  expect(players).toEqual([
    ["https://media.example/voice.ogg", "none"],
    ["https://media.example/clip.mp4", "none"],
  ]);
  expect(await findBarriers(page)).toEqual([]);
});

/** A page with these pictures and videos of one customer, the oldest first. */
async function openShots(...shots: [type: "image" | "video", caption: string, file: string][]) {
  let id = 0;
  for (const [type, content, file] of shots) {
    id = await write({ type, content, media: media(`https://media.example/${file}`) });
  }
  const opened = await open(id);
  return { ...opened, dialog: opened.page.getByRole("dialog", { name: "Pictures and videos" }) };
}

test("a picture opens over the window, and the arrows lead to the others", async () => {
  const { page, dialog } = await openShots(
    ["image", "First", "one.png"],
    ["video", "Second", "two.mp4"],
    ["image", "Third", "three.png"],
  );
  await thread(page).getByRole("link", { name: "First" }).click();
  await dialog.getByRole("img", { name: "First" }).waitFor();
  await dialog.getByText("1 of 3").waitFor();
  const download = dialog.getByRole("link", { name: "Download" });
  expect(await download.getAttribute("href")).toBe("https://media.example/one.png");
  expect(await dialog.getByRole("button", { name: "Previous" }).getAttribute("aria-disabled")).toBe(
    "true",
  );
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press("ArrowRight");
  await dialog.getByText("2 of 3").waitFor();
  await page.keyboard.press("ArrowRight");
  await dialog.getByRole("img", { name: "Third" }).waitFor();
  // The last one stays.
  await page.keyboard.press("ArrowRight");
  await dialog.getByText("3 of 3").waitFor();
  await dialog.getByRole("button", { name: "Previous" }).click();
  await dialog.getByText("2 of 3").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  const focused = page.locator(":focus");
  expect(await focused.getAttribute("href")).toBe("https://media.example/one.png");
});

test("a file that the viewer cannot show says so, and can still be downloaded", async () => {
  const { page, dialog } = await openShots(
    ["image", "First", "one.png"],
    ["video", "Second", "gone.mp4"],
  );
  await thread(page).getByRole("link", { name: "First" }).click();
  await dialog.getByRole("button", { name: "Next" }).click();
  await dialog.getByText("The file cannot be shown here.").waitFor();
  expect(await dialog.getByRole("link", { name: "Download" }).count()).toBe(1);
});

test("with a key held, a picture is left to the browser", async () => {
  const { page, dialog } = await openShots(["image", "First", "one.png"]);
  const link = thread(page).getByRole("link", { name: "First" });
  await link.click();
  await dialog.getByRole("img", { name: "First" }).waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await link.dispatchEvent("click", { ctrlKey: true, bubbles: true, cancelable: true });
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))");
  expect(await dialog.count()).toBe(0);
});

/** A minute of silence: 8 bits, 8,000 a second. No test lasts until its end. */
function silence(): Buffer {
  const samples = 480_000;
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(8_000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples, 40);
  return Buffer.concat([head, Buffer.alloc(samples, 128)]);
}

test("sounds play one at a time, at a speed, from a place", async () => {
  await write({ type: "audio", media: media("https://media.example/one.wav") });
  const id = await write({ type: "audio", media: media("https://media.example/two.wav") });
  const opened = await fixture.open("/inbox", { as: account.cookie });
  const { page } = opened;
  await page.route("https://media.example/*.wav", async (route) => {
    // Chromium moves in a sound whose parts it can ask for.
    const body = silence();
    const [from = "0"] = /\d+/u.exec(route.request().headers()["range"] ?? "") ?? [];
    const range = `bytes ${from}-${body.length - 1}/${body.length}`;
    const headers = { "accept-ranges": "bytes", "content-range": range };
    const part = body.subarray(Number(from));
    await route.fulfill({ status: 206, contentType: "audio/wav", headers, body: part });
  });
  await page.goto(`${fixture.api.url}/inbox/${id}`);
  const players = thread(page).getByRole("group", { name: "Audio" });
  const [first, second] = [players.nth(0), players.nth(1)];
  await first.getByRole("button", { name: "Speed: 1×" }).click();
  await first.getByRole("button", { name: "Speed: 1.5×" }).click();
  await first.getByRole("button", { name: "Speed: 2×" }).waitFor();
  await first.getByRole("button", { name: "Play" }).click();
  await first.getByRole("button", { name: "Pause" }).waitFor();
  await second.getByRole("button", { name: "Play" }).click();
  await second.getByRole("button", { name: "Pause" }).waitFor();
  await first.getByRole("button", { name: "Play" }).waitFor();
  const rate = await first
    .locator("audio")
    .evaluate((one) => (one as unknown as { playbackRate: number }).playbackRate);
  expect(rate).toBe(2);
  await second.getByRole("button", { name: "Pause" }).click();
  await second.getByRole("slider", { name: "Position" }).fill("1.5");
  await second.getByText("0:01").waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

test("URLs of messages and notes are links, and nothing else is", async () => {
  const text =
    "See https://example.com/a?b=1, not javascript:alert(1) <img src=x onerror=alert(1)>";
  const id = await write({ type: "text", content: text });
  await write({ type: "document", media: media("javascript:alert(1)") });
  await fixture.api.call("POST", `/dashboard/api/conversations/${id}/notes`, {
    cookie: account.cookie,
    body: { text: "Ticket http://tickets.example/7." },
  });
  const { page, faults } = await open(id);
  await thread(page).getByText("[Document]", { exact: true }).waitFor();
  const links = await thread(page)
    .getByRole("link")
    .evaluateAll((all) => all.map((one) => [one.getAttribute("href"), one.getAttribute("rel")]));
  expect(links).toEqual([
    ["https://example.com/a?b=1", "noopener noreferrer"],
    ["http://tickets.example/7", "noopener noreferrer"],
  ]);
  expect(faults).toEqual([]);
});

/** A reply that its channel has not taken. */
async function failReply(id: number, code: string): Promise<void> {
  const path = `/dashboard/api/conversations/${id}/messages`;
  await fixture.api.call("POST", path, { cookie: account.cookie, body: { content: "Your table" } });
  await fixture.database.dataSource.query(
    "UPDATE messages SET status = 'failed', error = ? WHERE conversation_id = ? AND direction = 'outbound'",
    [JSON.stringify({ code, message: "Refused.", provider_code: null }), id],
  );
}

test("a failed message is tried again where it stands", async () => {
  const id = await write({ type: "text", content: "Hello" });
  await failReply(id, "channel_unavailable");
  const { page } = await open(id);
  await thread(page).getByRole("button", { name: "Try again" }).click();
  await expect.poll(async () => await thread(page).getByText("Your table").count()).toBe(2);
  await thread(page).getByText("Queued").waitFor();
  expect(await thread(page).getByRole("button", { name: "Try again" }).count()).toBe(0);
});

test("one that may have arrived asks before it goes a second time", async () => {
  const id = await write({ type: "text", content: "Hello" });
  await failReply(id, "outcome_unknown");
  const { page } = await open(id);
  await thread(page).getByRole("button", { name: "Try again" }).click();
  const dialog = page.getByRole("dialog", { name: "Send it again?" });
  await dialog.getByText("the customer may read it twice").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await thread(page).getByText("Your table").count()).toBe(1);
  await thread(page).getByRole("button", { name: "Try again" }).click();
  await dialog.getByRole("button", { name: "Send again" }).click();
  await expect.poll(async () => await thread(page).getByText("Your table").count()).toBe(2);
});
