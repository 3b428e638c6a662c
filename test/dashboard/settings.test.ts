import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);
let account: TestAccount;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
});

async function open(): Promise<Page> {
  const { page } = await fixture.open("/settings/account", { as: account.cookie });
  await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
  await page.getByLabel("Name", { exact: true }).waitFor();
  return page;
}

async function call(method: string, body?: unknown) {
  const { cookie } = account;
  return (await fixture.api.call(method, "/dashboard/api/account", { cookie, body })).json.data;
}

const audits = async () =>
  await fixture.database.dataSource.query<{ details: object }[]>(
    "SELECT details FROM audit_log WHERE account_id = ? AND action = 'account.updated'",
    [account.accountId],
  );

test("name, time zone and handoff times are saved, written down, and stand on the page from then on", async () => {
  const page = await open();
  await page.getByLabel("Name", { exact: true }).fill("Casa Ruiz");
  await page.getByRole("combobox", { name: "Time zone" }).fill("mexico city");
  await page.getByRole("option", { name: "America/Mexico_City" }).click();
  await page.getByRole("switch", { name: /^A person's reply pauses/ }).uncheck();
  await page.getByLabel("Remind after").fill("15");
  await page.getByLabel("Tell admins after").fill("90");
  await page.getByLabel("Agent back after").fill("12");
  const preview = page.getByRole("list", { name: "What happens while nobody answers" });
  await preview.getByText("After 1 h 30 min the admins are told.").waitFor();
  await page.getByText("Not saved yet.").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("All saved.").waitFor();
  expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
  await page.getByRole("banner").getByText("Casa Ruiz").waitFor();

  const saved = {
    name: "Casa Ruiz",
    time_zone: "America/Mexico_City",
    settings: {
      pause_on_human_reply: false,
      handoff_remind_minutes: 15,
      handoff_escalate_minutes: 90,
      handoff_return_hours: 12,
    },
  };
  expect(await call("GET")).toMatchObject(saved);
  expect(await audits()).toMatchObject([{ details: { after: saved } }]);
  await page.reload();
  expect(await page.getByLabel("Agent back after").inputValue()).toBe("12");
});

test("emptied hours mean never; only what was changed is sent", async () => {
  await call("PATCH", { settings: { handoff_return_hours: 12 } });
  const page = await open();
  await page.getByLabel("Agent back after").fill("");
  await page.getByText("It waits for a person until").waitFor();
  const sent = page.waitForRequest((request) => request.method() === "PATCH");
  await page.getByRole("button", { name: "Save" }).click();
  expect((await sent).postDataJSON()).toEqual({ settings: { handoff_return_hours: null } });
  await page.getByText("All saved.").waitFor();
  expect((await call("GET")).settings.handoff_return_hours).toBeNull();
});

test.each([
  ["Name", "   ", "Give the account a name."],
  ["Remind after", "0", "Use a whole number from 1 to 10,080."],
  ["Tell admins after", "", "Use a whole number from 1 to 10,080."],
  ["Agent back after", "721", "Use a whole number from 1 to 720."],
])("at %s %j is told beside the field, and nothing is saved", async (label, value, words) => {
  const page = await open();
  const before = await call("GET");
  // The company's name has a field of its own.
  const field = page.getByLabel(label, { exact: label === "Name" });
  await field.fill(value);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(words).waitFor();
  expect(await field.getAttribute("aria-invalid")).toBe("true");
  expect(await call("GET")).toEqual(before);
});

test("what the server refuses stands beside its field; what was typed is kept while it is away", async () => {
  const page = await open();
  await page.getByLabel("Name", { exact: true }).fill("Kept");
  const path = "**/dashboard/api/account";
  await page.route(path, async (route) => await route.abort());
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The server did not answer.").waitFor();
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Kept");
  await page.unroute(path);
  await page.route(path, async (route) => {
    const body = { ...route.request().postDataJSON(), time_zone: "Nowhere/At_All" };
    await route.continue({ postData: JSON.stringify(body) });
  });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Use an IANA name such as America/Mexico_City.").waitFor();
  expect((await call("GET")).name).not.toBe("Kept");
});

test("what is typed while a save is under way stays, and is saved the next time", async () => {
  const page = await open();
  const path = "**/dashboard/api/account";
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(path, async (route) => {
    await released;
    await route.continue();
  });
  await page.getByLabel("Name", { exact: true }).fill(" Casa Ruiz ");
  const sent = page.waitForRequest((request) => request.method() === "PATCH");
  await page.getByRole("button", { name: "Save" }).click();
  await sent;
  await page.getByLabel("Agent back after").fill("12");
  release();
  await page.getByText("Saved", { exact: true }).waitFor();
  await expect
    .poll(async () => await page.getByLabel("Name", { exact: true }).inputValue())
    .toBe("Casa Ruiz");
  expect(await page.getByLabel("Agent back after").inputValue()).toBe("12");
  await page.getByText("Not saved yet.").waitFor();
  expect((await call("GET")).settings.handoff_return_hours).toBeNull();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("All saved.").waitFor();
  expect(await call("GET")).toMatchObject({
    name: "Casa Ruiz",
    settings: { handoff_return_hours: 12 },
  });
});

test("what a colleague saves comes in by itself, and leaves alone what is being typed", async () => {
  const page = await open();
  await call("PATCH", { name: "By a colleague" });
  await expect
    .poll(async () => await page.getByLabel("Name", { exact: true }).inputValue())
    .toBe("By a colleague");
  await page.getByLabel("Name", { exact: true }).fill("Mine");
  await call("PATCH", { settings: { handoff_remind_minutes: 33 } });
  await page.getByRole("banner").getByText("By a colleague").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("All saved.").waitFor();
  expect(await call("GET")).toMatchObject({
    name: "Mine",
    settings: { handoff_remind_minutes: 33 },
  });
  await expect.poll(async () => await page.getByLabel("Remind after").inputValue()).toBe("33");
});

test("where bookings go and what customers are reminded of is set, read as they will read it, and taken back", async () => {
  const pipeline = await fixture.api.call("POST", "/dashboard/api/pipelines", {
    cookie: account.cookie,
    body: { name: "Sales", stages: ["New", "Visit"] },
  });
  const stage = pipeline.json.data.stages[1];
  const page = await open();
  await page.getByRole("combobox", { name: "Whoever books is moved to" }).click();
  await page.getByRole("option", { name: "Visit" }).click();
  await page.getByLabel("Remind the customer before").fill("24");
  await page.getByText("Ana would read: Hello Ana, this is a reminder of").waitFor();
  const words = page.getByLabel("What the reminder says");
  await words.fill("{who}, see you at {time}!");
  await page.getByLabel("WhatsApp template").fill("appointment_reminder");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("A reminder knows no {who}.").waitFor();
  await words.fill("{name}, see you at {time}!");
  await page.getByText(/Ana would read: Ana, see you at \d+:00 [AP]M!/).waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("All saved.").waitFor();
  expect((await call("GET")).settings).toMatchObject({
    booking_stage_id: stage.id,
    reminder_hours_before: 24,
    reminder_text: "{name}, see you at {time}!",
    reminder_template: { name: "appointment_reminder", language: "en_US" },
  });

  await page.getByLabel("WhatsApp template").fill("Not A Name");
  await page.getByRole("textbox", { name: "Language" }).last().fill("english");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Use a code such as es_MX.").waitFor();
  await page.getByLabel("WhatsApp template").fill("");
  await page.getByLabel("Remind the customer before").fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("All saved.").waitFor();
  expect((await call("GET")).settings).toMatchObject({
    booking_stage_id: stage.id,
    reminder_hours_before: null,
    reminder_template: null,
  });
});

test("a reminder's text that is hidden stops no save, and stays as it is stored", async () => {
  const stored = { reminder_hours_before: 24, reminder_text: "See you at {time}" };
  await call("PATCH", { settings: stored });
  const page = await open();
  const hours = page.getByLabel("Remind the customer before");
  const typeFaults = async (): Promise<void> => {
    await page.getByLabel("What the reminder says").fill("{nombre}");
    await page.getByLabel("WhatsApp template").fill("Not A Name");
    await hours.fill("");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("All saved.").waitFor();
  };
  await typeFaults();
  const off = {
    reminder_hours_before: null,
    reminder_text: "See you at {time}",
    reminder_template: null,
  };
  expect((await call("GET")).settings).toMatchObject(off);
  await hours.fill("24");
  await expect
    .poll(async () => await page.getByLabel("What the reminder says").inputValue())
    .toBe("See you at {time}");
  await typeFaults();
  expect((await call("GET")).settings).toMatchObject(off);
});

test("by keyboard alone: from the palette to the field, Enter saves, Cancel takes back", async () => {
  const { page } = await fixture.open("/inbox", { as: account.cookie });
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("textbox", { name: "Search or jump to…" }).fill("Settings");
  await page.getByRole("textbox", { name: "Search or jump to…" }).press("Enter");
  await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
  await page.getByLabel("Name", { exact: true }).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("Typed");
  await page.getByText("Not saved yet.").waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("All saved.").waitFor();
  expect((await call("GET")).name).toBe("Typed");
  await page.getByLabel("Name", { exact: true }).focus();
  await page.keyboard.type(" more");
  await page.getByRole("button", { name: "Cancel" }).focus();
  await page.keyboard.press("Enter");
  await expect
    .poll(async () => await page.getByLabel("Name", { exact: true }).inputValue())
    .toBe("Typed");
});

test("an agent reads the settings and can change none", async () => {
  const agent = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  const { page } = await fixture.open("/settings/account", { as: agent.cookie });
  await page.getByText("Admins change these; ask one of your team.").waitFor();
  expect(await page.getByLabel("Name", { exact: true }).isEditable()).toBe(false);
  expect(await page.getByLabel("Remind after").isEditable()).toBe(false);
  expect(await page.getByLabel("A person's reply pauses").isDisabled()).toBe(true);
  expect(await page.getByRole("button", { name: "Save" }).count()).toBe(0);
});

test("the page says how long the server keeps what it has", async () => {
  const page = await open();
  const table = page.getByRole("table", { name: "How long things are kept" });
  const row = async (what: string) => await table.getByRole("row", { name: what }).innerText();
  expect(await row("Webhook deliveries")).toContain("90 days");
  expect(await row("Their attempts")).toContain("30 days");
  expect(await row("Audit log")).toContain("400 days");
  expect(await row("Answers to repeated")).toContain("1 day");
  expect(await row("Contacts, conversations")).toContain("Until you delete the contact");
});
