import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { findBarriers, styleOf } from "../support/browser.ts";
import type { OpenOptions } from "../support/dashboard-fixture.ts";
import { setUpOwnAccounts } from "../support/own-accounts.ts";

const own = setUpOwnAccounts();
const { call, open } = own;

interface Person {
  contact: number;
  conversation: number;
}

/** A pipeline with customers in its first stage, the first name at the top. */
async function makeBoard(names: string[], stages = ["New", "Quoted"]) {
  const pipeline = await call("POST", "/pipelines", { name: "Sales", stages });
  const people = new Map<string, Person>();
  for (const name of names.toReversed()) {
    const body = { channel: "web", from: name, name, text: `Hello from ${name}` };
    const { conversation_id, contact_id } = await call("POST", "/sandbox/messages", body);
    const move = { stage_id: pipeline.stages[0].id };
    await call("POST", `/conversations/${conversation_id}/stage`, move);
    people.set(name, { contact: Number(contact_id), conversation: Number(conversation_id) });
  }
  const person = (name: string): Person => {
    const found = people.get(name);
    if (found === undefined) throw new Error(`no ${name}`);
    return found;
  };
  const change = async (name: string, body: unknown) =>
    await call("PATCH", `/pipelines/${pipeline.id}/cards/${person(name).contact}`, body);
  return { pipeline, person, change };
}

const column = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const card = (page: Page, name: string) => page.getByRole("listitem").filter({ hasText: name });
const toast = (page: Page, text: string) => page.getByRole("alert").filter({ hasText: text });
const pesos = (amount: number) => ({ amount, currency: "MXN" });

async function choose(page: Page, name: string, item: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
}

test("a card shows the last message and who wrote it, tags, assignee, appointment, days and value", async () => {
  await call("PATCH", "/account", { settings: { currency: "MXN" } });
  const { pipeline, person, change } = await makeBoard(["Ana"]);
  const { contact, conversation } = person("Ana");
  await call("PUT", `/contacts/${contact}/tags`, { tags: ["VIP"] });
  await call("POST", `/conversations/${conversation}/assign`, { user_id: own.account.userId });
  await call("POST", `/conversations/${conversation}/messages`, { content: "See you Thursday" });
  await change("Ana", { value: pesos(240_000) });
  await call("PATCH", `/stages/${pipeline.stages[0].id}`, { hue: "sky", slow_after_days: 3 });
  const { dataSource } = own.fixture.database;
  await dataSource.query(
    "UPDATE contact_stages SET moved_at = moved_at - INTERVAL 4 DAY WHERE contact_id = ?",
    [contact],
  );
  await dataSource.query(
    `INSERT INTO appointments (account_id, resource_id, contact_id, status, title, customer_name,
            start_time, end_time, blocked_from, blocked_until)
     VALUES (?, 1, ?, 'confirmed', 'Visit', 'Ana', '2099-11-26 16:00', '2099-11-26 17:00',
             '2099-11-26 16:00', '2099-11-26 17:00')`,
    [own.account.accountId, contact],
  );
  const page = await open("/pipelines");
  const ana = card(page, "Ana");
  await ana.getByText("You: See you Thursday").waitFor();
  await ana.getByText("VIP", { exact: true }).waitFor();
  await ana.getByText(/26 Nov 2099/).waitFor();
  await ana.getByText(/^Assigned to/).waitFor({ state: "attached" });
  await ana.getByRole("button", { name: "$2,400, value of Ana. Edit" }).waitFor();
  const age = ana.getByText("4 d");
  await ana.getByText("Slow: longer than 3 days").waitFor({ state: "attached" });
  expect(await styleOf(age, "color")).toBe("rgb(138, 82, 0)");
  expect(await findBarriers(page)).toEqual([]);
});

test("a card that stands within its stage's limit, or in a stage without one, is not slow", async () => {
  const { pipeline } = await makeBoard(["Ana"]);
  const page = await open("/pipelines");
  await card(page, "Ana").getByText("today", { exact: true }).waitFor();
  await call("PATCH", `/stages/${pipeline.stages[0].id}`, { slow_after_days: 1 });
  const quoted = await call("POST", `/pipelines/${pipeline.id}/stages`, { name: "Later" });
  expect(quoted.stages).toHaveLength(3);
  await column(page, "Later").waitFor();
  expect(await page.getByText(/^Slow:/).count()).toBe(0);
});

