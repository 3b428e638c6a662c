import { setTimeout as sleep } from "node:timers/promises";
import type { Locator, Page, Route } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { recordChange } from "../../core/services/outbox/changes.ts";
import { asSystem, createTestAccount, type TestAccount } from "../support/accounts.ts";
import { expectFocus, findBarriers } from "../support/browser.ts";
import { receive } from "../support/conversations.ts";
import { startDashboard, type OpenOptions } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
let account: TestAccount;
let contactId: number;
let conversationId: number;
let messageId: number;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
  const from = "5215512345678";
  const body = { channel: "whatsapp", from, name: "Ana Ruiz", text: "Hello" };
  const message = await call("POST", "/sandbox/messages", body);
  contactId = message.contact_id;
  conversationId = message.conversation_id;
  messageId = message.id;
});

async function call(method: string, path: string, body?: unknown) {
  const { cookie } = account;
  const answer = await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
  expect([path, answer.status < 300]).toEqual([path, true]);
  return answer.json.data;
}

async function open(options: Omit<OpenOptions, "as"> = {}): Promise<Page> {
  const { page } = await fixture.open(`/inbox/${conversationId}`, {
    as: account.cookie,
    ...options,
  });
  await page.getByRole("log", { name: "Messages" }).getByText("Hello").waitFor();
  return page;
}

const panel = (page: Page) => page.getByRole("region", { name: "Contact", exact: true });
const stored = async () => await call("GET", `/contacts/${contactId}`);

/** Opens a field of the card with its pencil. */
async function edit(page: Page, label: string): Promise<Locator> {
  await panel(page)
    .getByRole("button", { name: `Edit ${label}` })
    .click();
  const field = panel(page).getByRole("textbox", { name: label });
  await expectFocus(field);
  return field;
}

