import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { setBot } from "../../core/services/conversations/conversations.ts";
import { bookAppointment } from "../../core/services/appointments/appointments.ts";
import { at } from "../support/appointments.ts";
import { expectFocus, findBarriers } from "../support/browser.ts";
import { freshPhone } from "../support/contact-load.ts";
import { receive } from "../support/conversations.ts";
import type { OpenOptions } from "../support/dashboard-fixture.ts";
import { setUpOwnAgenda } from "../support/own-accounts.ts";
import { setUpAgent } from "../worker/agent-fixture.ts";
import { beginTestTurn, takeTestTurn, type TestTurn } from "./agent-turns.ts";

// No worker runs here: each test takes the turns of the agent step by step.
const own = setUpOwnAgenda();

beforeEach(async () => {
  const settings = { strict: false, modes: { whatsapp: "draft" } } as const;
  await setUpAgent(own.fixture.database, own.account.accountId, settings);
});

const begin = async (text: string): Promise<TestTurn> =>
  await beginTestTurn(own.fixture.database, own.account.accountId, { text, name: "Ana Ruiz" });
const show = async ({ conversationId }: TestTurn, options?: OpenOptions): Promise<Page> =>
  await own.open(`/inbox/${conversationId}?view=all`, options);
const card = (page: Page) => page.getByRole("region", { name: "Draft of the AI agent" });
const thread = (page: Page) => page.getByRole("log", { name: "Messages" });
const field = (page: Page) => page.getByRole("textbox", { name: "Reply" });
const stateOf = async ({ turnId }: TestTurn) => {
  const sql = "SELECT state, edit_distance FROM agent_drafts WHERE turn_id = ?";
  const [row] = await own.fixture.database.dataSource.query<unknown[]>(sql, [turnId]);
  return row;
};
/** A draft that books 16:00. */
const proposeBooking = async (): Promise<TestTurn> => {
  const turn = await begin("I am Ana Ruiz, I need an appointment");
  const input = { day: "2030-03-05", time: "16:00", name: "Ana Ruiz" };
  await turn.call("book_appointment", input);
  await turn.reply("With pleasure.");
  return turn;
};

