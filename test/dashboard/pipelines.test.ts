import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createTestAccount } from "../support/accounts.ts";
import { createTestAgenda } from "../support/appointments.ts";
import { expectFocusIn, findBarriers, styleOf } from "../support/browser.ts";
import { receive } from "../support/conversations.ts";
import { setUpOwnAccounts } from "../support/own-accounts.ts";

const own = setUpOwnAccounts();
const { call, open } = own;

/** A pipeline with customers in its first stage, the first name at the top. */
async function makeBoard(names: string[]) {
  const pipeline = await call("POST", "/pipelines", { name: "Sales", stages: ["New", "Won"] });
  const contacts = new Map<string, { contact: number; conversation: number }>();
  for (const name of names.toReversed()) {
    const body = { channel: "web", from: name, name, text: "Hello" };
    const { conversation_id, contact_id } = await call("POST", "/sandbox/messages", body);
    const move = { stage_id: pipeline.stages[0].id };
    await call("POST", `/conversations/${conversation_id}/stage`, move);
    contacts.set(name, { contact: Number(contact_id), conversation: Number(conversation_id) });
  }
  return { pipeline, contacts };
}

/** Who stands in a stage according to the API, from the top down. */
async function cardsIn(stageId: number): Promise<string[]> {
  const rows: { contact: { name: string } }[] = await call("GET", `/stages/${stageId}/cards`);
  return rows.map(({ contact }) => contact.name);
}

const column = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

/** Until no column waits for its cards. */
async function columnsRead(page: Page): Promise<void> {
  await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
}

test("a card is dragged to another stage, and above another card", async () => {
  const { pipeline } = await makeBoard(["Ana", "Benito", "Carla"]);
  const [fresh, won] = pipeline.stages;
  const page = await open("/pipelines");
  await column(page, "New").getByRole("listitem").filter({ hasText: "Benito" }).waitFor();
  const card = (name: string) => page.getByRole("listitem").filter({ hasText: name });
  await card("Benito").dragTo(column(page, "Won"));
  await expect.poll(async () => await cardsIn(won.id)).toEqual(["Benito"]);
  await column(page, "Won").getByRole("link", { name: "Benito" }).waitFor();
  await card("Carla").dragTo(card("Ana"));
  await expect.poll(async () => await cardsIn(fresh.id)).toEqual(["Carla", "Ana"]);
});

test("the title of a column is no larger than the title of the page", async () => {
  await makeBoard(["Ana"]);
  const page = await open("/pipelines");
  const title = column(page, "New").getByRole("heading", { name: "New" });
  expect(await styleOf(title, "font-size")).toBe("13px");
});

