import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectFocus } from "../support/browser.ts";
import { setUpOwnAccounts } from "../support/own-accounts.ts";

const own = setUpOwnAccounts();
const { call, open } = own;

/** A customer writes. @returns the conversation's id. */
async function write(name: string): Promise<number> {
  const body = { channel: "web", from: name, name, text: `${name} wrote` };
  return Number((await call("POST", "/sandbox/messages", body)).conversation_id);
}

const list = (page: Page) => page.getByRole("region", { name: "Conversations" });
const row = (page: Page, name: string) =>
  list(page).locator("a[href^='/inbox/']").filter({ hasText: name });
const thread = (page: Page, name: string) =>
  page.getByRole("region", { name: `Conversation with ${name}` });

async function expectNames(page: Page, names: string[]): Promise<void> {
  await expect
    .poll(async () => {
      const texts = await list(page).locator("a[href^='/inbox/']").allInnerTexts();
      return texts.map((text) => text.split("\n")[0] ?? "");
    })
    .toEqual(names);
}

const conversation = async (id: number) => await call("GET", `/conversations/${id}`);

test("e resolves and opens the next of the view; Undo brings the resolved one back", async () => {
  const ana = await write("Ana");
  const benito = await write("Benito");
  await write("Carla");
  const page = await open(`/inbox/${ana}?view=needs_answer`);
  await thread(page, "Ana").waitFor();
  await page.keyboard.press("e");
  await page.waitForURL(`**/inbox/${benito}?view=needs_answer`);
  await thread(page, "Benito").waitFor();
  await expectNames(page, ["Benito", "Carla"]);
  await page.getByText("Ana is resolved.").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.waitForURL(`**/inbox/${ana}?view=needs_answer`);
  await expectNames(page, ["Ana", "Benito", "Carla"]);
  expect((await conversation(ana)).status).toBe("active");
});

test("Undo of a resolution gives back the handoff with its reason, the snooze and Waiting", async () => {
  const ana = await write("Ana");
  const benito = await write("Benito");
  const snooze = { until: new Date(Date.now() + 86_400_000).toISOString() };
  await call("POST", `/conversations/${ana}/bot`, { enabled: false, reason: "Wants a refund" });
  await call("PATCH", `/conversations/${benito}`, { status: "waiting" });
  await call("POST", `/conversations/${benito}/snooze`, snooze);
  for (const [name, id] of [
    ["Ana", ana],
    ["Benito", benito],
  ] as const) {
    const page = await open(`/inbox/${id}?view=all`);
    const before = await conversation(id);
    await thread(page, name).waitFor();
    await page.keyboard.press("e");
    await page.getByText(`${name} is resolved.`).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    const { status, snoozed_until, handoff } = before;
    await expect
      .poll(async () => await conversation(id))
      .toMatchObject({ status, snoozed_until, handoff: handoff && { reason: handoff.reason } });
  }
});

test("Undo of a resolution of several gives each its own state back", async () => {
  const [ana, benito, carla] = [await write("Ana"), await write("Benito"), await write("Carla")];
  const until = new Date(Date.now() + 86_400_000).toISOString();
  await call("POST", `/conversations/${ana}/bot`, { enabled: false });
  await call("POST", `/conversations/${benito}/snooze`, { until });
  const page = await open("/inbox?view=all");
  for (const name of ["Ana", "Benito", "Carla"]) {
    await row(page, name).focus();
    await page.keyboard.press("x");
  }
  await page.getByText("3 selected").waitFor();
  await page.keyboard.press("e");
  await page.getByText("3 conversations resolved.").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect
    .poll(async () => {
      const found = await Promise.all([ana, benito, carla].map(conversation));
      return found.map(({ status, snoozed_until }) => [status, snoozed_until]);
    })
    .toEqual([
      ["handed_off", null],
      ["active", until],
      ["active", null],
    ]);
});

test("Undo of the resolution of an answered handoff calls for nobody again", async () => {
  const ana = await write("Ana");
  await call("POST", `/conversations/${ana}/bot`, { enabled: false });
  await call("POST", `/conversations/${ana}/messages`, { content: "Here I am" });
  const page = await open(`/inbox/${ana}?view=all`);
  await thread(page, "Ana").waitFor();
  await page.keyboard.press("e");
  await page.getByText("Ana is resolved.").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect
    .poll(async () => await conversation(ana))
    .toMatchObject({ status: "active", bot_enabled: false, handoff: null });
});

