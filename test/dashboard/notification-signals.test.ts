import { setTimeout } from "node:timers/promises";
import type { Locator, Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { bookAppointment } from "../../core/services/appointments/appointments.ts";
import {
  addColleague,
  asSystem,
  createTestAccount,
  type TestAccount,
} from "../support/accounts.ts";
import { at, createTestResource } from "../support/appointments.ts";
import { findBarriers, keepApart } from "../support/browser.ts";
import { receive } from "../support/conversations.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

// No worker sends mails: a row in MySQL shows that one is due.
const fixture = useFixture(async () => await startDashboard({ SMTP_URL: "smtp://127.0.0.1:9" }));
let account: TestAccount;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
});

async function call(method: string, path: string, body?: unknown) {
  const { cookie } = account;
  return (await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body })).json.data;
}

async function write(content: string): Promise<number> {
  const from = { channel: "web", from: "ana", name: "Ana Ruiz", content } as const;
  const { row } = await receive(fixture.database.dataSource, account.accountId, from);
  return row.conversationId;
}

/** Puts the page behind another window of a desktop, which the browser of the tests has not. */
async function hideBehindWindow(page: Page): Promise<void> {
  keepApart(page);
  await page.addInitScript(`
    window.shown = [];
    window.Notification = class extends EventTarget {
      static permission = "granted";
      constructor(title) {
        super();
        window.shown.push(title);
      }
    };
    Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
  `);
  const listed = page.waitForResponse((answer) => answer.url().includes("surface=desktop"));
  await page.reload();
  await listed;
}

/** Titles of the desktop notifications. */
const shownOn = async (page: Page): Promise<string[]> => await page.evaluate("shown");

test("each kind of notification is chosen for a surface and stays chosen; a refused choice says why", async () => {
  const { page } = await fixture.open("/settings/profile", { as: account.cookie });
  const desktop = page.getByRole("checkbox", { name: "A colleague mentioned you: Desktop" });
  await desktop.click();
  await expect.poll(async () => await desktop.isChecked()).toBe(false);
  expect(await findBarriers(page)).toEqual([]);
  const stored = async () => {
    const all: { kind: string }[] = await call("GET", "/me/notification-preferences");
    return all.find(({ kind }) => kind === "mentioned");
  };
  const chosen = { kind: "mentioned", app: true, desktop: false, email: false };
  await expect.poll(stored).toEqual(chosen);
  await page.route("**/me/notification-preferences", async (route) => await route.abort());
  await desktop.click();
  await page.getByText("Your choice was not saved").waitFor();
  await expect.poll(async () => await desktop.isChecked()).toBe(false);
  await page.unroute("**/me/notification-preferences");
  expect(await stored()).toEqual(chosen);
  await page.reload();
  await desktop.waitFor();
  expect(await desktop.isChecked()).toBe(false);
  const sound = page.getByRole("switch", { name: "Sound for new notifications" });
  await sound.uncheck();
  await page.reload();
  await sound.waitFor();
  expect(await sound.isChecked()).toBe(false);
});

test("a choice stays shown while an earlier one is read again", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const { page } = await fixture.open("/settings/profile", { as: other.cookie });
  const kind = "A conversation needs a person";
  const [app, desktop] = ["App", "Desktop"].map((surface) =>
    page.getByRole("checkbox", { name: `${kind}: ${surface}` }),
  ) as [Locator, Locator];
  await app.waitFor();
  const shown = async () => [await app.isChecked(), await desktop.isChecked()];
  expect(await shown()).toEqual([true, false]);
  const held: (() => void)[] = [];
  let reads = 0;
  await page.route("**/me/notification-preferences", async (route) => {
    if (route.request().method() === "GET") reads += 1;
    else await new Promise<void>((release) => held.push(release));
    await route.continue();
  });
  await app.click();
  await expect.poll(() => held.length).toBe(1);
  await desktop.click();
  held[0]?.();
  await expect.poll(() => held.length).toBe(2);
  await setTimeout(500);
  expect([...(await shown()), reads]).toEqual([false, true, 0]);
  held[1]?.();
  await expect.poll(() => reads).toBeGreaterThan(0);
  expect(await shown()).toEqual([false, true]);
});

