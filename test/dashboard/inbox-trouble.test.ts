import type { Page, Route } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
/** One account per test, so that each starts with an empty inbox. */
let account: TestAccount;
let nextPhone = 5_215_600_000_000;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
});

async function call(method: string, path: string, body?: unknown) {
  const answer = await fixture.api.call(method, `/dashboard/api${path}`, {
    cookie: account.cookie,
    body,
  });
  expect([path, answer.status < 300]).toEqual([path, true]);
  return answer.json.data;
}

/** A customer writes. @returns the conversation's id. */
async function write(text: string, name = "Ana Ruiz", from = String((nextPhone += 1))) {
  const body = { channel: "whatsapp", from, name, text };
  return Number((await call("POST", "/sandbox/messages", body)).conversation_id);
}

async function open(path: string): Promise<Page> {
  return (await fixture.open(path, { as: account.cookie })).page;
}

const thread = (page: Page) => page.getByRole("log", { name: "Messages" });
const box = (page: Page) => page.getByRole("textbox", { name: "Reply" });

async function contentsOf(id: number): Promise<string[]> {
  const rows = (await call("GET", `/conversations/${id}/messages`)) as { content: string }[];
  return rows.map(({ content }) => content);
}

/** Takes the replies that the page posts; `held` are those that nobody has let go yet. */
async function holdReplies(page: Page): Promise<Route[]> {
  const held: Route[] = [];
  await page.route("**/messages", async (route) => {
    if (route.request().method() === "POST") held.push(route);
    else await route.continue();
  });
  return held;
}

/** A conversation as somebody has it open whose replies are held. */
async function openHeld(): Promise<{ id: number; page: Page; held: Route[] }> {
  const id = await write("Hello");
  const page = await open(`/inbox/${id}`);
  await thread(page).getByText("Hello").waitFor();
  const held = await holdReplies(page);
  return { id, page, held };
}