test("by keyboard: Shift and an arrow moves a card, the keyboard stays on it, and undo puts it back in its place", async () => {
  const { pipeline } = await makeBoard(["Ana", "Benito", "Carla"]);
  const [fresh, won] = pipeline.stages;
  const page = await open(`/pipelines/${pipeline.id}`);
  await page.getByRole("link", { name: "Benito" }).focus();
  await page.keyboard.press("Shift+ArrowRight");
  await column(page, "Won").getByRole("link", { name: "Benito" }).waitFor();
  await page.getByText("Benito is now in Won.").waitFor();
  expect(await cardsIn(won.id)).toEqual(["Benito"]);
  const focused = column(page, "Won").locator("a:focus");
  await expect.poll(async () => await focused.allInnerTexts()).toEqual(["Benito"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await column(page, "New").getByRole("link", { name: "Benito" }).waitFor();
  await expect.poll(async () => await cardsIn(fresh.id)).toEqual(["Ana", "Benito", "Carla"]);
});

test("a card that was moved takes no focus from a field when the board is read anew", async () => {
  const { pipeline } = await makeBoard(["Ana", "Benito"]);
  const page = await open(`/pipelines/${pipeline.id}`);
  await page.getByRole("link", { name: "Benito" }).focus();
  await page.keyboard.press("Shift+ArrowRight");
  await expect
    .poll(async () => await column(page, "Won").locator("a:focus").allInnerTexts())
    .toEqual(["Benito"]);
  const search = page.getByRole("searchbox", { name: "Find a name or phone" });
  await search.click();
  await page.keyboard.type("ben");
  await page.waitForURL(/search=ben/u);
  await column(page, "New").getByRole("link", { name: "Ana" }).waitFor({ state: "detached" });
  await column(page, "Won").getByRole("link", { name: "Benito" }).waitFor();
  await page.keyboard.type("ito");
  expect(await search.inputValue()).toBe("benito");
});

test("what changes elsewhere while a card is on its way puts it nowhere else meanwhile, and takes no focus", async () => {
  const { pipeline, contacts } = await makeBoard(["Ana", "Benito", "Carla"]);
  const [, won] = pipeline.stages;
  const page = await open(`/pipelines/${pipeline.id}`);
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/stage", async (route) => {
    await released;
    await route.continue();
  });
  await page.getByRole("link", { name: "Benito" }).focus();
  await columnsRead(page);
  await page.keyboard.press("Shift+ArrowRight");
  const moved = column(page, "Won").getByRole("link", { name: "Benito" });
  await moved.waitFor();
  const readAgain = page.waitForResponse(/\/dashboard\/api\/pipelines/);
  await call("POST", `/conversations/${contacts.get("Carla")?.conversation}/stage`, {
    stage_id: won.id,
  });
  await readAgain;
  expect(await column(page, "New").getByRole("link", { name: "Benito" }).count()).toBe(0);
  release();
  await column(page, "Won").getByRole("link", { name: "Carla" }).waitFor();
  await expect.poll(async () => await cardsIn(won.id)).toEqual(["Benito", "Carla"]);
  await expect
    .poll(async () => await column(page, "Won").locator("a:focus").allInnerTexts())
    .toEqual(["Benito"]);
});

