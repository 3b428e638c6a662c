import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { findBarriers } from "../support/browser.ts";
import { receive, type Incoming } from "../support/conversations.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

/** Facts of a message beside its words: where it came from, choices, reactions, changes, files. */
const fixture = useFixture(startDashboard);
let account: TestAccount;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
});

/** A customer writes over web chat. @returns the ids of message and conversation. */
async function write(message: Omit<Incoming, "from">): Promise<{ id: number; talk: number }> {
  const given = { channel: "web", name: "Ana Ruiz", ...message, from: "visitor-7" } as const;
  const { row } = await receive(fixture.database.dataSource, account.accountId, given);
  return { id: row.id, talk: row.conversationId };
}

async function run(sql: string, values: unknown[]): Promise<void> {
  await fixture.database.dataSource.query(sql, values);
}

async function open(talk: number) {
  const opened = await fixture.open(`/inbox/${talk}?view=all`, { as: account.cookie });
  await thread(opened.page).waitFor();
  return opened;
}

const thread = (page: Page) => page.getByRole("log", { name: "Messages" });
const bubble = (page: Page, id: number) => page.locator(`[data-message="${id}"]`);

test("a reaction stands at its bubble, and goes with the customer's change of mind", async () => {
  const { id, talk } = await write({ content: "Thank you!" });
  await run(
    `INSERT INTO message_reactions (account_id, message_id, conversation_id, emoji, created_at, acted_at)
     VALUES (?, ?, ?, '❤️', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
    [account.accountId, id, talk],
  );
  const { page } = await open(talk);
  await bubble(page, id).getByRole("img", { name: "Reaction: ❤️" }).waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await run("UPDATE message_reactions SET emoji = NULL WHERE message_id = ?", [id]);
  await page.reload();
  await bubble(page, id).getByText("Thank you!").waitFor();
  expect(await page.getByRole("img", { name: /^Reaction/ }).count()).toBe(0);
});

test("an edited message says so, and a deleted one keeps its place without its words", async () => {
  const edited = await write({ content: "At ten" });
  const deleted = await write({ content: "Secret" });
  await run("UPDATE messages SET edited_at = UTC_TIMESTAMP(3) WHERE id = ?", [edited.id]);
  await run("UPDATE messages SET deleted_at = UTC_TIMESTAMP(3), content = NULL WHERE id = ?", [
    deleted.id,
  ]);
  const { page } = await open(edited.talk);
  await bubble(page, edited.id).getByText("Edited", { exact: true }).waitFor();
  await bubble(page, deleted.id).getByText("This message was deleted").waitFor();
  expect(await bubble(page, deleted.id).getByText("Edited").count()).toBe(0);
});

test("a choice and a filled form say what they are; the referral names the ad, and its link is safe", async () => {
  const choice = await write({ type: "interactive", content: "Tomorrow at 10" });
  const form = await write({ type: "interactive", content: "Sent" });
  const setInteractive = "UPDATE messages SET interactive = ? WHERE id = ?";
  await run(setInteractive, [JSON.stringify({ type: "button_reply", id: "slot-1" }), choice.id]);
  const typed = await write({ content: "2" });
  const numbered = { type: "text_reply", id: "slot-2", title: "Friday at 12" };
  await run(setInteractive, [JSON.stringify(numbered), typed.id]);
  const response = { flow_token: "token-of-flow", guests: 4, full_name: "Ana <b>Ruiz</b>" };
  await run(setInteractive, [JSON.stringify({ type: "nfm_reply", response }), form.id]);
  const ad = await write({ content: "I saw your ad" });
  const referral = {
    source_type: "ad",
    headline: "Free check-up",
    body: "Until Friday",
    source_url: "https://fb.example/ad/7",
  };
  await run("UPDATE messages SET referral = ? WHERE id = ?", [JSON.stringify(referral), ad.id]);
  const { page, faults } = await open(choice.talk);
  await bubble(page, choice.id).getByText("Chosen by tap").waitFor();
  await bubble(page, typed.id).getByText("Friday at 12").waitFor();
  expect(await bubble(page, typed.id).innerText()).not.toContain("Chosen by tap");
  await bubble(page, form.id).getByText("Form filled in").waitFor();
  await bubble(page, form.id).getByText("Ana <b>Ruiz</b>").waitFor();
  expect(await bubble(page, form.id).innerText()).not.toContain("token-of-flow");
  await bubble(page, ad.id).getByText("From an ad").waitFor();
  await bubble(page, ad.id).getByText("Free check-up").waitFor();
  const link = bubble(page, ad.id).getByRole("link");
  expect(await link.getAttribute("href")).toBe("https://fb.example/ad/7");
  expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
  expect(await findBarriers(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test("a file that is not there says why, also on a phone", async () => {
  const { id, talk } = await write({ type: "image", content: null });
  const states = ["pending", "failed", "refused", "expired", "erased"];
  for (const [position, state] of states.entries()) {
    await run(
      `INSERT INTO message_media (account_id, message_id, conversation_id, contact_id,
              channel_account_id, position, kind, state, filename, created_at, updated_at)
       SELECT account_id, id, conversation_id, contact_id, channel_account_id, ?, 'document', ?, ?,
              UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) FROM messages WHERE id = ?`,
      [position, state, `file-${state}.pdf`, id],
    );
  }
  await run("UPDATE messages SET attachment_count = ? WHERE id = ?", [states.length, id]);
  const { page } = await open(talk);
  await page.setViewportSize({ width: 390, height: 844 });
  for (const [state, words] of [
    ["pending", "On its way"],
    ["failed", "The file could not be fetched"],
    ["refused", "The file did not pass the check"],
    ["expired", "The network no longer has the file"],
    ["erased", "The file was deleted"],
  ] as const) {
    await bubble(page, id).getByText(`file-${state}.pdf`).waitFor();
    await bubble(page, id).getByText(words).waitFor();
  }
  expect(await findBarriers(page)).toEqual([]);
});

test("our own options stand below their text, those in the text stand there alone", async () => {
  const { talk } = await write({ content: "Hola" });
  const send = async (sent_as: string, content: string) => {
    const interactive = {
      kind: "slots",
      body: "When?",
      options: [{ id: "a", title: "Monday 10:00", description: "Dr. Ruiz" }],
      sent_as,
    };
    await run(
      `INSERT INTO messages SET account_id = ?, conversation_id = ?, direction = 'outbound',
          contact_id = (SELECT contact_id FROM conversations c WHERE c.id = ?), channel = 'web',
          channel_account_id = (SELECT channel_account_id FROM conversations d WHERE d.id = ?),
          type = 'interactive', content = ?, sender_type = 'api', status = 'sent', interactive = ?`,
      [account.accountId, talk, talk, talk, content, JSON.stringify(interactive)],
    );
  };
  await send("list", "When?");
  await send("text", "When?\n\n1. Monday 10:00");
  const { page, faults } = await open(talk);
  const options = thread(page).getByRole("list", { name: "Options" });
  await options.waitFor();
  expect(await options.count()).toBe(1);
  expect(await options.innerText()).toContain("Dr. Ruiz");
  expect(await thread(page).getByText("Chosen by tap").count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
  expect(faults).toEqual([]);
});
