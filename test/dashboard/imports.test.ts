import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { createTestAccount } from "../support/accounts.ts";
import { expectFocus, findBarriers } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";
import { listedRows, resultFilter, upload, useImportDesk } from "./import-desk.ts";

const fixture = useFixture(startDashboard);
const desk = useImportDesk(fixture);

const contacts = async (): Promise<Record<string, string | null>> => {
  const found: { name: string; phone: string | null }[] = await desk.call(
    "GET",
    "/contacts?limit=50",
  );
  return Object.fromEntries(found.map(({ name, phone }) => [name, phone]));
};

const people = [
  "Nombre;Celular;Correo;Color",
  "Ana Ruiz;+52 55 1111 0001;ana@example.com;azul",
  "Benjamín Peña;+52 55 1111 0002;;rojo",
  "Carla Gil;;carla@example.com;verde",
  "Nadie;;;gris",
  "Cruzada;+52 55 1111 0004;eva@example.com;negro",
].join("\n");

test("a CSV goes from the contacts through upload, mapping, dry run and import, and back by the undo", async () => {
  await desk.call("POST", "/contacts", { phone: "525511110001" });
  await desk.call("POST", "/contacts", { name: "Dora", phone: "525511110004" });
  await desk.call("POST", "/contacts", { name: "Eva", email: "eva@example.com" });
  const page = await desk.open("/contacts");
  await page.getByRole("link", { name: "Import" }).click();
  await upload(page, "clientes.csv", people);

  await page.getByRole("heading", { name: "Match the columns" }).waitFor();
  const field = (column: string): Locator =>
    page.getByRole("combobox", { name: `Field for ${column}` });
  expect(await field("Nombre").inputValue()).toBe("Name");
  expect(await field("Celular").inputValue()).toBe("Phone");
  expect(await field("Color").inputValue()).toBe("Leave out");
  await page.getByRole("region", { name: "Preview" }).getByText("Benjamín Peña").waitFor();
  await field("Color").click();
  await page.getByRole("option", { name: "Tags" }).click();
  await page.getByRole("button", { name: "Start dry run" }).click();
  await page.getByText("Each row is compared with your contacts.").waitFor();
  await desk.work();
  await resultFilter(page, "5 All").waitFor();
  await resultFilter(page, "1 Left out").click();
  await listedRows(page).getByText("No phone and no email").waitFor();
  await expect.poll(async () => await listedRows(page).count()).toBe(2);
  expect(await contacts()).not.toHaveProperty("Carla Gil");
  expect(await findBarriers(page)).toEqual([]);

  await page.getByRole("button", { name: "Import 3 contacts" }).click();
  await page.getByRole("heading", { name: "Importing" }).waitFor();
  await desk.work();
  await page.getByRole("heading", { name: "The import is done" }).waitFor();
  expect(await contacts()).toMatchObject({
    "Ana Ruiz": "525511110001",
    "Benjamín Peña": "525511110002",
    "Carla Gil": null,
  });
  await resultFilter(page, "1 Conflict").waitFor();
  await page.getByRole("link", { name: "Download rows with errors" }).waitFor();

  const [carla] = await desk.call("GET", "/contacts?search=carla");
  await desk.call("PATCH", `/contacts/${carla.id}`, { name: "Carla Gil Mora" });
  await page.getByRole("button", { name: "Undo import" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Undo import" }).click();
  await page.getByRole("heading", { name: "The import is being undone" }).waitFor();
  await desk.work();
  await page.getByRole("heading", { name: "The import was undone" }).waitFor();
  await page.getByText("1 row was kept.").waitFor();
  await resultFilter(page, "1 Kept").click();
  await listedRows(page).getByText("Somebody changed it since then").waitFor();
  const left = await contacts();
  expect(left).toHaveProperty("Carla Gil Mora");
  expect(left).not.toHaveProperty("Benjamín Peña");
});

const commas = [
  "Nombre,Celular,Nota",
  "Benjamín Peña,+52 55 1111 0002,llama; luego escribe.",
  "Zoë Núñez,+52 55 1111 0003,",
].join("\n");

/** The first step of an import, with the fields for encoding and separator. */
async function openColumns() {
  const page = await desk.open("/settings/imports/new");
  await upload(page, "clientes.csv", commas);
  await page.getByRole("heading", { name: "Match the columns" }).waitFor();
  const preview = page.getByRole("region", { name: "Preview" });
  const charset = page.getByRole("combobox", { name: "Encoding" });
  const delimiter = page.getByRole("combobox", { name: "Separator" });
  const choose = async (field: Locator, name: string): Promise<void> => {
    await field.click();
    await page.getByRole("option", { name, exact: true }).click();
  };
  expect([await charset.inputValue(), await delimiter.inputValue()]).toEqual(["UTF-8", "Comma"]);
  await page.getByText("Overwrite fields").click();
  return { page, preview, charset, delimiter, choose };
}

test("another encoding reads the file again, and a wrong one says so and changes nothing", async () => {
  const { page, preview, charset, choose } = await openColumns();
  await choose(charset, "Windows-1252");
  await preview.getByText("BenjamÃ\u00adn PeÃ±a").waitFor();
  await page.getByText("Some letters look wrong.").waitFor();
  await choose(charset, "UTF-16 BE");
  await page.getByRole("alert").getByText("cannot be read with “UTF-16 BE”").waitFor();
  expect(await charset.inputValue()).toBe("Windows-1252");
  await choose(charset, "Detect automatically");
  await preview.getByText("Benjamín Peña").waitFor();
  expect(await charset.inputValue()).toBe("UTF-8");
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(await page.getByRole("radio", { name: "Overwrite fields" }).isChecked()).toBe(true);
});

test("another separator is chosen by keyboard and reads the file again", async () => {
  const { page, preview, delimiter, choose } = await openColumns();
  await delimiter.focus();
  const selected = page.locator('[role="option"][data-combobox-selected]');
  await page.keyboard.press("Enter");
  await page.getByRole("option", { name: "Semicolon" }).waitFor();
  // The list marks its entry a moment after it has opened.
  await expect
    .poll(async () => {
      await page.keyboard.press("ArrowDown");
      return await selected.allTextContents();
    })
    .toEqual(["Semicolon"]);
  await page.keyboard.press("Enter");
  await preview.getByText("Nombre,Celular,Nota").waitFor();
  expect(await delimiter.inputValue()).toBe("Semicolon");
  await expectFocus(delimiter);
  const field = page.getByRole("combobox", { name: /^Field for/u });
  await expect.poll(async () => await field.count()).toBe(2);
  await choose(delimiter, "Vertical bar");
  await page.getByText("Each row is in one column.").waitFor();
  await expect.poll(async () => await field.count()).toBe(1);
  expect(await findBarriers(page)).toEqual([]);
  await choose(delimiter, "Comma");
  await expect.poll(async () => await field.count()).toBe(3);
  expect(await page.getByRole("combobox", { name: "Field for Celular" }).inputValue()).toBe(
    "Phone",
  );
  expect(await page.getByRole("radio", { name: "Overwrite fields" }).isChecked()).toBe(true);
  await page.getByRole("button", { name: "Start dry run" }).click();
  await page.getByText("Each row is compared with your contacts.").waitFor();
  await desk.work();
  await listedRows(page).getByText("Benjamín Peña").waitFor();
  await resultFilter(page, "2 New").waitFor();
});

const chat = [
  "3/4/25, 9:15 - Sonrisa Dental: Hola Martina, ¿en qué te podemos ayudar?",
  "3/4/25, 9:17 - Martina Acosta: Quiero una cita",
  "4/4/25, 10:02 - Sonrisa Dental: ¿El martes a las 10?",
].join("\n");

test("a chat of WhatsApp asks who is us and for the order of its dates, and becomes a conversation", async () => {
  const page = await desk.open("/settings/imports");
  await page.getByRole("button", { name: "Import a WhatsApp chat" }).click();
  await upload(page, "chat.txt", chat);
  await page.getByRole("heading", { name: "Who wrote this chat" }).waitFor();
  await page.getByRole("button", { name: "Start dry run" }).click();
  await page.getByText("Choose the author who is your company.").waitFor();
  await page.getByRole("radio", { name: "Sonrisa Dental" }).check();
  expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Martina Acosta");
  await page.getByRole("textbox", { name: "Phone" }).fill("+52 55 2222 0001");
  await page.getByText("Month, day", { exact: true }).click();
  await page
    .getByText(/Read as Tuesday,? 4 March 2025/u)
    .first()
    .waitFor();
  await page.getByText("Day, month", { exact: true }).click();
  await page
    .getByText(/Read as Thursday,? 3 April 2025/u)
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Start dry run" }).click();
  await page.getByText("Each message is compared with the conversation.").waitFor();
  await desk.work();
  await listedRows(page).getByText("Quiero una cita").waitFor();
  await page.getByRole("button", { name: "Import 3 messages" }).click();
  await page.getByRole("heading", { name: "Importing" }).waitFor();
  await desk.work();
  await page.getByRole("heading", { name: "The import is done" }).waitFor();
  const [made] = await desk.call("GET", "/contacts?search=martina");
  expect(made).toMatchObject({ name: "Martina Acosta", phone: "525522220001" });
});

test("a file that cannot be read is refused with what to do, and another one can follow by keyboard", async () => {
  const page = await desk.open("/settings/imports/new");
  // Without a listener between the two files, the browser would open the second dialog itself.
  const stay = (): void => undefined;
  page.on("filechooser", stay);
  await upload(page, "roto.csv", 'Nombre,Celular\nAna,"+52 55 1111 0001\n');
  await page.getByRole("alert").getByText("A quotation mark is not closed.").waitFor();
  await page.getByRole("button", { name: "Choose a file" }).focus();
  await expectFocus(page.getByRole("button", { name: "Choose a file" }));
  const choosing = page.waitForEvent("filechooser");
  await page.keyboard.press("Enter");
  const buffer = Buffer.from("Nombre,Celular\nAna,+52 55 1111 0001\n");
  await (await choosing).setFiles({ name: "bien.csv", mimeType: "text/csv", buffer });
  await page.getByRole("heading", { name: "Match the columns" }).waitFor();
  await page.getByRole("button", { name: "Cancel import" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel import" }).click();
  await page.getByRole("heading", { name: "The import was cancelled" }).waitFor();
  await page.getByText("Nothing was imported.").waitFor();
  expect(await contacts()).toEqual({});
  page.off("filechooser", stay);
});

test("a file is dropped onto the page", async () => {
  const page = await desk.open("/settings/imports/new");
  await page.getByText("Drop a CSV or Excel file here").waitFor();
  const data = await page.evaluateHandle<unknown>(`{
    const data = new DataTransfer();
    data.items.add(new File(["Nombre,Celular\\nAna,+525511110001\\n"], "soltado.csv"));
    data;
  }`);
  const zone = page.getByText("Drop a CSV or Excel file here");
  await zone.dispatchEvent("drop", { dataTransfer: data });
  await page.getByRole("heading", { name: "soltado.csv", level: 1 }).waitFor();
  expect(await desk.call("GET", "/imports")).toMatchObject([
    { name: "soltado.csv", state: "mapping" },
  ]);
});

test("an agent finds no import, and no button that exports", async () => {
  const { cookie } = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  const { page } = await fixture.open("/settings/imports", { as: cookie });
  await page.getByText("Imports are for admins").waitFor();
  await page.goto(`${fixture.api.url}/contacts`);
  await page.getByRole("button", { name: "New contact" }).waitFor();
  expect(await page.getByRole("link", { name: "Import" }).count()).toBe(0);
  expect(await page.getByRole("button", { name: "Export" }).count()).toBe(0);
});