test("a draft arrives on an open page, and Send makes it the person's message", async () => {
  const turn = await begin("Hello there");
  const page = await show(turn);
  await page.getByText("The agent is preparing a draft…").waitFor();
  await turn.reply("Hello! We are glad to help.");
  await card(page).getByText("Hello! We are glad to help.").waitFor();
  expect(await thread(page).getByText("We are glad to help.").count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
  await card(page).getByRole("button", { name: "Send draft" }).click();
  await thread(page).getByText("Hello! We are glad to help.").waitFor();
  await card(page).waitFor({ state: "detached" });
  expect(await stateOf(turn)).toEqual({ state: "sent", edit_distance: 0 });
  expect(await thread(page).locator("[data-ai]").count()).toBe(0);
});

test("Edit puts the text behind the person's own, and the edited draft is sent", async () => {
  const turn = await begin("Hello there");
  await turn.reply("We open at nine.");
  const page = await show(turn);
  await card(page).waitFor();
  await field(page).fill("Good morning!");
  await card(page).getByRole("button", { name: "Edit" }).click();
  expect(await field(page).inputValue()).toBe("Good morning!\nWe open at nine.");
  await expectFocus(field(page));
  await page.keyboard.press("Enter");
  await thread(page).getByText("Good morning!").waitFor();
  await card(page).waitFor({ state: "detached" });
  expect(await stateOf(turn)).toEqual({ state: "edited", edit_distance: 14 });
});

test("an edited draft stays the agent's draft after a reload, with its ticks", async () => {
  const turn = await proposeBooking();
  const page = await show(turn);
  await card(page).getByRole("checkbox").click();
  await card(page).getByRole("button", { name: "Edit" }).click();
  await field(page).fill("With pleasure, Ana.");
  await page.reload();
  await card(page).getByText("You are editing the agent's draft.").waitFor();
  expect(await field(page).inputValue()).toBe("With pleasure, Ana.");
  expect(await card(page).getByRole("checkbox").isChecked()).toBe(false);
  await field(page).press("Enter");
  await thread(page).getByText("With pleasure, Ana.").waitFor();
  await card(page).waitFor({ state: "detached" });
  expect(await stateOf(turn)).toEqual({ state: "edited", edit_distance: 5 });
  const kept = async () => await page.evaluate("JSON.stringify({ ...localStorage })");
  await expect.poll(kept).not.toContain("parley.draft.");
});

test("a reply written while the edited draft is on its way is a message of its own", async () => {
  const turn = await begin("Hello there");
  await turn.reply("We open at nine.");
  const page = await show(turn);
  await card(page).getByRole("button", { name: "Edit" }).click();
  await page.route("**/dashboard/api/agent-drafts/*/send", async (route) => {
    await field(page).fill("And we close at six.");
    await field(page).press("Enter");
    await route.continue();
  });
  await field(page).press("Enter");
  await thread(page).getByText("We open at nine.").waitFor();
  await thread(page).getByText("And we close at six.").waitFor();
  await card(page).waitFor({ state: "detached" });
  const sql =
    "SELECT content FROM messages WHERE conversation_id = ? AND direction = 'outbound' ORDER BY id";
  const rows = async () =>
    await own.fixture.database.dataSource.query<unknown[]>(sql, [turn.conversationId]);
  const both = [{ content: "We open at nine." }, { content: "And we close at six." }];
  await expect.poll(rows).toEqual(both);
});

test("a draft that could not be sent returns to the field, and goes on as the draft", async () => {
  const turn = await begin("Hello there");
  await turn.reply("We open at nine.");
  const page = await show(turn);
  await card(page).getByRole("button", { name: "Edit" }).click();
  await field(page).fill("We open at ten.");
  const path = "**/dashboard/api/agent-drafts/*/send";
  await page.route(path, async (route) => await route.abort());
  await field(page).press("Enter");
  await page.getByText("The reply was not sent").waitFor();
  await page.unroute(path);
  await expect.poll(async () => await field(page).inputValue()).toBe("We open at ten.");
  await field(page).press("End");
  await page.keyboard.type(" And close at six.");
  await field(page).press("Enter");
  await card(page).waitFor({ state: "detached" });
  expect(await stateOf(turn)).toMatchObject({ state: "edited" });
});

test("keys alone reach a draft and dismiss it", async () => {
  const turn = await begin("Hello there");
  await turn.reply("We open at nine.");
  const page = await show(turn);
  await card(page).waitFor();
  await page.keyboard.press("g");
  await expectFocus(card(page).getByRole("button", { name: "Send draft" }));
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expectFocus(card(page).getByRole("button", { name: "Dismiss" }));
  await page.keyboard.press("Enter");
  await card(page).waitFor({ state: "detached" });
  expect(await stateOf(turn)).toEqual({ state: "dismissed", edit_distance: null });
});

test("a ticked change is made with the message, whose text confirms it", async () => {
  const turn = await proposeBooking();
  const page = await show(turn);
  const tick = card(page).getByRole("checkbox", { name: /^Book: Tuesday, March 5, 4:00 PM/u });
  expect(await tick.isChecked()).toBe(true);
  expect(await findBarriers(page)).toEqual([]);
  await card(page).getByRole("button", { name: "Send draft" }).click();
  await thread(page).getByText("Appointment confirmed: Tuesday, March 5").waitFor();
  await card(page).waitFor({ state: "detached" });
});

test("a change that is not possible any more sends nothing, and its line says why", async () => {
  const turn = await proposeBooking();
  const page = await show(turn);
  await card(page).waitFor();
  await own.agenda.run((tx) => bookAppointment(tx, own.agenda.booking({ startTime: at("16:00") })));
  await card(page).getByRole("button", { name: "Send draft" }).click();
  await page.getByText("The reply was not sent").waitFor();
  await card(page).getByText("The time was taken").waitFor();
  expect(await thread(page).getByText("With pleasure.").count()).toBe(0);
  await card(page).getByRole("checkbox").click();
  await card(page).getByText("Check that the text does not speak").waitFor();
  await card(page).getByRole("button", { name: "Send draft" }).click();
  await thread(page).getByText("With pleasure.").waitFor();
});

test("Suggest a reply prepares a draft while a person has the conversation", async () => {
  const { accountId } = own.account;
  const { database } = own.fixture;
  const { row } = await receive(database.dataSource, accountId, {
    from: freshPhone(),
    name: "Ana Ruiz",
    content: "Do you open today?",
  });
  const { conversationId } = row;
  await own.agenda.run((tx) => setBot(tx, conversationId, { enabled: false }));
  const page = await own.open(`/inbox/${conversationId}?view=all`);
  await page.getByRole("button", { name: "Suggest a reply" }).click();
  await page.getByText("The agent is preparing a draft…").waitFor();
  const openTurn = async (): Promise<TestTurn> => {
    const sql = "SELECT id FROM agent_turns WHERE open_conversation_id = ?";
    const rows = await database.dataSource.query<{ id: number }[]>(sql, [conversationId]);
    return takeTestTurn(database.dataSource, {
      accountId,
      conversationId,
      turnId: Number(rows[0]?.id),
    });
  };
  await page.getByRole("button", { name: "Cancel the draft" }).click();
  await page.getByText("The agent is preparing a draft…").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Suggest a reply" }).click();
  await page.getByText("The agent is preparing a draft…").waitFor();
  await (await openTurn()).handOver("ai_error");
  await page.getByText("The agent has no suggestion: The model failed.").waitFor();
  await page.getByRole("button", { name: "Suggest a reply" }).click();
  await page.getByText("The agent is preparing a draft…").waitFor();
  await (await openTurn()).reply("Yes, we do.");
  await card(page).getByText("Yes, we do.").waitFor();
  await database.dataSource.query("UPDATE agent_profiles SET enabled = FALSE");
  await card(page).getByRole("button", { name: "Dismiss" }).click();
  await page.getByRole("button", { name: "Suggest a reply" }).click();
  await page.getByText("The AI agent is off here.").waitFor();
  expect(await card(page).count()).toBe(0);
});

test("a phone shows the draft whole, with changes and large targets", async () => {
  const turn = await proposeBooking();
  const page = await show(turn, { width: 390, height: 844 });
  await card(page).waitFor();
  for (const name of ["Send draft", "Edit", "Dismiss"]) {
    const box = await card(page).getByRole("button", { name }).boundingBox();
    expect([name, (box?.height ?? 0) >= 44]).toEqual([name, true]);
  }
  expect(await findBarriers(page)).toEqual([]);
  const scrollWidth = await page.evaluate<number>("document.documentElement.scrollWidth");
  expect(scrollWidth).toBeLessThanOrEqual(390);
});

test("the setup offers drafts for all channels at once, or for one", async () => {
  const page = await own.open("/agent/setup");
  const choose = async (channel: string, mode: string): Promise<void> => {
    await page.getByRole("combobox", { name: channel }).click();
    await page.getByRole("option", { name: mode }).click();
  };
  await choose("All channels", "Prepare drafts");
  expect(await page.getByRole("combobox", { name: "Instagram" }).inputValue()).toBe(
    "Prepare drafts",
  );
  await choose("Web chat", "Off");
  expect(await page.getByRole("combobox", { name: "All channels" }).inputValue()).toBe("");
  await page.getByRole("button", { name: "Save draft" }).click();
  const modes = { whatsapp: "draft", instagram: "draft", facebook: "draft", web: "off" };
  await expect.poll(async () => (await own.call("GET", "/agent")).draft.modes).toEqual(modes);
});