test("a click on the value edits it; the head of the column has the sum; Undo gives the old value back", async () => {
  await call("PATCH", "/account", { settings: { currency: "MXN" } });
  const { change, pipeline } = await makeBoard(["Ana", "Benito"]);
  await change("Ana", { value: pesos(50_000) });
  await change("Benito", { value: { amount: 9_000, currency: "EUR" } });
  const page = await open("/pipelines");
  await column(page, "New").getByText("$500 + EUR 90").waitFor();
  await page.getByRole("button", { name: "$500, value of Ana. Edit" }).click();
  const dialog = page.getByRole("dialog", { name: "Value of Ana" });
  const amount = dialog.getByRole("textbox", { name: "Amount" });
  await expect.poll(async () => await amount.inputValue()).toBe("500");
  expect(await dialog.getByRole("combobox", { name: "Currency" }).inputValue()).toBe("MXN");
  await amount.fill("1234.5");
  await page.keyboard.press("Enter");
  await column(page, "New").getByText("$1,234.50 + EUR 90").waitFor();
  await toast(page, "The value of Ana is saved.").getByRole("button", { name: "Undo" }).click();
  await column(page, "New").getByText("$500 + EUR 90").waitFor();
  const { stages } = await call("GET", `/pipelines/${pipeline.id}/totals`);
  expect(stages[0].values).toEqual([pesos(50_000), { amount: 9_000, currency: "EUR" }]);
});

test("an empty amount takes the value away", async () => {
  const { change, pipeline } = await makeBoard(["Ana"]);
  await change("Ana", { value: { amount: 50_000, currency: "USD" } });
  const page = await open("/pipelines");
  await page.getByRole("button", { name: "$500, value of Ana. Edit" }).waitFor();
  await choose(page, "Ana", "Edit value");
  await page.getByRole("textbox", { name: "Amount" }).fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: /value of Ana/ }).waitFor({ state: "detached" });
  const read = async () => (await call("GET", `/stages/${pipeline.stages[0].id}/cards`))[0].value;
  await expect.poll(read).toBeNull();
});

test("a won card leaves the board and stands under Won; Undo and Reopen bring it back", async () => {
  const { change } = await makeBoard(["Ana", "Benito"]);
  await change("Ana", { value: { amount: 50_000, currency: "USD" } });
  const page = await open("/pipelines");
  await choose(page, "Ana", "Mark as won");
  await card(page, "Ana").waitFor({ state: "detached" });
  await page.getByText("Won this month").waitFor();
  await toast(page, "Ana is won.").getByRole("button", { name: "Undo" }).click();
  await column(page, "New").getByRole("link", { name: "Ana" }).waitFor();
  await choose(page, "Ana", "Mark as won");
  await card(page, "Ana").waitFor({ state: "detached" });
  await page.getByRole("radiogroup", { name: "Outcome" }).getByText("Won").click();
  await column(page, "New").getByRole("link", { name: "Ana" }).waitFor();
  expect(new URL(page.url()).searchParams.get("outcome")).toBe("won");
  expect(await card(page, "Benito").count()).toBe(0);
  await choose(page, "Ana", "Reopen");
  await page.getByText("Nobody is won yet").waitFor();
  await page.getByRole("radiogroup", { name: "Outcome" }).getByText("Open").click();
  await column(page, "New").getByRole("link", { name: "Ana" }).waitFor();
});

test("Undo of a reopening gives a card its outcome and its closing date again", async () => {
  const { pipeline, change } = await makeBoard(["Ana"]);
  await change("Ana", { value: pesos(50_000) });
  await change("Ana", { outcome: "won" });
  const { dataSource } = own.fixture.database;
  await dataSource.query(
    "UPDATE contact_stages SET closed_at = closed_at - INTERVAL 32 DAY WHERE account_id = ?",
    [own.account.accountId],
  );
  const won = async () =>
    (await call("GET", `/stages/${pipeline.stages[0].id}/cards?outcome=won`))[0]?.closed_at;
  const closedAt = await won();
  const page = await open("/pipelines?outcome=won");
  await choose(page, "Ana", "Reopen");
  await toast(page, "Ana is open again.").getByRole("button", { name: "Undo" }).click();
  await expect.poll(won).toBe(closedAt);
  expect((await call("GET", `/pipelines/${pipeline.id}/totals`)).won_this_month).toEqual([]);
});