test("Undo for several tells of one that failed, and takes the others back", async () => {
  const [ana, benito] = [await write("Ana"), await write("Benito")];
  await call("POST", `/conversations/${ana}/bot`, { enabled: false });
  const page = await open("/inbox?view=all");
  for (const name of ["Ana", "Benito"]) {
    await row(page, name).focus();
    await page.keyboard.press("x");
  }
  await page.getByText("2 selected").waitFor();
  await page.keyboard.press("e");
  await page.getByText("2 conversations resolved.").waitFor();
  await page.route(`**/conversations/${ana}/bot`, async (route) => await route.abort());
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("The conversation stays as before").waitFor();
  await expect.poll(async () => (await conversation(benito)).status).toBe("active");
});

test("the next conversation keeps to the filters of the list", async () => {
  const ana = await write("Ana");
  const body = { channel: "instagram", from: "b", name: "Benito", text: "Hi" };
  await call("POST", "/sandbox/messages", body);
  const carla = await write("Carla");
  const page = await open(`/inbox/${ana}?channel=web&search=wrote`);
  await thread(page, "Ana").waitFor();
  await page.keyboard.press("e");
  await page.waitForURL(`**/inbox/${carla}?channel=web&search=wrote`);
  expect((await conversation(ana)).status).toBe("resolved");
});

test("one resolves while another looks: the row leaves the list of both, and the thread says so", async () => {
  const ana = await write("Ana");
  await write("Benito");
  const [first, second] = await Promise.all([open(`/inbox/${ana}`), open(`/inbox/${ana}`)]);
  await thread(second, "Ana").waitFor();
  await thread(first, "Ana").getByRole("button", { name: "Resolve" }).click();
  await thread(first, "Benito").waitFor();
  await expectNames(first, ["Benito"]);
  await expectNames(second, ["Benito"]);
  await thread(second, "Ana").getByRole("button", { name: "Reopen" }).waitFor();
  expect(new URL(second.url()).pathname).toBe(`/inbox/${ana}`);
});

test("z snoozes until a moment, which the header shows and ends again", async () => {
  const ana = await write("Ana");
  const page = await open(`/inbox/${ana}`);
  await thread(page, "Ana").waitFor();
  await page.keyboard.press("z");
  await page.getByRole("menuitem", { name: /^Tomorrow/ }).click();
  const snoozed = thread(page, "Ana").getByRole("button", {
    name: /^Snoozed until tomorrow, 9:00/,
  });
  await snoozed.waitFor();
  await page.getByText("Everybody has an answer").waitFor();
  await expect.poll(async () => (await conversation(ana)).snoozed_until).not.toBeNull();
  await snoozed.click();
  await page.getByRole("menuitem", { name: "End the snooze" }).click();
  await expectNames(page, ["Ana"]);
  expect((await conversation(ana)).snoozed_until).toBeNull();
});

test("a snooze takes any date and time ahead, and refuses one that is over", async () => {
  const ana = await write("Ana");
  const page = await open(`/inbox/${ana}`);
  await thread(page, "Ana").getByRole("button", { name: "Snooze" }).click();
  await page.getByRole("menuitem", { name: "Pick a date and time…" }).click();
  const dialog = page.getByRole("dialog", { name: "Snooze until a date and time" });
  const field = dialog.getByRole("textbox", { name: "Comes back" });
  await field.fill("01/02/2025 10:00");
  await dialog.getByRole("button", { name: "Snooze" }).click();
  await dialog.getByText("Choose a time in the future.").waitFor();
  const year = new Date().getUTCFullYear() + (new Date().getUTCMonth() > 5 ? 1 : 0);
  await field.fill(`01/06/${year} 10:30`);
  await dialog.getByRole("button", { name: "Snooze" }).click();
  await dialog.waitFor({ state: "detached" });
  await expect
    .poll(async () => (await conversation(ana)).snoozed_until)
    .toBe(`${year}-06-01T10:30:00.000Z`);
});

test("u marks as unread and closes the conversation, so that it stays unread", async () => {
  const ana = await write("Ana");
  const page = await open(`/inbox/${ana}`);
  await expect.poll(async () => (await conversation(ana)).unread_count).toBe(0);
  await page.keyboard.press("u");
  await page.waitForURL("**/inbox");
  await row(page, "Ana").locator("[data-count]").waitFor();
  // The row shows it before the API has answered.
  await expect.poll(async () => (await conversation(ana)).unread_count).toBe(1);
});