test("a read that began before a reply was taken does not take it out of the thread", async () => {
  const id = await write("a");
  const page = await open(`/inbox/${id}`);
  await thread(page).getByText("a", { exact: true }).waitFor();
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const read = page.waitForResponse(/\/messages\?/);
  await page.route(
    /\/messages\?/,
    async (route) => {
      const response = await route.fetch();
      await released;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await write("b", "Ana Ruiz", String(nextPhone));
  const held = await holdReplies(page);
  await box(page).fill("Dear Ana");
  await box(page).press("Enter");
  await expect.poll(() => held.length).toBe(1);
  release();
  await read;
  await thread(page).getByText("b", { exact: true }).waitFor();
  expect(await thread(page).getByText("Dear Ana").count()).toBe(1);
  await held[0]?.continue();
  await expect.poll(async () => await contentsOf(id)).toContain("Dear Ana");
  expect(await thread(page).getByText("Dear Ana").count()).toBe(1);
});

/** Waits until what the page has sent so far has left. */
async function roundTrip(page: Page): Promise<void> {
  await page.evaluate("fetch('/dashboard/api/session').then((answer) => answer.status)");
}

test("where the list moves, Enter opens whom the person had chosen, and j goes on from there", async () => {
  const first = await write("z", "Zoe");
  const benito = await write("b", "Benito");
  const carla = await write("c", "Carla");
  await call("PATCH", `/conversations/${first}`, { status: "resolved" });
  const page = await open("/inbox");
  await page.getByRole("link", { name: /Benito/ }).waitFor();
  await page.keyboard.press("j");
  await expect.poll(async () => await focusedText(page)).toMatch(/Benito/);
  // The first one stands above them, since its customer has waited longest.
  await call("PATCH", `/conversations/${first}`, { status: "active" });
  await page.getByRole("link", { name: /Zoe/ }).waitFor();
  expect(await focusedText(page)).toMatch(/Benito/);
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/inbox/${benito}`);
  await page.keyboard.press("j");
  await expect.poll(async () => await focusedText(page)).toMatch(/Carla/);
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/inbox/${carla}`);
});

const focusedText = async (page: Page): Promise<string> =>
  await page.evaluate<string>("document.activeElement.textContent");

test("a list that moves under the person takes no key out of what they write", async () => {
  const ana = "5215611112222";
  const benito = await write("b", "Benito");
  const waits = await write("a", "Ana Ruiz", ana);
  await call("POST", `/conversations/${waits}/messages`, { content: "Hi" });
  const page = await open("/inbox");
  await page.getByRole("link", { name: /Benito/ }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/inbox/${benito}`);
  await thread(page).getByText("b", { exact: true }).waitFor();
  await page.keyboard.press("r");
  await page.keyboard.type("Dear ");
  await write("news", "Ana Ruiz", ana);
  await page.getByRole("link", { name: /news/ }).waitFor();
  await page.keyboard.type("people");
  expect(await box(page).inputValue()).toBe("Dear people");
  expect(await call("GET", `/conversations/${benito}`)).toMatchObject({ status: "active" });
});

test("keys of the inbox rest while a dialog is open, and work after a click on a tab of the list", async () => {
  const id = await write("Hello");
  const page = await open(`/inbox/${id}`);
  await thread(page).getByText("Hello").waitFor();
  await page.keyboard.press("?");
  await page.locator("[role=dialog] :focus").waitFor();
  await page.keyboard.press("e");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await call("GET", `/conversations/${id}`)).toMatchObject({ status: "active" });
  await page.getByRole("list", { name: "Views" }).getByRole("link", { name: "All" }).click();
  await page.waitForURL("**/inbox?view=all");
  await page.locator(`a[href^="/inbox/${id}"]`).click();
  await page.waitForURL(`**/inbox/${id}?view=all`);
  await thread(page).getByText("Hello").waitFor();
  await page.keyboard.press("e");
  await eventually(async () =>
    expect(await call("GET", `/conversations/${id}`)).toMatchObject({ status: "resolved" }),
  );
});

test("a reply whose answer was lost is sent again as the same message, not as a second one", async () => {
  const { id, page, held } = await openHeld();
  await box(page).fill("At eight");
  await box(page).press("Enter");
  await expect.poll(() => held.length).toBe(1);
  // The server has it, and the page hears nothing.
  await call("POST", `/conversations/${id}/messages`, held[0]?.request().postDataJSON());
  await held[0]?.abort();
  await page.getByText("The reply was not sent; its text is kept").waitFor();
  await expect.poll(async () => await box(page).inputValue()).toBe("At eight");
  await box(page).press("Enter");
  await expect.poll(() => held.length).toBe(2);
  await held[1]?.continue();
  await expect.poll(async () => await box(page).inputValue()).toBe("");
  const again = await held[1]?.request().response();
  expect(again?.ok()).toBe(true);
  expect(await contentsOf(id)).toEqual(["At eight", "Hello"]);
  expect(await thread(page).getByText("At eight").count()).toBe(1);
});

test("a reply that fails comes back before what was begun meanwhile, and nothing of either is lost", async () => {
  const { page, held } = await openHeld();
  await box(page).fill("The first");
  await box(page).press("Enter");
  await expect.poll(() => held.length).toBe(1);
  await box(page).fill("The second");
  await held[0]?.abort();
  await expect.poll(async () => await box(page).inputValue()).toBe("The first\nThe second");
});

test("where a reply is lost, the one behind it does not overtake it: both come back in their order", async () => {
  const { id, page, held } = await openHeld();
  for (const text of ["one", "two"]) {
    await box(page).fill(text);
    await box(page).press("Enter");
    await thread(page).getByText(text, { exact: true }).waitFor();
  }
  await expect.poll(() => held.length).toBe(1);
  await held[0]?.abort();
  await expect.poll(async () => await box(page).inputValue()).toBe("one\ntwo");
  expect([held.length, await contentsOf(id)]).toEqual([1, ["Hello"]]);
});

test("a page that is closed while a reply is under way has its text when it is opened again", async () => {
  const { id, page, held } = await openHeld();
  await box(page).fill("Not gone yet");
  await box(page).press("Enter");
  await expect.poll(() => held.length).toBe(1);
  expect(await box(page).inputValue()).toBe("");
  await box(page).fill("Nor this");
  await box(page).press("Enter");
  await expect.poll(async () => await box(page).inputValue()).toBe("");
  await page.reload();
  await expect.poll(async () => await box(page).inputValue()).toBe("Not gone yet\nNor this");
  expect(await contentsOf(id)).toEqual(["Hello"]);
});

test("a reply that had arrived when its page was closed does not double where it is sent again", async () => {
  const { id, page, held } = await openHeld();
  for (const text of ["one", "two"]) {
    await box(page).fill(text);
    await box(page).press("Enter");
  }
  await expect.poll(() => held.length).toBe(1);
  // The server has it, and the page never hears of it.
  await call("POST", `/conversations/${id}/messages`, held[0]?.request().postDataJSON());
  await page.reload();
  await expect.poll(async () => await box(page).inputValue()).toBe("one\ntwo");
  await box(page).fill("one\ntwo please\nthree");
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await box(page).press("Enter");
  const all = ["two please\nthree", "one", "Hello"];
  await eventually(async () => expect(await contentsOf(id)).toEqual(all));
  await expect.poll(async () => await box(page).inputValue()).toBe("");
});

test("words that came back and were thrown away are a message of their own when they are written again", async () => {
  const { id, page, held } = await openHeld();
  await box(page).fill("ok");
  await box(page).press("Enter");
  await expect.poll(() => held.length).toBe(1);
  await call("POST", `/conversations/${id}/messages`, held[0]?.request().postDataJSON());
  await held[0]?.abort();
  await expect.poll(async () => await box(page).inputValue()).toBe("ok");
  await box(page).fill("");
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await box(page).fill("ok");
  await box(page).press("Enter");
  await eventually(async () => expect(await contentsOf(id)).toEqual(["ok", "ok", "Hello"]));
});

test("without a network a reply fails at once, with its text, instead of waiting unseen", async () => {
  const id = await write("Hello");
  const page = await open(`/inbox/${id}`);
  await thread(page).getByText("Hello").waitFor();
  await page.context().setOffline(true);
  await box(page).fill("Can you read me?");
  await box(page).press("Enter");
  await page.getByText("The reply was not sent; its text is kept").waitFor();
  expect(await box(page).inputValue()).toBe("Can you read me?");
});

test("replies leave one after the other, so they arrive in the order in which they were written", async () => {
  const { id, page, held } = await openHeld();
  for (const text of ["one", "two"]) {
    await box(page).fill(text);
    await box(page).press("Enter");
    await thread(page).getByText(text, { exact: true }).waitFor();
  }
  await roundTrip(page);
  await expect.poll(() => held.length).toBe(1);
  expect(held[0]?.request().postDataJSON()).toMatchObject({ content: "one" });
  await held[0]?.continue();
  await expect.poll(() => held.length).toBe(2);
  await held[1]?.continue();
  await eventually(async () => expect(await contentsOf(id)).toEqual(["two", "one", "Hello"]));
});

test("a draft is its writer's: a colleague at the same browser does not find it", async () => {
  const id = await write("Hello");
  const page = await open(`/inbox/${id}`);
  await box(page).fill("between us");
  const colleague = await createTestAccount(fixture.database.dataSource);
  await joinAccount(colleague, account.accountId);
  await fixture.database.dataSource.query("UPDATE sessions SET account_id = ? WHERE user_id = ?", [
    account.accountId,
    colleague.userId,
  ]);
  const [name = "", value = ""] = colleague.cookie.split("=");
  await page.context().addCookies([{ name, value, url: fixture.api.url }]);
  await page.reload();
  await thread(page).getByText("Hello").waitFor();
  expect(await box(page).inputValue()).toBe("");
});

async function joinAccount({ userId }: TestAccount, accountId: number): Promise<void> {
  await fixture.database.dataSource.query(
    "INSERT INTO memberships (account_id, user_id, role) VALUES (?, ?, 'admin')",
    [accountId, userId],
  );
}

test("where one tab goes to another account, the others go along and show nothing of the first", async () => {
  await write("Of the first account");
  const other = await createTestAccount(fixture.database.dataSource);
  await joinAccount(account, other.accountId);
  const first = await open("/inbox");
  await first.getByRole("link", { name: /Ana Ruiz/ }).waitFor();
  const second = await first.context().newPage();
  await second.goto(`${fixture.api.url}/inbox`);
  await second.getByRole("link", { name: /Ana Ruiz/ }).waitFor();
  await second.getByRole("button", { name: "Switch account" }).click();
  await second.getByRole("menuitem", { name: other.email }).click();
  for (const page of [second, first]) {
    await page.getByRole("button", { name: new RegExp(other.email) }).waitFor();
    await page.getByText("Everybody has an answer").waitFor();
    expect(await page.getByRole("link", { name: /Ana Ruiz/ }).count()).toBe(0);
  }
});

test("what comes while a conversation is being read for the first time is not missed", async () => {
  const from = "5215633334444";
  const id = await write("The first", "Ana Ruiz", from);
  const page = await open("/inbox");
  await page.getByRole("link", { name: /The first/ }).waitFor();
  // What is unseen would be read again for a reason of its own.
  const [message] = await call("GET", `/conversations/${id}/messages`);
  await call("POST", `/conversations/${id}/read`, { up_to_message_id: message.id });
  let answered = false;
  await page.route(`**/conversations/${id}/messages?*`, async (route) => {
    const response = await route.fetch();
    if (answered) return await route.fulfill({ response });
    answered = true;
    // The answer is slow, and something happens meanwhile.
    await write("The second", "Ana Ruiz", from);
    await page.getByRole("link", { name: /The second/ }).waitFor();
    await route.fulfill({ response });
  });
  await page.getByRole("link", { name: /The first/ }).click();
  await thread(page).getByText("The second").waitFor();
  expect(await contentsOf(id)).toEqual(["The second", "The first"]);
});

test("an erased contact goes from the page of whoever has the conversation open", async () => {
  const id = await write("My secret");
  const page = await open(`/inbox/${id}`);
  await thread(page).getByText("My secret").waitFor();
  const { contact_id } = await call("GET", `/conversations/${id}`);
  const contact = await open(`/contacts/${contact_id}`);
  await contact.getByRole("heading", { name: "Ana Ruiz", level: 1 }).waitFor();
  await call("DELETE", `/contacts/${contact_id}`);
  await page.getByText(/^This conversation is gone/).waitFor();
  await contact.getByText(/^This contact is gone/).waitFor();
  await expect.poll(async () => await page.getByText("My secret").count()).toBe(0);
});

test("older messages that cannot be read say so", async () => {
  const from = "5215655556666";
  const id = await write("The oldest", "Ana Ruiz", from);
  for (let n = 0; n < 10; n += 1) {
    await Promise.all(
      ["a", "b", "c", "d", "e"].map(async (one) => await write(`${one}${n}`, "Ana Ruiz", from)),
    );
  }
  const page = await open(`/inbox/${id}`);
  await thread(page).getByText("a9", { exact: true }).waitFor();
  // The stream, once it is there, has everything read once more, and a failure would be gone by that.
  await page.waitForLoadState("networkidle");
  await page.route("**/messages?*before_id*", async (route) => {
    await route.fulfill({
      status: 500,
      json: { success: false, error: { code: "internal_error", message: "", details: null } },
    });
  });
  await page.getByRole("button", { name: "Older messages" }).click();
  await page.getByText("This could not be loaded").waitFor();
  await page.unroute("**/messages?*before_id*");
  await page.getByRole("button", { name: "Older messages" }).click();
  await thread(page).getByText("The oldest").waitFor();
  expect(await thread(page).getByText("a9", { exact: true }).count()).toBe(1);
}, 90_000);