test("a lost card asks for a reason: one of the pipeline's or any other; its card tells it", async () => {
  const { pipeline } = await makeBoard(["Ana", "Benito"]);
  await call("PATCH", `/pipelines/${pipeline.id}`, { lost_reasons: ["Too expensive"] });
  const page = await open("/pipelines");
  await choose(page, "Ana", "Mark as lost");
  const dialog = page.getByRole("dialog", { name: "Mark Ana as lost" });
  const submit = dialog.getByRole("button", { name: "Mark as lost" });
  expect(await submit.isDisabled()).toBe(true);
  await dialog.getByRole("combobox", { name: "Reason" }).click();
  await page.getByRole("option", { name: "Too expensive" }).click();
  expect(await findBarriers(page)).toEqual([]);
  await submit.click();
  await toast(page, "Ana is lost.").waitFor();
  await choose(page, "Benito", "Mark as lost");
  await page.getByRole("combobox", { name: "Reason" }).fill("Moved to Oaxaca");
  await page.keyboard.press("Enter");
  await toast(page, "Benito is lost.").waitFor();
  await page.goto(`${own.fixture.api.url}/pipelines?outcome=lost`);
  await card(page, "Ana").getByText("Lost: Too expensive").waitFor();
  await card(page, "Benito").getByText("Lost: Moved to Oaxaca").waitFor();
});

test("a change that is refused puts the card back with the reason", async () => {
  const { pipeline } = await makeBoard(["Ana"]);
  const page = await open("/pipelines");
  await page.route("**/cards/*", async (route) => await route.abort());
  await choose(page, "Ana", "Mark as won");
  await page.getByText("The card stays as it was").waitFor();
  await column(page, "New").getByRole("link", { name: "Ana" }).waitFor();
  const { stages } = await call("GET", `/pipelines/${pipeline.id}/totals`);
  expect(stages[0].cards).toBe(1);
});

test("search and filters narrow the board, the URL keeps them, and an empty board offers a way back", async () => {
  const { person } = await makeBoard(["Ana", "Benito"]);
  await call("PUT", `/contacts/${person("Benito").contact}/tags`, { tags: ["VIP"] });
  await call("POST", `/conversations/${person("Ana").conversation}/assign`, {
    user_id: own.account.userId,
  });
  const page = await open("/pipelines");
  const search = page.getByRole("searchbox", { name: "Find a name or phone" });
  await card(page, "Benito").waitFor();
  await search.fill("ana");
  await card(page, "Benito").waitFor({ state: "detached" });
  await card(page, "Ana").waitFor();
  await page.reload();
  await card(page, "Ana").waitFor();
  expect([await search.inputValue(), await card(page, "Benito").count()]).toEqual(["ana", 0]);
  await page.getByRole("searchbox", { name: "Tag" }).fill("VIP");
  await page.getByText("Nothing matches").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Clear filters" }).last().click();
  await card(page, "Benito").waitFor();
  expect(new URL(page.url()).search).toBe("");
  for (const [field, option, gone] of [
    ["Assignee", "Assigned to me", "Benito"],
    ["Assignee", "Unassigned", "Ana"],
  ] as const) {
    await page.getByRole("combobox", { name: field }).click();
    await page.getByRole("option", { name: option }).click();
    await card(page, gone).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Clear filters" }).click();
    await card(page, gone).waitFor();
  }
  await page.getByRole("combobox", { name: "Next appointment" }).click();
  await page.getByRole("option", { name: "With an appointment" }).click();
  await page.getByText("Nothing matches").waitFor();
});

test("columns scroll alone, and the edge says how many stages follow", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `Customer ${index + 1}.`);
  await makeBoard(names, ["New", "A", "B", "C", "D", "E"]);
  const page = await open("/pipelines", { width: 1280 });
  await card(page, "Customer 12.").waitFor();
  const sizes = await page.evaluate<number[]>(
    "[document.documentElement.scrollHeight - innerHeight, document.documentElement.scrollWidth - innerWidth]",
  );
  expect(sizes).toEqual([0, 0]);
  const more = page.getByRole("button", { name: /more stage/ });
  expect(await more.innerText()).toBe("3 more stages");
  await more.click();
  await page.getByRole("button", { name: "2 more stages" }).waitFor();
  await page.getByRole("button", { name: "2 more stages" }).click();
  await page.getByRole("button", { name: "1 more stage" }).click();
  await more.waitFor({ state: "detached" });
});