test("the menu of the opened row and the selection mark it as unread, and it stays so", async () => {
  const ana = await write("Ana");
  const page = await open(`/inbox/${ana}`);
  const isRead = async () =>
    await expect.poll(async () => (await conversation(ana)).unread_count).toBe(0);
  const staysUnread = async (): Promise<void> => {
    await page.waitForURL("**/inbox");
    await page.getByText("1 conversation marked as unread.").waitFor();
    await row(page, "Ana").locator("[data-count]").waitFor();
    expect((await conversation(ana)).unread_count).toBe(1);
  };
  await isRead();
  await row(page, "Ana").hover();
  await page.getByRole("button", { name: "Actions for Ana" }).click();
  await page.getByRole("menuitem", { name: "Mark as unread" }).click();
  await staysUnread();
  await row(page, "Ana").click();
  await thread(page, "Ana").waitFor();
  await isRead();
  await page.keyboard.press("x");
  await page.getByText("1 selected").waitFor();
  await page.keyboard.press("u");
  await staysUnread();
});

test("i and a button of the header assign to the person who looks", async () => {
  const [ana, benito] = [await write("Ana"), await write("Benito")];
  const page = await open(`/inbox/${ana}`);
  await thread(page, "Ana").waitFor();
  await page.keyboard.press("i");
  await expect
    .poll(async () => (await conversation(ana)).assigned_to_user_id)
    .toBe(own.account.userId);
  await row(page, "Benito").click();
  const button = thread(page, "Benito").getByRole("button", { name: "Assign to me" });
  await button.click();
  await button.waitFor({ state: "detached" });
  await expect
    .poll(async () => (await conversation(benito)).assigned_to_user_id)
    .toBe(own.account.userId);
});

test("the menu of a row assigns, marks and resolves without opening the row", async () => {
  const ana = await write("Ana");
  const page = await open("/inbox");
  const act = async (name: string) => {
    await row(page, "Ana").hover();
    await page.getByRole("button", { name: "Actions for Ana" }).click();
    await page.getByRole("menuitem", { name }).click();
  };
  await act("Assign to me");
  await page.getByText("1 conversation assigned.").waitFor();
  expect((await conversation(ana)).assigned_to_user_id).toBe(own.account.userId);
  await act("Mark as read");
  await row(page, "Ana").locator("[data-count]").waitFor({ state: "detached" });
  await act("Resolve");
  await page.getByText("Everybody has an answer").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await expectNames(page, ["Ana"]);
  expect(new URL(page.url()).pathname).toBe("/inbox");
});

test("x and Shift x select by keyboard; the bar resolves all at once, with one message and Undo", async () => {
  for (const name of ["Ana", "Benito", "Carla", "Dora"]) await write(name);
  const page = await open("/inbox");
  await row(page, "Ana").focus();
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await expectFocus(row(page, "Benito"));
  await page.keyboard.press("j");
  await expectFocus(row(page, "Carla"));
  await page.keyboard.press("Shift+X");
  const bar = page.getByRole("toolbar", { name: "Selected conversations" });
  await bar.getByText("3 selected").waitFor();
  await page.keyboard.press("e");
  await page.getByText("3 conversations resolved.").waitFor();
  await expectNames(page, ["Dora"]);
  await bar.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await expectNames(page, ["Ana", "Benito", "Carla", "Dora"]);
  expect((await call("GET", "/conversations?open=true")).length).toBe(4);
});

test("a selected row that left the list comes back unselected, and keys act on the opened conversation", async () => {
  const [ana, benito] = [await write("Ana"), await write("Benito")];
  const page = await open(`/inbox/${benito}`);
  const bar = page.getByRole("toolbar", { name: "Selected conversations" });
  await row(page, "Ana").focus();
  await page.keyboard.press("x");
  await bar.waitFor();
  await call("POST", `/conversations/${ana}/messages`, { content: "Yes" });
  await expectNames(page, ["Benito"]);
  await write("Ana");
  await expectNames(page, ["Benito", "Ana"]);
  await thread(page, "Benito").waitFor();
  await page.keyboard.press("e");
  await page.getByText("Benito is resolved.").waitFor();
  expect((await conversation(ana)).status).not.toBe("resolved");
  expect(await bar.count()).toBe(0);
});

test("x selects the opened conversation once the focused row has left the list", async () => {
  const [ana, benito] = [await write("Ana"), await write("Benito")];
  const page = await open(`/inbox/${benito}`);
  await row(page, "Ana").focus();
  await call("POST", `/conversations/${ana}/messages`, { content: "Yes" });
  await expectNames(page, ["Benito"]);
  await page.keyboard.press("x");
  const chosen = page.getByRole("checkbox", { checked: true });
  await expect.poll(async () => await chosen.count()).toBe(1);
});