test("the card shows the phone as people write it, linked, and every part stands without barriers", async () => {
  await call("PATCH", `/contacts/${contactId}`, { email: "ana@example.com" });
  await call("PUT", `/contacts/${contactId}/tags`, { tags: ["VIP"] });
  const page = await open();
  const phone = panel(page).getByRole("link", { name: "+52 55 1234 5678" });
  expect(await phone.getAttribute("href")).toBe("tel:+525512345678");
  expect(await panel(page).getByRole("link", { name: "Call" }).getAttribute("href")).toBe(
    "tel:+525512345678",
  );
  const email = panel(page).getByRole("link", { name: "ana@example.com" });
  expect(await email.getAttribute("href")).toBe("mailto:ana@example.com");
  await panel(page).getByText("VIP", { exact: true }).waitFor();
  await panel(page)
    .getByText(/^Contact since \w+ \d{4}$/)
    .waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

test("by keyboard Enter saves a field and Escape reverts it; both give the focus back", async () => {
  const page = await open();
  const name = await edit(page, "Name");
  await name.fill("Ana María");
  await name.press("Enter");
  await panel(page).getByRole("heading", { name: "Ana María" }).waitFor();
  await expectFocus(panel(page).getByRole("button", { name: "Edit Name" }));
  await expect.poll(async () => (await stored()).name).toBe("Ana María");
  await page.getByRole("heading", { level: 1, name: "Ana María" }).waitFor();
  await page.keyboard.press("Enter");
  await name.fill("Nobody");
  await name.press("Escape");
  await panel(page).getByRole("heading", { name: "Ana María" }).waitFor();
  await expectFocus(panel(page).getByRole("button", { name: "Edit Name" }));
  expect((await stored()).name).toBe("Ana María");
});

test("leaving a field saves its text, and an emptied field is cleared", async () => {
  const page = await open();
  const name = await edit(page, "Name");
  await name.fill("Anita");
  await page.getByRole("textbox", { name: "Reply" }).click();
  await panel(page).getByRole("heading", { name: "Anita" }).waitFor();
  await expect.poll(async () => (await stored()).name).toBe("Anita");
  const again = await edit(page, "Name");
  await again.fill("");
  await again.press("Enter");
  await panel(page).getByRole("button", { name: "Add a name" }).waitFor();
  await expect.poll(async () => (await stored()).has_name).toBe(false);
});

test("a value shows before the server has answered, and a refusal brings the text back with the reason", async () => {
  const page = await open();
  const held: Route[] = [];
  await page.route(`**/contacts/${contactId}`, async (route) => {
    if (route.request().method() === "PATCH") held.push(route);
    else await route.continue();
  });
  const name = await edit(page, "Name");
  await name.fill("Ana María");
  await name.press("Enter");
  await panel(page).getByRole("heading", { name: "Ana María" }).waitFor();
  await expect.poll(() => held.length).toBe(1);
  await held[0]?.abort();
  await panel(page).getByText("The server did not answer.").waitFor();
  expect(await name.inputValue()).toBe("Ana María");
  await name.press("Escape");
  await panel(page).getByRole("heading", { name: "Ana Ruiz" }).waitFor();
  expect((await stored()).name).toBe("Ana Ruiz");
});

test("a refusal takes no focus from a person who writes elsewhere by then", async () => {
  const page = await open();
  const held: Route[] = [];
  await page.route(`**/contacts/${contactId}`, async (route) => {
    if (route.request().method() === "PATCH") held.push(route);
    else await route.continue();
  });
  await (await edit(page, "Name")).fill("Ana María");
  const reply = page.getByRole("textbox", { name: "Reply" });
  await reply.click();
  await expect.poll(() => held.length).toBe(1);
  await held[0]?.abort();
  await panel(page).getByRole("alert").getByText("The server did not answer.").waitFor();
  await expectFocus(reply);
});

test("a refusal after the person went on to another conversation is told", async () => {
  const body = { channel: "whatsapp", from: "5215587654321", name: "Benito", text: "Hi" };
  await call("POST", "/sandbox/messages", body);
  const page = await open();
  const phone = await edit(page, "Phone");
  await phone.fill("12");
  const held: Route[] = [];
  await page.route(`**/contacts/${contactId}`, (route) => void held.push(route));
  await page.getByRole("link", { name: /Benito/ }).click();
  await page.getByRole("region", { name: "Conversation with Benito" }).waitFor();
  await expect.poll(() => held.length).toBe(1);
  await held[0]?.continue();
  const told = page.getByRole("alert").filter({ hasText: "The contact stays as before" });
  await told.getByText("Use 8 to 15 digits with the country code.").waitFor();
});

test("a phone or an email that cannot be is refused at its field, with what to write", async () => {
  const page = await open();
  const phone = await edit(page, "Phone");
  await phone.fill("12");
  await phone.press("Enter");
  await panel(page).getByText("Use 8 to 15 digits with the country code.").waitFor();
  expect(await phone.inputValue()).toBe("12");
  expect(await page.getByText("The contact stays as before").count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
  await phone.fill("+52 55 9999 0000");
  await phone.press("Enter");
  await panel(page).getByRole("link", { name: "+52 55 9999 0000" }).waitFor();
  await expect.poll(async () => (await stored()).phone).toBe("525599990000");
});

test("two people edit one field: the second is told of the first, and the last one who saves wins", async () => {
  const [mine, theirs] = [await open(), await open()];
  const my = await edit(mine, "Name");
  await my.fill("Ana María");
  const their = await edit(theirs, "Name");
  await their.fill("Anita");
  await their.press("Enter");
  const said = panel(mine).getByText("Somebody has changed “Name” to “Anita” meanwhile.");
  await said.waitFor();
  expect(await my.inputValue()).toBe("Ana María");
  // Leaving the field does not replace the newer name.
  await mine.getByRole("textbox", { name: "Reply" }).click();
  expect((await stored()).name).toBe("Anita");
  expect(await my.inputValue()).toBe("Ana María");
  await my.press("Enter");
  for (const page of [mine, theirs]) {
    await panel(page).getByRole("heading", { name: "Ana María" }).waitFor();
  }
  expect((await stored()).name).toBe("Ana María");
});

test("who reverts after somebody else's edit sees the newer value", async () => {
  const page = await open();
  const name = await edit(page, "Name");
  await name.fill("Ana María");
  await call("PATCH", `/contacts/${contactId}`, { name: "Anita" });
  await panel(page).getByText("Somebody has changed “Name”").waitFor();
  await name.press("Escape");
  await panel(page).getByRole("heading", { name: "Anita" }).waitFor();
  expect((await stored()).name).toBe("Anita");
});

test("an answer that arrives late does not hide a newer edit of somebody else", async () => {
  const page = await open();
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(`**/contacts/${contactId}`, async (route) => {
    if (route.request().method() !== "PATCH") return await route.continue();
    const body: unknown = route.request().postDataJSON();
    const data = await call("PATCH", `/contacts/${contactId}`, body);
    await released;
    await route.fulfill({ json: { success: true, data } });
  });
  const name = await edit(page, "Name");
  await name.fill("Ana María");
  await name.press("Enter");
  await expect.poll(async () => (await stored()).name).toBe("Ana María");
  await call("PATCH", `/contacts/${contactId}`, { name: "Anita" });
  release();
  await panel(page).getByRole("heading", { name: "Anita" }).waitFor();
  expect((await stored()).name).toBe("Anita");
});

test("tags are edited in place, and a refused one goes back", async () => {
  const page = await open();
  await panel(page).getByRole("button", { name: "Edit tags" }).click();
  const tags = panel(page).getByRole("combobox", { name: "Tags" });
  await tags.fill("VIP");
  await tags.press("Enter");
  await tags.press("Escape");
  await panel(page).getByText("VIP", { exact: true }).waitFor();
  await expect.poll(async () => (await stored()).tags).toEqual(["VIP"]);
  await panel(page).getByRole("button", { name: "Edit tags" }).click();
  await tags.fill("x".repeat(51));
  await tags.press("Enter");
  await page.getByText("The contact stays as before").waitFor();
  await tags.press("Escape");
  await expect.poll(async () => await panel(page).getByText("xxxx").count()).toBe(0);
  expect((await stored()).tags).toEqual(["VIP"]);
});

test("a tag that was not saved is not told where the next change has saved it", async () => {
  const page = await open();
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const fail = async (route: Route): Promise<void> => {
    await released;
    await route.fulfill({ status: 503, json: { error: { code: "unavailable" } } });
  };
  await page.route(`**/contacts/${contactId}/tags`, fail, { times: 1 });
  await panel(page).getByRole("button", { name: "Edit tags" }).click();
  const tags = panel(page).getByRole("combobox", { name: "Tags" });
  for (const tag of ["VIP", "Gold"]) {
    await tags.fill(tag);
    await tags.press("Enter");
  }
  const failed = page.waitForResponse((response) => response.status() === 503);
  release();
  await failed;
  await expect.poll(async () => (await stored()).tags).toEqual(["VIP", "Gold"]);
  await sleep(300);
  expect(await page.getByText("The contact stays as before").count()).toBe(0);
});

test("a tag that is refused after the person left its field is told", async () => {
  const page = await open();
  await panel(page).getByRole("button", { name: "Edit tags" }).click();
  await panel(page).getByRole("combobox", { name: "Tags" }).fill("x".repeat(51));
  await page.getByRole("textbox", { name: "Reply" }).click();
  await page.getByText("The contact stays as before").waitFor();
  expect((await stored()).tags).toEqual([]);
});

/** A pipeline with six stages, the contact in the third. */
async function makePipeline() {
  const names = ["New", "Contacted", "Visit", "Quote sent", "Booked", "Won"];
  const pipeline = await call("POST", "/pipelines", { name: "New patients", stages: names });
  await call("POST", `/contacts/${contactId}/stage`, { stage_id: pipeline.stages[2].id });
  return pipeline;
}

test("the path shows the present stage in its colour, and a click on a step moves the contact", async () => {
  await makePipeline();
  const page = await open();
  const path = panel(page).getByRole("group", { name: "New patients" });
  await path.getByRole("button", { name: "Visit", exact: true }).waitFor();
  await panel(page).getByText("3 of 6").waitFor();
  await panel(page).getByText("Since today").waitFor();
  expect(await path.locator("[aria-current=step]").getAttribute("aria-label")).toBe("Visit");
  const next = path.getByRole("button", { name: "Move to Quote sent" });
  await next.focus();
  await page.keyboard.press("Enter");
  await panel(page).getByText("4 of 6").waitFor();
  await page.getByRole("log").getByText("Now in Quote sent (New patients)").waitFor();
  const { stage } = await call("GET", `/conversations/${conversationId}`);
  expect(stage.stage_name).toBe("Quote sent");
  expect(await findBarriers(page)).toEqual([]);
});

test("a move that the server refuses goes back, with the reason", async () => {
  await makePipeline();
  const page = await open();
  await page.route("**/stage", async (route) => await route.abort());
  await panel(page).getByRole("button", { name: "Move to Won" }).click();
  await page.getByText("The conversation stays as before").waitFor();
  await panel(page).getByText("3 of 6").waitFor();
  const { stage } = await call("GET", `/conversations/${conversationId}`);
  expect(stage.stage_name).toBe("Visit");
});

test("earlier conversations of the contact are listed with their last words, six at first", async () => {
  const page = await open();
  const part = panel(page).getByRole("group", { name: "Earlier conversations" });
  await part.getByText("No other conversation yet.").waitFor();
  const other = await call("POST", "/contacts", { name: "Ana R.", email: "ana@example.com" });
  const { dataSource } = fixture.database;
  const ids: number[] = [];
  for (const [channel, from] of [
    ["instagram", "ana.ruiz"],
    ["facebook", "ana.fb"],
    ["web", "visitor-1"],
    ...Array.from({ length: 5 }, (_, at) => ["web", `visitor-${at + 2}`] as const),
  ] as const) {
    const incoming = { channel, from, content: `Words from ${from}` };
    const { row } = await receive(dataSource, account.accountId, incoming);
    ids.push(row.conversationId);
  }
  await dataSource.query("UPDATE conversations SET contact_id = ? WHERE id IN (?)", [
    other.id,
    ids,
  ]);
  await call("POST", `/contacts/${other.id}/merge`, { into_contact_id: contactId });
  await part.getByText("Words from visitor-6").waitFor();
  expect(await part.getByRole("listitem").count()).toBeLessThan(8);
  await part.getByRole("button", { name: "Show more" }).click();
  await expect.poll(async () => await part.getByRole("listitem").count()).toBe(8);
  expect(await part.getByRole("button", { name: "Show more" }).count()).toBe(0);
  await part.getByRole("link", { name: /Words from ana\.ruiz/ }).click();
  await page.waitForURL(`**/inbox/${ids[0]}`);
});

test("an earlier conversation that ends with a file without words says which kind", async () => {
  const audio = { channel: "web", from: "visitor-1", type: "audio", content: null } as const;
  const { row } = await receive(fixture.database.dataSource, account.accountId, audio);
  const other = (await call("GET", `/conversations/${row.conversationId}`)).contact_id;
  await call("POST", `/contacts/${other}/merge`, { into_contact_id: contactId });
  const page = await open();
  const part = panel(page).getByRole("group", { name: "Earlier conversations" });
  await part.getByRole("link", { name: /Audio/ }).waitFor();
  expect(await part.getByText("[audio]").count()).toBe(0);
});

test("a file that arrives after its message is there in the open list of files by itself", async () => {
  const { dataSource } = fixture.database;
  await dataSource.query(
    `INSERT INTO message_media (account_id, message_id, conversation_id, contact_id,
            channel_account_id, position, kind, state, filename)
     SELECT account_id, id, conversation_id, contact_id, channel_account_id, 0, 'document', 'pending',
            'offer.pdf' FROM messages WHERE conversation_id = ?`,
    [conversationId],
  );
  const page = await open();
  await panel(page).getByRole("button", { name: "Files" }).click();
  const files = panel(page).getByRole("region", { name: "Files" });
  await files.getByText("On its way").waitFor();
  // The visit marks the conversation as read, which reads the contact again.
  await expect
    .poll(async () => (await call("GET", `/conversations/${conversationId}`)).unread_count)
    .toBe(0);
  await sleep(1_000);
  await asSystem(dataSource, account.accountId, async (tx) => {
    const set = "UPDATE message_media SET state = 'ready' WHERE conversation_id = ?";
    await tx.manager.query(set, [conversationId]);
    await recordChange(tx, { kind: "message.updated", messageId, conversationId, contactId });
  });
  await files.getByText("On its way").waitFor({ state: "detached" });
  await files.getByText("offer.pdf").waitFor();
});

test("b books from the thread, also where the card is folded away", async () => {
  const page = await open({ width: 1_280, height: 844 });
  await page.keyboard.press("b");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("textbox", { name: "Reply" }).focus();
  await page.keyboard.type("b");
  expect(await page.getByRole("dialog").count()).toBe(0);
});

test("on a phone the contact is a pane of its own, and Escape in a field leaves it open", async () => {
  const page = await open({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Contact", exact: true }).click();
  const pane = page.getByRole("dialog", { name: "Contact" });
  expect((await pane.boundingBox())?.width).toBe(390);
  const pencil = pane.getByRole("button", { name: "Edit Phone" });
  expect((await pencil.boundingBox())?.height).toBe(44);
  expect(await findBarriers(page)).toEqual([]);
  await pencil.click();
  await pane.getByRole("textbox", { name: "Phone" }).press("Escape");
  await pencil.waitFor();
  await page.keyboard.press("Escape");
  await pane.waitFor({ state: "detached" });
});
