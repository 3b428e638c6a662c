import type { Page, Route } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { findBarriers, isFocused } from "../support/browser.ts";
import { disconnectWhatsApp, receive } from "../support/conversations.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { samples as media, tinyPng } from "../support/media.ts";
import { ageList, insertNumber, storeList } from "../support/templates.ts";
import { useFixture } from "../support/use-fixture.ts";
import { samples } from "../core/channels/meta/template-samples.ts";

const fixture = useFixture(startDashboard);
/** With a number of WhatsApp whose templates are read. */
let account: TestAccount;
let channelId: number;

beforeEach(async () => {
  const { dataSource } = fixture.database;
  account = await createTestAccount(dataSource);
  await disconnectWhatsApp(dataSource, account.accountId);
  channelId = await insertNumber(dataSource, account.accountId);
});

async function list(...rows: object[]): Promise<void> {
  await storeList(fixture.database.dataSource, account.accountId, channelId, rows);
}

/** A customer wrote two days ago. @returns the conversation's id and its page. */
async function open(locale = "en"): Promise<{ id: number; page: Page }> {
  const { dataSource } = fixture.database;
  const from = "5215512345678";
  const { row } = await receive(dataSource, account.accountId, {
    channel: "whatsapp",
    from,
    name: "Ana",
  });
  const id = row.conversationId;
  await dataSource.query(
    "UPDATE conversations SET last_customer_message_at = NOW() - INTERVAL 2 DAY WHERE id = ?",
    [id],
  );
  await dataSource.query("UPDATE users SET locale = ? WHERE id = ?", [locale, account.userId]);
  const { page } = await fixture.open(`/inbox/${id}?view=all`, { as: account.cookie });
  await page.getByRole("log").getByText("Hola").first().waitFor();
  return { id, page };
}

async function newest(id: number) {
  const path = `/dashboard/api/conversations/${id}/messages`;
  return (await fixture.api.call("GET", path, { cookie: account.cookie })).json.data[0];
}

test("a template is searched, filled in field by field, previewed and sent", async () => {
  await list(samples.reminder, samples.named, samples.coupon, samples.carousel);
  const { id, page } = await open();
  const templates = page.getByRole("list", { name: "Templates" });
  await templates.getByRole("button", { name: /appointment_reminder/ }).waitFor();
  expect(await templates.getByRole("button").count()).toBe(3);
  expect(await templates.getByRole("button", { name: /cards/ }).isDisabled()).toBe(true);
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("searchbox", { name: "Search templates by name or text" }).fill("espera");
  await templates.getByRole("button", { name: /order_ready/ }).waitFor({ state: "detached" });
  await templates.getByRole("button", { name: /appointment_reminder/ }).click();
  const preview = page.getByRole("group", { name: "Preview" });
  await preview.getByText("Hola {{1}}, te esperamos el {{2}}.").waitFor();
  await page.getByRole("textbox", { name: "Heading 1" }).fill("Dra. Ruiz");
  await page.getByRole("textbox", { name: "Text 1" }).fill("Ana");
  await page.getByRole("textbox", { name: "Text 2" }).fill("lunes");
  await page.getByRole("textbox", { name: "Button 2: end of its link" }).fill("77");
  await preview.getByText("Cita con Dra. Ruiz").waitFor();
  await preview
    .getByText("Hola Ana, te esperamos el lunes. Responde Ana para confirmar.")
    .waitFor();
  await preview.getByText("https://sol.example/c/77").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("log").getByText("Hola Ana, te esperamos el lunes.").waitFor();
  expect(await newest(id)).toMatchObject({ type: "template", sender_user_id: account.userId });
  const [row] = await fixture.database.dataSource.query<{ template: unknown }[]>(
    "SELECT template FROM messages WHERE conversation_id = ? AND type = 'template'",
    [id],
  );
  expect(row?.template).toEqual({
    name: "appointment_reminder",
    language: "es_MX",
    params: { header: { 1: "Dra. Ruiz" }, body: { 1: "Ana", 2: "lunes" }, buttons: { 2: "77" } },
  });
  // The list is there again for the next template.
  await page.getByRole("list", { name: "Templates" }).waitFor();
});

test("a value that WhatsApp would refuse is named at its field, and the text stays", async () => {
  await list(samples.named);
  const { id, page } = await open();
  await page.getByRole("button", { name: /order_ready/ }).click();
  await page.getByRole("textbox", { name: "Link to the file (document)" }).fill("http://x.example");
  await page.getByRole("textbox", { name: "Text first_name" }).fill("Ana");
  await page.getByRole("textbox", { name: "Text order_id" }).fill("A-7");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("Use an https URL.").waitFor();
  const name = page.getByRole("textbox", { name: "Text first_name" });
  expect(await name.inputValue()).toBe("Ana");
  expect(await newest(id)).toMatchObject({ type: "text" });
});

