import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createMember } from "../../core/services/accounts/users.ts";
import { asSystem, createTestAccount, type TestAccount } from "../support/accounts.ts";
import { findBarriers, styleOf } from "../support/browser.ts";
import { receive } from "../support/conversations.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
let account: TestAccount;
/** Conversation with Ana, who wrote "Hola". */
let conversation: number;

beforeEach(async () => {
  const { dataSource } = fixture.database;
  account = await createTestAccount(dataSource);
  const { row } = await receive(dataSource, account.accountId, {
    channel: "web",
    from: "ana",
    name: "Ana Ruiz",
  });
  conversation = row.conversationId;
});

async function call(method: string, path: string, body?: unknown, { cookie } = account) {
  return (await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body })).json.data;
}

/** A colleague with a login in the account. */
async function addColleague(name: string): Promise<TestAccount> {
  const { dataSource } = fixture.database;
  const colleague = await createTestAccount(dataSource);
  const { accountId } = account;
  await dataSource.query("UPDATE users SET name = ? WHERE id = ?", [name, colleague.userId]);
  await asSystem(dataSource, accountId, async (tx) =>
    createMember(tx, { email: colleague.email, name, passwordHash: "", role: "agent" }),
  );
  await dataSource.query("UPDATE sessions SET account_id = ? WHERE user_id = ?", [
    accountId,
    colleague.userId,
  ]);
  return colleague;
}

async function open(as = account): Promise<Page> {
  const { page } = await fixture.open(`/inbox/${conversation}?view=all`, { as: as.cookie });
  await page.getByRole("log", { name: "Messages" }).getByText("Hola").waitFor();
  return page;
}

test("a slash and Enter insert a canned answer with its variables filled, and send nothing", async () => {
  const text = "Hola {{contact.first_name}}, estamos en Reforma 222.";
  await call("POST", "/canned-answers", { shortcut: "ubicación", text });
  await call("POST", "/canned-answers", { shortcut: "precio", text: "Cuesta 690." });
  const page = await open();
  const box = page.getByRole("textbox", { name: "Reply" });
  await box.fill("Claro. ");
  await box.pressSequentially("/ubi");
  const list = page.getByRole("listbox", { name: "Canned answers" });
  const option = list.getByRole("option", { name: "/ubicación" });
  await option.waitFor();
  await expect.poll(async () => await list.getByRole("option").count()).toBe(1);
  expect(await option.getAttribute("id")).toBe(await box.getAttribute("aria-activedescendant"));
  expect(await list.getAttribute("id")).toBe(await box.getAttribute("aria-controls"));
  expect(await findBarriers(page)).toEqual([]);
  await box.press("Tab");
  await page.getByRole("status").getByText("Hola Ana, estamos en Reforma 222.").waitFor();
  await box.press("Enter");
  await list.waitFor({ state: "detached" });
  expect(await box.inputValue()).toBe("Claro. Hola Ana, estamos en Reforma 222.");
  expect(await call("GET", `/conversations/${conversation}/messages`)).toHaveLength(1);
});

test("arrow keys choose another answer, Escape closes the list, and a slash within a word opens none", async () => {
  await call("POST", "/canned-answers", { shortcut: "a-uno", text: "Uno" });
  await call("POST", "/canned-answers", { shortcut: "b-dos", text: "Dos" });
  const page = await open();
  const box = page.getByRole("textbox", { name: "Reply" });
  await box.pressSequentially("/");
  const list = page.getByRole("listbox", { name: "Canned answers" });
  await list.getByRole("option", { name: "/b-dos" }).waitFor();
  await box.press("Escape");
  await list.waitFor({ state: "detached" });
  expect(await box.inputValue()).toBe("/");
  await box.fill("");
  await box.pressSequentially("/");
  await list.waitFor();
  await box.press("ArrowDown");
  await box.press("Enter");
  expect(await box.inputValue()).toBe("Dos");
  await box.pressSequentially("/");
  expect(await list.count()).toBe(0);
});

test("an account without canned answers is led to the page that makes one", async () => {
  const page = await open();
  await page.getByRole("textbox", { name: "Reply" }).pressSequentially("/");
  await page.getByRole("link", { name: "Create the first one in Settings" }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
});

test("a note mentions a colleague by name, and shows the name of the day", async () => {
  const luis = await addColleague("Luis Prado");
  const page = await open();
  await page.getByText("Note", { exact: true }).click();
  const box = page.getByRole("textbox", { name: "Note" });
  expect(await styleOf(box, "background-color")).toBe("rgb(255, 245, 217)");
  await box.pressSequentially("Ask @pra");
  const list = page.getByRole("listbox", { name: "Mention a colleague" });
  await list.getByRole("option", { name: "@Luis Prado" }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await box.press("Enter");
  expect(await box.inputValue()).toBe("Ask @Luis Prado ");
  await box.pressSequentially("about it");
  await box.press("Enter");
  await page.getByRole("log").getByText("@Luis Prado").waitFor();
  const [note] = await call("GET", `/conversations/${conversation}/notes`);
  expect(note.text).toBe(`Ask @[${luis.userId}] about it`);
  await fixture.database.dataSource.query("UPDATE users SET name = 'Luis P.' WHERE id = ?", [
    luis.userId,
  ]);
  await page.reload();
  await page.getByRole("log").getByText("@Luis P.").waitFor();
});

test("two people see each other look and type, and no longer after one has gone", async () => {
  const luis = await addColleague("Luis Prado");
  const mine = await open();
  const his = await open(luis);
  await mine.getByText("Luis Prado is looking at this").waitFor();
  await his.getByText("Admin is looking at this").waitFor();
  await his.getByRole("textbox", { name: "Reply" }).pressSequentially("One mo");
  await mine.getByText("Luis Prado is typing…").waitFor();
  expect(await findBarriers(mine)).toEqual([]);
  await his.goto(`${fixture.api.url}/contacts`);
  // Sooner than the 25 s after which the server forgets a viewer.
  await mine.getByText(/^Luis Prado is/).waitFor({ state: "detached", timeout: 8_000 });
});

test("a notification is read once its conversation opens, also without an unread message", async () => {
  const luis = await addColleague("Luis Prado");
  const text = `Look, @[${account.userId}]`;
  await call("POST", `/conversations/${conversation}/read`, {});
  await call("POST", `/conversations/${conversation}/notes`, { text }, luis);
  const unread = async () => {
    const { cookie } = account;
    const path = "/dashboard/api/notifications";
    return (await fixture.api.call("GET", path, { cookie })).json.meta.unread;
  };
  await expect.poll(unread).toBe(1);
  await open();
  await expect.poll(unread).toBe(0);
});