test("a card that is moved to a column not read yet stays in sight until it is there", async () => {
  const { pipeline } = await makeBoard(["Ana", "Benito"]);
  const [fresh, won] = pipeline.stages;
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const page = await open("/inbox");
  await page.route(new RegExp(`/stage$|/stages/${won.id}/cards`), async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(`${own.fixture.api.url}/pipelines/${pipeline.id}`);
  await page.getByRole("link", { name: "Benito" }).focus();
  const asked = page.waitForRequest("**/stage");
  await page.keyboard.press("Shift+ArrowRight");
  await asked;
  // What the move changed is on the screen by then.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
  expect(await column(page, "New").getByRole("link", { name: "Benito" }).count()).toBe(1);
  // The old column comes later than the new one.
  await page.route(new RegExp(`/stages/${fresh.id}/cards`), async (route) => {
    await sleep(500);
    await route.continue();
  });
  // In how many columns the card stands, in each frame from now on.
  await page.evaluate(`(function look(seen) {
    const cards = [...document.querySelectorAll("section[data-hue] li a")];
    seen.add(cards.filter((card) => card.textContent.includes("Benito")).length);
    window.seen = [...seen];
    requestAnimationFrame(() => look(seen));
  })(new Set())`);
  const oldRead = page.waitForResponse(new RegExp(`/stages/${fresh.id}/cards`));
  release();
  await column(page, "Won").getByRole("link", { name: "Benito" }).waitFor();
  await oldRead;
  expect(await column(page, "New").getByRole("link", { name: "Benito" }).count()).toBe(0);
  expect(await page.evaluate("seen")).toEqual([1]);
});

test("two cards that are moved one right after the other each have their way back", async () => {
  const { pipeline } = await makeBoard(["Ana", "Benito", "Carla"]);
  const [fresh, won] = pipeline.stages;
  const page = await open("/pipelines");
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let calls = 0;
  await page.route("**/stage", async (route) => {
    calls += 1;
    if (calls === 1) await released;
    await route.continue();
  });
  for (const name of ["Ana", "Benito"]) {
    await page.getByRole("link", { name }).focus();
    await page.keyboard.press("Shift+ArrowRight");
  }
  const notice = (name: string) =>
    page.getByRole("alert").filter({ hasText: `${name} is now in Won.` });
  await notice("Benito").waitFor();
  release();
  await notice("Ana").getByRole("button", { name: "Undo" }).click();
  await expect.poll(async () => await cardsIn(fresh.id)).toContain("Ana");
  expect(await cardsIn(won.id)).toEqual(["Benito"]);
});

test("the name of a stage that could not be added stays in its field", async () => {
  const { pipeline } = await makeBoard([]);
  const page = await open("/pipelines");
  await page.getByRole("button", { name: "Pipeline settings" }).click();
  const dialog = page.getByRole("dialog");
  const field = dialog.getByRole("textbox", { name: "New stage" });
  const path = `**/pipelines/${pipeline.id}/stages`;
  await page.route(path, async (route) => await route.abort());
  await field.fill("Lost");
  await field.press("Enter");
  await page.getByText("The server did not answer.").waitFor();
  expect(await field.inputValue()).toBe("Lost");
  await page.unroute(path);
  const add = dialog.getByRole("button", { name: "Add" });
  await expect.poll(async () => await add.isEnabled()).toBe(true);
  await page.keyboard.press("Enter");
  await dialog.getByRole("textbox", { name: "Name of the stage Lost" }).waitFor();
  await expect.poll(async () => await field.inputValue()).toBe("");
});

test("a card's menu moves it; what is refused goes back with the reason", async () => {
  const { pipeline } = await makeBoard(["Ana"]);
  const [fresh, won] = pipeline.stages;
  const page = await open("/pipelines");
  await page.getByRole("button", { name: "Actions for Ana" }).click();
  await page.route("**/stage", async (route) => await route.abort());
  await page.getByRole("menuitem", { name: "Won", exact: true }).click();
  await page.getByText("The card stays where it was").waitFor();
  await column(page, "New").getByRole("link", { name: "Ana" }).waitFor();
  expect(await cardsIn(fresh.id)).toEqual(["Ana"]);
  await page.unroute("**/stage");
  await page.getByRole("button", { name: "Actions for Ana" }).click();
  await page.getByRole("menuitem", { name: "Won", exact: true }).click();
  await page.getByText("Ana is now in Won.").waitFor();
  expect(await cardsIn(won.id)).toEqual(["Ana"]);
});

test("the board shows by itself what others move and arrange", async () => {
  const { pipeline, contacts } = await makeBoard(["Ana"]);
  const page = await open("/pipelines");
  await column(page, "New").getByRole("link", { name: "Ana" }).waitFor();
  const id = contacts.get("Ana")?.contact;
  await call("POST", `/contacts/${id}/stage`, { stage_id: pipeline.stages[1].id });
  await column(page, "Won").getByRole("link", { name: "Ana" }).waitFor();
  await expect.poll(async () => await column(page, "New").getByRole("listitem").count()).toBe(0);
  await call("POST", `/pipelines/${pipeline.id}/stages`, { name: "Lost" });
  await column(page, "Lost").waitFor();
});

test("a card shows by itself what its customer writes, who has it, and the next appointment", async () => {
  const { account, resourceId } = await createTestAgenda(own.fixture.database.dataSource);
  own.account = account;
  const { contacts } = await makeBoard(["Ana"]);
  const ana = contacts.get("Ana");
  const page = await open("/pipelines");
  const card = column(page, "New").getByRole("listitem");
  await card.getByText("Hello").waitFor();
  const words = { channel: "web", from: "Ana", name: "Ana", text: "Is it ready?" };
  await call("POST", "/sandbox/messages", words);
  await card.getByText("Is it ready?").waitFor();
  await call("POST", `/conversations/${ana?.conversation}/assign`, { user_id: account.userId });
  await card.getByText(/^Assigned to/).waitFor({ state: "attached" });
  const booking = { contact_id: ana?.contact, resource_id: resourceId, duration_minutes: 30 };
  await call("POST", "/appointments", { ...booking, start_time: "2030-03-05T16:00:00Z" });
  await card.getByText(/5 Mar 2030/).waitFor();
  expect(await card.count()).toBe(1);
});

test("the card of an image without words says so in the person's language", async () => {
  await makeBoard(["Ana"]);
  const { dataSource } = own.fixture.database;
  const image = { channel: "web", from: "Ana", type: "image", content: null } as const;
  await receive(dataSource, own.account.accountId, image);
  const page = await open("/pipelines");
  const preview = column(page, "New").locator("[class*=preview]");
  await expect.poll(async () => await preview.innerText()).toBe("Image");
  await call("PATCH", "/me", { locale: "es" });
  await page.reload();
  await expect.poll(async () => await preview.innerText()).toBe("Imagen");
});

test("a card that is dropped on itself stays, and a later drop does not move it", async () => {
  await makeBoard(["Ana"]);
  const page = await open("/pipelines");
  const card = column(page, "New").getByRole("listitem");
  await card.dragTo(card, { targetPosition: { x: 4, y: 4 } });
  await expect.poll(async () => await column(page, "New").getAttribute("data-over")).toBe("false");
  await column(page, "Won").dispatchEvent("drop");
  await column(page, "Won").getByText("Nobody is here.").waitFor();
  expect(await column(page, "New").getByRole("listitem").count()).toBe(1);
});

test("a column of more than a page is read on, and counts all", async () => {
  const names = Array.from({ length: 22 }, (_, index) => `Customer ${index + 1}.`);
  await makeBoard(names);
  const page = await open("/pipelines");
  await column(page, "New").getByRole("link", { name: "Customer 20." }).waitFor();
  await column(page, "New").getByText("22", { exact: true }).waitFor();
  expect(await column(page, "New").getByRole("listitem").count()).toBe(20);
  await page.getByRole("button", { name: "Show more" }).click();
  await column(page, "New").getByRole("link", { name: "Customer 22." }).waitFor();
  expect(await column(page, "New").getByRole("listitem").count()).toBe(22);
});

test("an admin adds a pipeline, names, orders, adds and deletes stages; contacts move first", async () => {
  const page = await open("/pipelines");
  await page.getByText("No pipeline yet").waitFor();
  await page.getByRole("button", { name: "New pipeline" }).click();
  const dialog = page.getByRole("dialog").first();
  await expectFocusIn(dialog);
  await dialog.getByRole("textbox", { name: "Name" }).fill("Sales");
  for (const name of ["New", "Won"]) {
    await dialog.getByLabel("Stages").fill(name);
    await dialog.getByLabel("Stages").press("Enter");
  }
  await dialog.getByRole("switch", { name: "New conversations enter its first stage" }).check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await column(page, "Won").waitFor();
  await call("POST", "/sandbox/messages", { channel: "web", from: "a", name: "Ana", text: "Hi" });
  await column(page, "New").getByRole("link", { name: "Ana" }).waitFor();

  await page.getByRole("button", { name: "Pipeline settings" }).click();
  await expectFocusIn(dialog);
  await dialog.getByRole("textbox", { name: "Name of the stage Won" }).fill("Sold");
  await dialog.getByRole("textbox", { name: "Name of the stage Won" }).press("Enter");
  await dialog.getByRole("textbox", { name: "Name of the stage Sold" }).waitFor();
  await dialog.getByRole("textbox", { name: "New stage" }).fill("Lost");
  await dialog.getByRole("textbox", { name: "New stage" }).press("Enter");
  await dialog.getByRole("button", { name: "Move Lost up" }).click();
  const stages = async () =>
    (await call("GET", "/pipelines"))[0].stages.map(({ name }: { name: string }) => name);
  await expect.poll(stages).toEqual(["New", "Lost", "Sold"]);
  const deletion = (name: string) => page.getByRole("dialog", { name: `Delete ${name}?` });
  const askToDelete = async (name: string) => {
    await dialog.getByRole("button", { name: `Actions for ${name}` }).click();
    await page.getByRole("menuitem", { name: `Delete ${name}` }).click();
  };
  await askToDelete("Sold");
  await deletion("Sold").getByRole("button", { name: "Keep it" }).click();
  expect(await stages()).toEqual(["New", "Lost", "Sold"]);
  await askToDelete("Sold");
  await deletion("Sold").getByRole("button", { name: "Delete" }).click();
  await expect.poll(stages).toEqual(["New", "Lost"]);
  await dialog.getByRole("textbox", { name: "New stage" }).fill("Quoted");
  await dialog.getByRole("textbox", { name: "New stage" }).press("Enter");
  await expect.poll(stages).toEqual(["New", "Lost", "Quoted"]);
  await askToDelete("New");
  const question = deletion("New");
  await question.getByText("1 contact stands in it.").waitFor();
  expect(await question.getByRole("combobox", { name: "Move to" }).inputValue()).toBe("Lost");
  await question.getByRole("combobox", { name: "Move to" }).click();
  await page.getByRole("option", { name: "Quoted" }).click();
  expect(await findBarriers(page)).toEqual([]);
  await question.getByRole("button", { name: "Move 1 contact and delete" }).click();
  await expect.poll(stages).toEqual(["Lost", "Quoted"]);
  await column(page, "Quoted").getByRole("link", { name: "Ana", includeHidden: true }).waitFor();

  await dialog.getByRole("button", { name: "Delete this pipeline" }).click();
  await deletion("Sales").getByText("1 contact stands in it").waitFor();
  await deletion("Sales").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No pipeline yet").waitFor();
  expect(await call("GET", "/pipelines")).toEqual([]);
  await page.getByRole("button", { name: "Add the first one" }).click();
  await page.getByRole("dialog", { name: "New pipeline" }).waitFor();
});

test("a slow limit out of range becomes the nearest one; a refused one gives way to the stored one", async () => {
  const { pipeline } = await makeBoard([]);
  const { id } = pipeline.stages[0];
  const page = await open("/pipelines");
  await page.getByRole("button", { name: "Pipeline settings" }).click();
  const days = page.getByRole("textbox", { name: "Days until New is slow" });
  const shown = async () => await days.inputValue();
  const stored = async () =>
    (await call("GET", `/pipelines/${pipeline.id}`)).stages[0].slow_after_days;
  for (const [typed, kept] of [
    ["1500", 999],
    ["0", 1],
  ] as const) {
    const field = await days.elementHandle();
    await days.fill(typed);
    await page.keyboard.press("Tab");
    await expect.poll(stored).toBe(kept);
    // The page reads the new limit and makes the field anew.
    await field?.waitForElementState("hidden");
    expect(await shown()).toBe(`${kept} d`);
  }
  await page.route(`**/stages/${id}`, async (route) => await route.abort());
  await days.fill("7");
  await page.keyboard.press("Tab");
  await page.getByRole("alert").filter({ hasText: "The server did not answer." }).waitFor();
  await expect.poll(shown).toBe("1 d");
  expect(await stored()).toBe(1);
});

test("an agent is not offered to arrange pipelines", async () => {
  own.account = await createTestAccount(own.fixture.database.dataSource, { role: "agent" });
  const page = await open("/pipelines");
  await page.getByText("No pipeline yet").waitFor();
  expect(await page.getByRole("button", { name: /New pipeline|Add the first/ }).count()).toBe(0);
});

test("in the inbox, s chooses the contact's stage", async () => {
  const { pipeline, contacts } = await makeBoard(["Ana"]);
  const id = contacts.get("Ana")?.conversation;
  const page = await open(`/inbox/${id}`);
  const picker = page.getByRole("combobox", { name: "Stage" });
  await expect.poll(async () => await picker.inputValue()).toBe("New");
  await page.keyboard.press("s");
  await page.getByRole("option", { name: "Won" }).click();
  await page.getByText("Now in Won (Sales)").waitFor();
  expect(await cardsIn(pipeline.stages[1].id)).toEqual(["Ana"]);
});