test("the file of a heading is uploaded, exchanged by keyboard, and sent", async () => {
  await list(samples.named);
  const { id, page } = await open();
  await page.getByRole("button", { name: /order_ready/ }).click();
  const link = page.getByRole("textbox", { name: "Link to the file (document)" });
  await link.fill("https://x.example/typed.pdf");
  const input = page.locator('input[type="file"][accept=""]');
  await input.setInputFiles({ name: "foto.png", mimeType: "image/png", buffer: tinyPng });
  await page.getByText("The heading takes a document, such as a PDF.").waitFor();
  await expect.poll(async () => await findBarriers(page)).toEqual([]);
  const pdf = { mimeType: "application/pdf", buffer: media.pdf };
  await input.setInputFiles({ ...pdf, name: "first.pdf" });
  await page.getByRole("button", { name: "Remove first.pdf" }).press("Enter");
  expect(await link.inputValue()).toBe("https://x.example/typed.pdf");
  await input.setInputFiles({ ...pdf, name: "pedido.pdf" });
  const chosen = page.getByRole("group", { name: "File of the heading" });
  await chosen.getByText("pedido.pdf").waitFor();
  await expect.poll(async () => await findBarriers(page)).toEqual([]);
  await page.getByRole("textbox", { name: "Text first_name" }).fill("Ana");
  await page.getByRole("textbox", { name: "Text order_id" }).fill("A-7");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("log").getByText("Hi Ana, order A-7 is ready.").waitFor();
  const sent = await newest(id);
  expect(sent).toMatchObject({
    type: "template",
    attachments: [{ kind: "document", state: "ready", filename: "pedido.pdf" }],
  });
  const [row] = await fixture.database.dataSource.query<{ template: { params: object } }[]>(
    "SELECT template FROM messages WHERE id = ?",
    [sent.id],
  );
  expect(row?.template.params).toEqual({ body: { first_name: "Ana", order_id: "A-7" } });
});

test("a template that was paused meanwhile says so, and another can be chosen", async () => {
  await list(samples.named, {
    ...samples.named,
    name: "plain",
    components: [{ type: "BODY", text: "Hola" }],
  });
  const { page } = await open();
  await page.getByRole("button", { name: /plain/ }).click();
  await ageList(fixture.database.dataSource, account.accountId, 2);
  await list(samples.named);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("WhatsApp cannot send this template now.").first().waitFor();
  await page.getByRole("button", { name: "Choose another" }).click();
  const templates = page.getByRole("list", { name: "Templates" });
  await expect.poll(async () => await templates.count()).toBe(1);
});

test("data behind a button is optional, goes with the message, and needs no mouse", async () => {
  await list(samples.reminder);
  const { id, page } = await open();
  await page.getByRole("button", { name: /appointment_reminder/ }).click();
  await page.getByRole("textbox", { name: "Heading 1" }).fill("Dra. Ruiz");
  await page.getByRole("textbox", { name: "Text 1" }).fill("Ana");
  await page.getByRole("textbox", { name: "Text 2" }).fill("lunes");
  await page.getByRole("textbox", { name: "Button 2: end of its link" }).fill("77");
  const data = page.getByRole("textbox", { name: "Button “Confirmar”: data" });
  const fold = page.getByText("Data of the buttons (optional)");
  await fold.waitFor();
  expect(await data.isVisible()).toBe(false);
  await page.getByRole("textbox", { name: "Button 2: end of its link" }).press("Tab");
  await page.keyboard.press("Enter");
  await data.fill("confirm-77");
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("log").getByText("Hola Ana, te esperamos el lunes.").waitFor();
  const [row] = await fixture.database.dataSource.query<{ template: { params: object } }[]>(
    "SELECT template FROM messages WHERE conversation_id = ? AND type = 'template'",
    [id],
  );
  expect(row?.template.params).toMatchObject({ buttons: { 1: "confirm-77", 2: "77" } });
});

test("a template whose buttons take no data has no fields for them", async () => {
  await list(samples.named);
  const { page } = await open("es");
  await page.getByRole("button", { name: /order_ready/ }).click();
  await page.getByRole("textbox", { name: "Texto first_name" }).waitFor();
  expect(await page.getByText("Datos de los botones (opcional)").count()).toBe(0);
});

test("without templates the reason stands there, in the person's language", async () => {
  await list(samples.coupon);
  const { page } = await open("es");
  await page.getByText("Aún no hay plantillas aprobadas.").waitFor();
  await page.getByRole("searchbox", { name: /Buscar plantillas/ }).fill("zzz");
  const none = page.getByText("Ninguna plantilla aprobada tiene este texto.");
  await expect.poll(async () => await none.count()).toBe(1);
});

test("a list that is being read appears by itself", async () => {
  const { page } = await open();
  await page.getByText("The templates are being read from WhatsApp").waitFor();
  await list(samples.named);
  const listed = page.getByRole("button", { name: /order_ready/ });
  await expect.poll(async () => await listed.count()).toBe(1);
});