test("a message to me is counted in the tab's title and shown on the desktop behind another window", async () => {
  const id = await write("Hola");
  await call("POST", `/conversations/${id}/assign`, { user_id: account.userId });
  const { page } = await fixture.open("/contacts", { as: account.cookie });
  await hideBehindWindow(page);
  expect(await page.title()).not.toMatch(/^\(/u);
  await write("Are you there?");
  await expect.poll(async () => await page.title()).toMatch(/^\(1\) .+ · Parley$/u);
  await expect.poll(async () => await shownOn(page)).toEqual(["Ana Ruiz wrote to you"]);
  await call("POST", `/conversations/${id}/read`, {});
  await expect.poll(async () => await page.title()).toMatch(/^[^(]+ · Parley$/u);
});

test("the first notification after the permission is shown on the desktop", async () => {
  const id = await write("Hola");
  await call("POST", `/conversations/${id}/assign`, { user_id: account.userId });
  const { page } = await fixture.open("/settings/profile", { as: account.cookie });
  keepApart(page);
  await page.addInitScript(`
    window.shown = [];
    window.Notification = class extends EventTarget {
      static permission = "default";
      static async requestPermission() {
        return (Notification.permission = "granted");
      }
      constructor(title) {
        super();
        window.shown.push(title);
      }
    };
    Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
  `);
  await page.reload();
  const listed = page.waitForResponse((answer) => answer.url().includes("surface=desktop"));
  await page.getByRole("button", { name: "Allow desktop notifications" }).click();
  await listed;
  await write("Are you there?");
  await expect.poll(async () => await shownOn(page)).toEqual(["Ana Ruiz wrote to you"]);
});

test("what one person does reaches the other at once, on the surfaces that the other chose", async () => {
  const { dataSource } = fixture.database;
  const luis = await addColleague(dataSource, account.accountId, "Luis Prado");
  const id = await write("Hola");
  const { page: his } = await fixture.open("/settings/profile", { as: luis.cookie });
  const choose = async (kind: string, surface: string) => {
    const saved = his.waitForResponse((answer) => answer.request().method() === "PATCH");
    await his.getByRole("checkbox", { name: `${kind}: ${surface}` }).click();
    await saved;
  };
  await choose("A colleague mentioned you", "Email");
  await choose("A customer booked an appointment", "Desktop");
  await hideBehindWindow(his);
  const { page: mine } = await fixture.open(`/inbox/${id}?view=all`, { as: account.cookie });
  await mine.getByText("Note", { exact: true }).click();
  const box = mine.getByRole("textbox", { name: "Note" });
  const mention = async (rest: string) => {
    await box.pressSequentially("@luis");
    await mine.getByRole("option", { name: "@Luis Prado" }).waitFor();
    await box.press("Enter");
    await box.pressSequentially(rest);
    await box.press("Enter");
    await mine.getByRole("log").getByText(rest).waitFor();
  };
  const mails = async () =>
    await dataSource.query("SELECT kind FROM mails WHERE user_id = ? ORDER BY id", [luis.userId]);
  const title = async () => await his.title();
  const shown = async () => await shownOn(his);

  await mention("please look");
  await expect.poll(title).toBe("(1) Your profile · Parley");
  await expect.poll(shown).toEqual(["Admin mentioned you in a note"]);
  expect(await mails()).toEqual([{ kind: "mentioned" }]);

  await mine.getByRole("combobox", { name: "Assigned to" }).click();
  await mine.getByRole("option", { name: "Luis Prado" }).click();
  await expect.poll(title).toBe("(2) Your profile · Parley");
  await expect.poll(async () => (await shown()).at(-1)).toBe("Admin assigned you a conversation");

  const resourceId = await createTestResource(dataSource, account.accountId);
  await asSystem(dataSource, account.accountId, (tx) =>
    bookAppointment(tx, {
      resourceId,
      startTime: at("10:00"),
      durationMinutes: 30,
      customer: { contact: { phone: "34633111222", name: "Eva Ruiz" } },
      source: "enlace",
    }),
  );
  await expect.poll(title).toBe("(3) Your profile · Parley");
  await expect.poll(async () => (await shown()).at(-1)).toBe("Eva Ruiz booked an appointment");
  expect(await mails()).toHaveLength(1);

  for (const surface of ["App", "Desktop", "Email"]) {
    await choose("A colleague mentioned you", surface);
  }
  const mentioned = async () => {
    const { json } = await fixture.api.call("GET", "/dashboard/api/me/notification-preferences", {
      cookie: luis.cookie,
    });
    const all: { kind: string }[] = json.data;
    return all.find(({ kind }) => kind === "mentioned");
  };
  const none = { kind: "mentioned", app: false, desktop: false, email: false };
  await expect.poll(mentioned).toEqual(none);
  // The app no longer shows the mention of before.
  await expect.poll(title).toBe("(2) Your profile · Parley");
  await mention("once more");
  // A later notification shows that the mention told nothing.
  await write("Are you there?");
  await expect.poll(title).toBe("(3) Your profile · Parley");
  await expect.poll(async () => (await shown()).at(-1)).toBe("Ana Ruiz wrote to you");
  expect(await shown()).toHaveLength(4);
  expect(await mails()).toHaveLength(1);
});