const phone: OpenOptions = { width: 390 };

test("on a phone the board shows one stage, chosen by a field; the menu moves a card in place of dragging", async () => {
  const { pipeline } = await makeBoard(["Ana", "Benito"]);
  const page = await open("/pipelines", phone);
  await card(page, "Ana").waitFor();
  expect(await column(page, "Quoted").count()).toBe(0);
  expect(await card(page, "Ana").getAttribute("draggable")).toBe("false");
  const dots = page.getByRole("button", { name: "Actions for Ana" });
  const box = await dots.boundingBox();
  expect([box?.width, box?.height]).toEqual([44, 44]);
  expect(await findBarriers(page)).toEqual([]);
  await choose(page, "Ana", "Quoted");
  await toast(page, "Ana is now in Quoted.").waitFor();
  await card(page, "Ana").waitFor({ state: "detached" });
  const stage = page.getByRole("combobox", { name: "Stage" });
  await expect.poll(async () => await stage.inputValue()).toBe("New (1)");
  await stage.click();
  await page.getByRole("option", { name: "Quoted (1)" }).click();
  await column(page, "Quoted").getByRole("link", { name: "Ana" }).waitFor();
  expect(new URL(page.url()).searchParams.get("stage")).toBe(String(pipeline.stages[1].id));
  await page.getByRole("button", { name: "Undo" }).click();
  await card(page, "Ana").waitFor({ state: "detached" });
});

test("an admin chooses colours, slow limits and lost reasons of a pipeline", async () => {
  const { pipeline } = await makeBoard(["Ana"]);
  const page = await open("/pipelines");
  await page.getByRole("button", { name: "Pipeline settings" }).click();
  const dialog = page.getByRole("dialog", { name: "Settings of Sales" });
  await dialog.getByRole("button", { name: "Colour of New" }).click();
  await page.getByRole("radio", { name: "Clay" }).click();
  const shown = async () => await call("GET", `/pipelines/${pipeline.id}`);
  await expect.poll(async () => (await shown()).stages[0].hue).toBe("clay");
  const days = dialog.getByRole("textbox", { name: "Days until New is slow" });
  await days.fill("7");
  await days.press("Enter");
  await expect.poll(async () => (await shown()).stages[0].slow_after_days).toBe(7);
  const reasons = dialog.getByLabel("Lost reasons");
  await reasons.fill("Too expensive");
  await reasons.press("Enter");
  await expect.poll(async () => (await shown()).lost_reasons).toEqual(["Too expensive"]);
  expect(await findBarriers(page)).toEqual([]);
});

/** The field for lost reasons of a new pipeline. Its calls wait in `held` until `letThrough`. */
async function openReasons(reasons: string[]) {
  const { id } = await call("POST", "/pipelines", { name: "Sales", stages: ["New"] });
  await call("PATCH", `/pipelines/${id}`, { lost_reasons: reasons });
  const page = await open("/pipelines");
  await page.getByRole("button", { name: "Pipeline settings" }).click();
  const held: Route[] = [];
  const path = `**/pipelines/${id}`;
  await page.route(path, (route) => void held.push(route));
  const dialog = page.getByRole("dialog", { name: "Settings of Sales" });
  const field = dialog.getByLabel("Lost reasons");
  return {
    page,
    field,
    held,
    letThrough: async () => await page.unroute(path),
    stored: async () => (await call("GET", `/pipelines/${id}`)).lost_reasons,
    pill: (text: string) => dialog.getByText(text, { exact: true }),
    add: async (text: string) => {
      await field.pressSequentially(text);
      await field.press("Enter");
    },
  };
}

