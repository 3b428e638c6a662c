import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { expectFocus, findBarriers } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
let account: TestAccount;
let id: number;
let first: number;

/** A conversation of 150 messages, one a day from 1 January 2026 on. */
beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
  ({ id: first, conversation_id: id } = await write("El primer café"));
  const { dataSource } = fixture.database;
  await dataSource.query(
    `INSERT INTO messages (account_id, conversation_id, contact_id, channel, channel_account_id,
         direction, type, content, sender_type, status)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 148)
     SELECT account_id, conversation_id, contact_id, channel, channel_account_id, 'inbound', 'text',
            IF(i = 70, 'Otro CAFE', CONCAT('Line ', i)), 'contact', 'received'
       FROM n JOIN messages AS m WHERE m.id = ? ORDER BY i`,
    [first],
  );
  await dataSource.query(
    `UPDATE messages AS m JOIN (SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS place FROM messages
         WHERE conversation_id = ?) AS o ON o.id = m.id
        SET m.created_at = '2026-01-01 15:00:00' + INTERVAL o.place - 1 DAY`,
    [id],
  );
  await write("Un café hoy");
});

async function write(text: string): Promise<{ id: number; conversation_id: number }> {
  const body = { channel: "web", from: "visitor-7", name: "Ana Ruiz", text };
  const { cookie } = account;
  const answer = await fixture.api.call("POST", "/dashboard/api/sandbox/messages", {
    cookie,
    body,
  });
  expect(answer.status).toBe(201);
  return answer.json.data;
}

async function open(path = `/inbox/${id}`, given: object = {}): Promise<Page> {
  const { page } = await fixture.open(path, { as: account.cookie, height: 844, ...given });
  await thread(page).waitFor();
  return page;
}

const thread = (page: Page) => page.getByRole("log", { name: "Messages" });
const field = (page: Page) => page.getByRole("textbox", { name: "Search this conversation" });
const count = (page: Page) => page.getByRole("search").getByRole("status");

/** Waits until the words stand inside the thread's frame. */
async function inView(page: Page, words: string): Promise<void> {
  const bubble = thread(page).getByText(words, { exact: true });
  await expect
    .poll(async () => {
      const [box, around] = [await bubble.boundingBox(), await thread(page).boundingBox()];
      if (box === null || around === null) return false;
      return box.y >= around.y && box.y + box.height <= around.y + around.height;
    })
    .toBe(true);
}

/** Number of marked words, and of marked words of the current match. */
async function marks(page: Page): Promise<[number, number]> {
  return await page.evaluate<[number, number]>(
    `["parley-match", "parley-match-current"].map((name) => CSS.highlights.get(name)?.size ?? 0)`,
  );
}

test("the key f finds words, counts them, and walks to matches that are not loaded", async () => {
  const page = await open();
  await thread(page).getByText("Un café hoy").waitFor();
  await page.keyboard.press("f");
  await expectFocus(field(page));
  await page.keyboard.type("cafe");
  await expect.poll(async () => await count(page).textContent()).toBe("1 of 3");
  await inView(page, "Un café hoy");
  await expect.poll(async () => await marks(page)).toEqual([0, 1]);
  await page.keyboard.press("Enter");
  await expect.poll(async () => await count(page).textContent()).toBe("2 of 3");
  await inView(page, "Otro CAFE");
  await page.getByRole("button", { name: "Previous match" }).click();
  await inView(page, "El primer café");
  expect(await count(page).textContent()).toBe("3 of 3");
  expect(await findBarriers(page)).toEqual([]);
  await field(page).press("Shift+Enter");
  await inView(page, "Otro CAFE");
  await field(page).press("Escape");
  await expect.poll(async () => await field(page).count()).toBe(0);
  expect(await marks(page)).toEqual([0, 0]);
});

test("words that no message has are said to be in none", async () => {
  const page = await open();
  await page.getByRole("button", { name: "More actions" }).first().click();
  await page.getByRole("menuitem", { name: /Search this conversation/ }).click();
  await expectFocus(field(page));
  await field(page).fill("nowhere");
  await expect.poll(async () => await count(page).textContent()).toBe("No message has these words");
  expect(await page.getByRole("button", { name: "Next match" }).isDisabled()).toBe(true);
});