test("a begun template is there again after a note, in another conversation and after a reload", async () => {
  await list(samples.named);
  const { id, page } = await open();
  const field = (name: string) => page.getByRole("textbox", { name: `Text ${name}` });
  await page.getByRole("button", { name: /order_ready/ }).click();
  const input = page.locator('input[type="file"][accept=""]');
  await input.setInputFiles({ name: "pedido.pdf", mimeType: "application/pdf", buffer: media.pdf });
  const chosen = page.getByRole("group", { name: "File of the heading" });
  await chosen.getByText("pedido.pdf").waitFor();
  await field("first_name").fill("Ana");
  await page.getByText("Note", { exact: true }).click();
  await page.getByRole("textbox", { name: "Note" }).waitFor();
  await page.getByText("Reply", { exact: true }).click();
  expect(await field("first_name").inputValue()).toBe("Ana");
  await field("order_id").fill("A-7");
  await page.goto(`${fixture.api.url}/inbox?view=all`);
  await page.getByRole("link", { name: /^Ana/ }).click();
  expect(await field("order_id").inputValue()).toBe("A-7");
  // A form that was begun earlier leaves the keys of the inbox alone.
  expect(await isFocused(field("first_name"))).toBe(false);
  await chosen.getByText("pedido.pdf").waitFor();
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("log").getByText("Hi Ana, order A-7 is ready.").waitFor();
  expect(await newest(id)).toMatchObject({ attachments: [{ filename: "pedido.pdf" }] });
  await page.getByRole("list", { name: "Templates" }).waitFor();
  await page.reload();
  await page.getByRole("list", { name: "Templates" }).waitFor();
});

test("a begun template shows its text as it is now, and is sent once", async () => {
  await list(samples.named);
  const { id, page } = await open();
  const field = (name: string) => page.getByRole("textbox", { name });
  await page.getByRole("button", { name: /order_ready/ }).click();
  await field("Link to the file (document)").fill("https://x.example/a.pdf");
  await field("Text first_name").fill("Ana");
  await field("Text order_id").fill("A-7");
  const text = JSON.stringify(samples.named);
  const example = ',{"param_name":"first_name","example":"Ana"}';
  const changed = text.replace(example, "").replace("Hi {{first_name}}, order", "Order");
  await list(JSON.parse(changed) as object);
  await page.goto(`${fixture.api.url}/inbox/${id}?view=all`);
  await page.getByRole("group", { name: "Preview" }).getByText("Order A-7 is ready.").waitFor();
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("list", { name: "Templates" }).waitFor();
  expect(await newest(id)).toMatchObject({ type: "template", content: "Order A-7 is ready." });
});

test("a template that arrives while the person writes a note leaves the note, and is not offered again", async () => {
  await list(samples.named);
  const { id, page } = await open();
  await page.getByRole("button", { name: /order_ready/ }).click();
  const link = page.getByRole("textbox", { name: "Link to the file (document)" });
  await link.fill("https://x.example/a.pdf");
  await page.getByRole("textbox", { name: "Text first_name" }).fill("Ana");
  await page.getByRole("textbox", { name: "Text order_id" }).fill("A-7");
  const held: Route[] = [];
  await page.route(`**/conversations/${id}/messages`, async (route) => {
    if (route.request().method() === "POST") held.push(route);
    else await route.continue();
  });
  await page.getByRole("button", { name: "Send" }).click();
  await expect.poll(() => held.length).toBe(1);
  await page.getByText("Note", { exact: true }).click();
  const note = page.getByRole("textbox", { name: "Note" });
  await note.fill("For later");
  await held[0]?.continue();
  await expect.poll(async () => await newest(id)).toMatchObject({ type: "template" });
  await page.waitForFunction("!Object.keys(localStorage).some((key) => key.endsWith('.template'))");
  expect(await note.inputValue()).toBe("For later");
  await page.getByText("Reply", { exact: true }).click();
  await page.getByRole("list", { name: "Templates" }).waitFor();
});

test("values that are changed while the template is under way stay, and are a message of their own", async () => {
  await list(samples.named);
  const { id, page } = await open();
  const order = page.getByRole("textbox", { name: "Text order_id" });
  await page.getByRole("button", { name: /order_ready/ }).click();
  const link = page.getByRole("textbox", { name: "Link to the file (document)" });
  await link.fill("https://x.example/a.pdf");
  await page.getByRole("textbox", { name: "Text first_name" }).fill("Ana");
  await order.fill("A-7");
  const held: Route[] = [];
  await page.route(`**/conversations/${id}/messages`, async (route) => {
    if (route.request().method() === "POST") held.push(route);
    else await route.continue();
  });
  const send = page.getByRole("button", { name: "Send" });
  await send.click();
  await expect.poll(() => held.length).toBe(1);
  await order.fill("A-8");
  await held[0]?.continue();
  await expect.poll(async () => await newest(id)).toMatchObject({ type: "template" });
  const { id: firstId } = await newest(id);
  await expect.poll(async () => await send.getAttribute("aria-busy")).toBe("false");
  expect(await order.inputValue()).toBe("A-8");
  await page.reload();
  await expect.poll(async () => await order.inputValue()).toBe("A-8");
  await page.unrouteAll();
  await send.click();
  await page.getByRole("list", { name: "Templates" }).waitFor();
  expect((await newest(id)).id).not.toBe(firstId);
});