test("lost reasons that are added quickly leave one after the other, and all of them stay", async () => {
  const { page, held, stored, pill, add } = await openReasons(["No answer"]);
  await add("Price");
  await add("Moved away");
  await expect.poll(() => held.length).toBe(1);
  for (const text of ["No answer", "Price", "Moved away"]) await pill(text).waitFor();
  await page.evaluate("fetch('/dashboard/api/session').then((answer) => answer.status)");
  expect(held).toHaveLength(1);
  // A dialog that is opened again meanwhile goes on from the same list.
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Pipeline settings" }).click();
  await add("Chose another");
  await held[0]?.continue();
  await expect.poll(() => held.length).toBe(2);
  await held[1]?.continue();
  await expect.poll(() => held.length).toBe(3);
  await held[2]?.continue();
  const all = ["No answer", "Price", "Moved away", "Chose another"];
  await expect.poll(stored).toEqual(all);
  for (const text of all) expect(await pill(text).count()).toBe(1);
});

test("lost reasons that are removed quickly stay away", async () => {
  const { page, field, held, stored, pill } = await openReasons(["Price", "Moved away", "Else"]);
  await field.press("Backspace");
  await field.press("Backspace");
  await expect.poll(() => held.length).toBe(1);
  const readAgain = page.waitForResponse(/\/dashboard\/api\/pipelines\?/);
  await held[0]?.continue();
  await expect.poll(() => held.length).toBe(2);
  await readAgain;
  expect([await pill("Moved away").count(), await pill("Else").count()]).toEqual([0, 0]);
  await held[1]?.continue();
  await expect.poll(stored).toEqual(["Price"]);
  expect([await pill("Price").count(), await pill("Moved away").count()]).toEqual([1, 0]);
});

test("lost reasons that could not be saved come back into their field, with the cause told once", async () => {
  const { page, field, held, letThrough, stored, pill, add } = await openReasons(["No answer"]);
  await add("Price");
  await add("Moved away");
  await expect.poll(() => held.length).toBe(1);
  await held[0]?.abort();
  await expect.poll(() => held.length).toBe(2);
  await held[1]?.abort();
  await toast(page, "The server did not answer.").waitFor();
  expect(await toast(page, "The server did not answer.").count()).toBe(1);
  await expect.poll(async () => await field.inputValue()).toBe("Price, Moved away");
  await pill("Price").waitFor({ state: "detached" });
  await letThrough();
  await field.press("Enter");
  await expect.poll(stored).toEqual(["No answer", "Price", "Moved away"]);
  expect(await field.inputValue()).toBe("");
  const long = "x".repeat(201);
  await field.fill(long);
  await field.press("Enter");
  await toast(page, "This is too long.").waitFor();
  await expect.poll(async () => await field.inputValue()).toBe(long);
  await field.fill("x");
  await field.press("Enter");
  await expect.poll(stored).toEqual(["No answer", "Price", "Moved away", "x"]);
});

test("Add to pipeline puts a contact into a stage", async () => {
  const pipeline = await call("POST", "/pipelines", { name: "Sales", stages: ["New", "Quoted"] });
  await call("POST", "/sandbox/messages", { channel: "web", from: "a", name: "Ana", text: "Hi" });
  const page = await open("/pipelines");
  await page.getByRole("button", { name: "Add to pipeline" }).click();
  const dialog = page.getByRole("dialog", { name: "Add to pipeline" });
  await dialog.getByRole("radio", { name: "Ana" }).check();
  await dialog.getByRole("combobox", { name: "Stage" }).click();
  await page.getByRole("option", { name: "Quoted" }).click();
  await dialog.getByRole("button", { name: "Add to pipeline" }).click();
  await column(page, "Quoted").getByRole("link", { name: "Ana" }).waitFor();
  expect(await call("GET", `/stages/${pipeline.stages[1].id}/cards`)).toHaveLength(1);
});

test("the board in Spanish and dark has no barrier and no untranslated word", async () => {
  const { change } = await makeBoard(["Ana"]);
  await change("Ana", { value: { amount: 50_000, currency: "USD" } });
  await call("PATCH", "/me", { locale: "es" });
  const page = await open("/pipelines", { theme: "dark", locale: "es-MX" });
  await page.getByRole("button", { name: "Agregar al embudo" }).waitFor();
  await card(page, "Ana").getByText("hoy", { exact: true }).waitFor();
  await page.getByText("Abiertos").first().waitFor();
  expect(await findBarriers(page)).toEqual([]);
});