test("a day leads back in time; newer messages follow, and one click leads to the newest", async () => {
  const page = await open();
  await page.keyboard.press("d");
  const dialog = page.getByRole("dialog", { name: "Go to a day" });
  await dialog.waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.goto(`${fixture.api.url}/inbox/${id}?message=${first}`);
  await inView(page, "El primer café");
  const newer = thread(page).getByRole("button", { name: "Newer messages" });
  expect(await thread(page).getByText("Line 60", { exact: true }).count()).toBe(0);
  await newer.click();
  await thread(page).getByText("Line 60", { exact: true }).waitFor();
  await write("Hello from now");
  await page.getByRole("button", { name: "Jump to newest" }).click();
  await inView(page, "Hello from now");
  await expect.poll(async () => await newer.count()).toBe(0);
});

/** The thread at its first message, and the calendar that the name of that day opens. */
async function openFirstDay(given: object) {
  await fixture.database.dataSource.query(
    "UPDATE conversations SET created_at = '2026-01-01 15:00:00' WHERE id = ?",
    [id],
  );
  const page = await open(`/inbox/${id}?message=${first}`, given);
  await inView(page, "El primer café");
  const day = thread(page).getByRole("button", { name: /^Thursday,? 1 January$/ });
  return { page, day, dialog: page.getByRole("dialog", { name: "Go to a day" }) };
}

test("the name of a day opens the calendar there, and a chosen day is shown from its start", async () => {
  const { page, day, dialog } = await openFirstDay({});
  await day.click();
  await dialog.getByText("January 2026").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  expect(await dialog.getByRole("button", { name: "31 December 2025" }).count()).toBe(0);
  await dialog.getByRole("button", { name: "Next" }).click();
  await dialog.getByRole("button", { name: "20 February 2026" }).click();
  await dialog.waitFor({ state: "detached" });
  // The 51st message is that of 20 February.
  await inView(page, "Line 50");
  const top = async (name: string) =>
    ((await thread(page).getByText(name, { exact: true }).boundingBox())?.y ?? 0) -
    ((await thread(page).boundingBox())?.y ?? 0);
  await expect.poll(async () => await top("Line 50")).toBeLessThan(80);
});

test("on a phone the day is chosen by keys too, and the focus comes back", async () => {
  const { page, day, dialog } = await openFirstDay({ width: 390 });
  await day.press("Enter");
  await expectFocus(dialog.getByRole("button", { name: "1 January 2026", exact: true }));
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await expectFocus(day);
  await day.press("Enter");
  await expectFocus(dialog.getByRole("button", { name: "1 January 2026", exact: true }));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await inView(page, "Line 7");
});

test("a reply from back in time leads to the end of the conversation", async () => {
  const page = await open(`/inbox/${id}?message=${first}`);
  await inView(page, "El primer café");
  await page.getByRole("textbox", { name: "Reply" }).fill("With pleasure");
  await page.keyboard.press("Enter");
  await inView(page, "With pleasure");
  await inView(page, "Un café hoy");
  expect(await page.getByRole("button", { name: "Jump to newest" }).count()).toBe(0);
});

test("files of the contact and the ad lead from the card to their places", async () => {
  const { dataSource } = fixture.database;
  await dataSource.query(
    `INSERT INTO message_media (account_id, message_id, conversation_id, contact_id,
         channel_account_id, position, kind, state, filename)
     SELECT account_id, id, conversation_id, contact_id, channel_account_id, 0, 'document', 'pending',
            'Plan.pdf' FROM messages WHERE id = ?`,
    [first],
  );
  const referral = JSON.stringify({ source_type: "ad", headline: "Brunch for two" });
  await dataSource.query("UPDATE conversations SET referral = ? WHERE id = ?", [referral, id]);
  const page = await open(`/inbox/${id}`, { width: 1440 });
  const card = page.getByRole("region", { name: "Contact" });
  const cameFrom = card.getByRole("group", { name: "Came from" });
  await cameFrom.getByText("Brunch for two").waitFor();
  await card.getByRole("button", { name: "Files" }).press("Enter");
  const file = card.getByRole("link", { name: /Plan\.pdf/ });
  await file.waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await card.getByRole("radio", { name: "Pictures" }).dispatchEvent("click");
  await card.getByText("No files here.").waitFor();
  await card.getByRole("radio", { name: "Documents" }).dispatchEvent("click");
  await file.click();
  await inView(page, "El primer café");
});