test("x on an opened conversation that is not in the list selects nothing", async () => {
  const ana = await write("Ana");
  await write("Benito");
  await call("PATCH", `/conversations/${ana}`, { status: "resolved" });
  const page = await open(`/inbox/${ana}`);
  await thread(page, "Ana").waitFor();
  await expectNames(page, ["Benito"]);
  await page.keyboard.press("x");
  await write("Ana");
  await expectNames(page, ["Benito", "Ana"]);
  expect(await page.getByRole("checkbox", { checked: true }).count()).toBe(0);
});

test("boxes select by mouse, with Shift a range; a failure is named, and Escape ends the selection", async () => {
  const names = ["Ana", "Benito", "Carla"];
  const ids: number[] = [];
  for (const name of names) ids.push(await write(name));
  await call("PATCH", `/conversations/${ids[1]}`, { status: "resolved" });
  const page = await open("/inbox?view=all&order=newest");
  await row(page, "Carla").hover();
  await page.getByRole("checkbox", { name: "Select Carla" }).check();
  await row(page, "Ana").click({ modifiers: ["Shift"] });
  const bar = page.getByRole("toolbar", { name: "Selected conversations" });
  await bar.getByText("3 selected").waitFor();
  await bar.getByRole("button", { name: "Snooze" }).click();
  await page.getByRole("menuitem", { name: /^Tomorrow/ }).click();
  await page.getByText(/^2 conversations snoozed\. Not changed: Benito\. /).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(async () => (await conversation(ids[0] ?? 0)).snoozed_until).toBeNull();
  await page.getByRole("checkbox", { name: "Select Ana" }).check();
  await bar.getByText("1 selected").waitFor();
  await page.keyboard.press("Escape");
  await bar.waitFor({ state: "detached" });
});

test("several are assigned and marked as unread at once, and taken back as they were", async () => {
  const ids = [await write("Ana"), await write("Benito")];
  for (const id of ids) await call("POST", `/conversations/${id}/read`, {});
  await call("POST", `/conversations/${ids[0]}/assign`, { user_id: own.account.userId });
  const page = await open("/inbox");
  const bar = page.getByRole("toolbar", { name: "Selected conversations" });
  const selectBoth = async () => {
    await row(page, "Ana").hover();
    await page.getByRole("checkbox", { name: "Select Ana" }).check();
    await page.getByRole("checkbox", { name: "Select Benito" }).check();
    await bar.getByText("2 selected").waitFor();
  };
  await selectBoth();
  await bar.getByRole("button", { name: "Mark as unread" }).click();
  await page.getByText("2 conversations marked as unread.").waitFor();
  await expect.poll(async () => await list(page).locator("[data-count]").count()).toBe(2);
  await selectBoth();
  await bar.getByRole("button", { name: "Assign" }).click();
  await page.getByRole("menuitem", { name: "Unassigned" }).click();
  await page.getByText("2 conversations assigned.").waitFor();
  const assignees = async () =>
    await Promise.all(ids.map(async (id) => (await conversation(id)).assigned_to_user_id));
  await expect.poll(assignees).toEqual([null, null]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(assignees).toEqual([own.account.userId, null]);
});

/** A finger moves over the screen from one point to another. */
async function swipe(page: Page, from: { x: number; y: number }, by: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const touch = async (type: string, x: number) =>
    await session.send("Input.dispatchTouchEvent", {
      type: type as "touchStart",
      touchPoints: type === "touchEnd" ? [] : [{ x, y: from.y }],
    });
  await touch("touchStart", from.x);
  for (let step = 1; step <= 8; step += 1) await touch("touchMove", from.x + (by * step) / 8);
  await touch("touchEnd", from.x + by);
}

test("on a phone a swipe of a row offers to snooze and to resolve, and opens nothing", async () => {
  const ids = [await write("Ana"), await write("Benito")];
  const page = await open("/inbox", { width: 390, height: 844 });
  const swipeRow = async (name: string) => {
    const box = await row(page, name).boundingBox();
    await swipe(page, { x: 300, y: (box?.y ?? 0) + 30 }, -160);
  };
  await row(page, "Ana").waitFor();
  await swipeRow("Ana");
  await list(page).getByRole("button", { name: "Resolve" }).click();
  await expectNames(page, ["Benito"]);
  expect((await conversation(ids[0] ?? 0)).status).toBe("resolved");
  await swipeRow("Benito");
  await list(page).getByRole("button", { name: "Snooze" }).click();
  await page.getByText("Everybody has an answer").waitFor();
  expect((await conversation(ids[1] ?? 0)).snoozed_until).not.toBeNull();
  expect(new URL(page.url()).pathname).toBe("/inbox");
});
