import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { eventTypes } from "../../core/model/event-types.ts";
import { sampleEvent, serializeEvent } from "../../core/model/events.ts";
import { recordNotification } from "../../core/services/notifications/notifications.ts";
import {
  asSystem,
  createTestAccount,
  createTestSubscription,
  type TestAccount,
} from "../support/accounts.ts";
import { startDashboard, type DashboardFixture } from "../support/dashboard-fixture.ts";
import { insertSkippedDeliveries } from "../support/deliveries.ts";
import { eventually } from "../support/eventually.ts";
import { startSink, type Posted, type Sink } from "../support/sink.ts";
import { createNamespace, startTestWorker, type TestWorker } from "../support/worker.ts";

const run = promisify(execFile);
let fixture: DashboardFixture;
let worker: TestWorker;
let account: TestAccount;
let sink: Sink;
let id: number;
let secret: string;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "parley-verify-"));
  fixture = await startDashboard();
  worker = await startTestWorker(fixture.database, await createNamespace());
});

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
  sink = await startSink();
  const { dataSource } = fixture.database;
  const subscription = { url: `${sink.url}/hook` };
  ({ id, secret } = await createTestSubscription(dataSource, account.accountId, subscription));
});

afterEach(async () => await sink.stop());

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await worker.stop();
  await fixture.stop();
});

async function call(method: string, path: string, body?: unknown) {
  const { cookie } = account;
  const answer = await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
  expect(answer.status).toBeLessThan(300);
  return answer.json.data;
}

async function open(path: string, cookie = account.cookie): Promise<Page> {
  return (await fixture.open(path, { as: cookie })).page;
}

async function addContact(name: string): Promise<void> {
  await call("POST", "/contacts", { email: `${name.toLowerCase()}@example.com`, name });
}

/** The first POST that the receiver got, once it has. */
async function firstPost(): Promise<Posted> {
  return await eventually(() => {
    const [posted] = sink.posts;
    if (posted === undefined) throw new Error("Nothing was posted yet.");
    return posted;
  });
}

/** The event types that a preview lists. */
async function listed(preview: Locator): Promise<string[]> {
  return await preview.getByRole("heading", { level: 3 }).allInnerTexts();
}

const state = async () => (await call("GET", `/subscriptions/${id}`)).state;

test("list and head show how a receiver answers; its switch pauses and resumes it", async () => {
  await addContact("Ana");
  await firstPost();
  sink.answer = (_, response) => void response.writeHead(500).end();
  await addContact("Benito");
  await eventually(async () => {
    const stats = await call("GET", `/subscriptions/${id}/stats`);
    expect([stats.attempts, stats.failed]).toEqual([2, 1]);
  });
  const page = await open("/webhooks");
  const row = page.getByRole("row").filter({ hasText: sink.url });
  const spark = "Attempts of the last 24 hours: 2, 1 of them failed";
  await row.getByRole("img", { name: spark }).waitFor();
  await row.getByText("50%").waitFor();
  await row.getByText(/^\d+ ms$/).waitFor();
  await row.getByText("Active", { exact: true }).waitFor();
  await row.getByText("All events").waitFor();
  const toggle = row.getByRole("switch", { name: /^Post events to/ });
  await toggle.press("Space");
  await eventually(async () => expect(await state()).toBe("paused"));
  await row.getByText("Paused", { exact: true }).waitFor();
  await expect.poll(async () => await toggle.getAttribute("aria-busy")).toBe("false");
  await toggle.press("Space");
  await eventually(async () => expect(await state()).toBe("active"));

  await row.getByRole("link", { name: "500" }).click();
  await page.getByRole("dialog").getByText("500 Internal Server Error", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  expect(await page.getByRole("button", { name: "Copy: URL" }).count()).toBe(1);
  const health = page.getByRole("region", { name: "The last 24 hours" });
  await health.getByRole("img", { name: spark }).waitFor();
  await health.getByText("50%").waitFor();
});

test("the preview lists what is ticked, signed for this subscription; what is saved is what arrives", async () => {
  const page = await open(`/webhooks/${id}?tab=events`);
  const preview = page.getByRole("region", { name: "What you receive" });
  await preview.getByText(`${eventTypes.length - 1} event types, and test.ping`).waitFor();
  expect(await listed(preview)).toEqual(eventTypes);
  await page.getByLabel("All events").uncheck();
  await expect.poll(async () => await listed(preview)).toEqual(["test.ping"]);
  await preview.getByRole("button", { name: "test.ping" }).click();
  await preview.getByText("X-Service-Event: test.ping").waitFor();
  await page.getByLabel("contact.*").check();
  const contacts = ["contact.created", "contact.updated", "test.ping"];
  await expect.poll(async () => await listed(preview)).toEqual(contacts);
  await page.getByLabel("contact.*").uncheck();
  await page.getByRole("checkbox", { name: "message.received" }).check();
  const message = preview.getByRole("button", { name: "message.received" });
  await message.press("Enter");
  await expect.poll(async () => await message.getAttribute("aria-expanded")).toBe("true");
  await preview.getByText("X-Service-Event: message.received").waitFor();
  await preview.getByText("All channels").waitFor();
  const channel = page.getByRole("checkbox", { name: "WhatsApp" });
  await channel.press("Space");
  await preview.getByText("WhatsApp", { exact: true }).waitFor();
  await channel.press("Space");
  await page.getByRole("checkbox", { name: "message.received" }).uncheck();
  await page.getByLabel("contact.created").check();
  await preview.getByText("1 event type, and test.ping").waitFor();
  await preview.getByRole("button", { name: "contact.created" }).click();
  const head = await preview.getByText(/^POST http/).innerText();
  const body = serializeEvent(sampleEvent("contact.created"));
  await preview.getByText("Raw", { exact: true }).click();
  await preview.getByText(body, { exact: true }).waitFor();
  const signed = createHmac("sha256", secret).update(body).digest("hex");
  expect(head).toContain(`X-Service-Signature: sha256=${signed}`);
  expect(await page.content()).not.toContain(secret);

  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  const { events, channels } = await call("GET", `/subscriptions/${id}`);
  expect([events, channels]).toEqual([["contact.created"], null]);
  await addContact("Ana");
  const [contact] = await call("GET", "/contacts");
  await call("PATCH", `/contacts/${contact.id}`, { name: "Ana Ruiz" });
  await addContact("Benito");
  await eventually(() => expect(sink.posts).toHaveLength(2));
  const types = sink.posts.map(({ headers }) => headers["x-service-event"]);
  expect(types).toEqual(["contact.created", "contact.created"]);
});

test("settings change the URL and the name alone", async () => {
  await call("PATCH", `/subscriptions/${id}`, { events: ["contact.*"], channels: ["whatsapp"] });
  const page = await open(`/webhooks/${id}?tab=settings`);
  await page.getByRole("textbox", { name: "URL" }).fill(`${sink.url}/other`);
  const name = page.getByRole("textbox", { name: "Name" });
  await name.fill("CRM");
  await name.press("Enter");
  await page.getByRole("heading", { name: "CRM", level: 1 }).waitFor();
  expect(await call("GET", `/subscriptions/${id}`)).toMatchObject({
    name: "CRM",
    url: `${sink.url}/other`,
    events: ["contact.*"],
    channels: ["whatsapp"],
  });
});

test("a name that is cleared is the host of the URL again", async () => {
  await call("PATCH", `/subscriptions/${id}`, { name: "CRM" });
  const page = await open(`/webhooks/${id}?tab=settings`);
  const name = page.getByRole("textbox", { name: "Name" });
  await name.fill(" ");
  await name.press("Enter");
  await page.getByText("Saved", { exact: true }).waitFor();
  const { host } = new URL(sink.url);
  await page.getByRole("heading", { name: host, level: 1 }).waitFor();
  expect((await call("GET", `/subscriptions/${id}`)).name).toBe(host);
});

test("what was asked of one subscription is not asked of the next one that is shown", async () => {
  const { dataSource } = fixture.database;
  const other = await createTestSubscription(dataSource, account.accountId, { url: sink.url });
  await call("PATCH", `/subscriptions/${id}`, { name: "CRM" });
  await call("PATCH", `/subscriptions/${other.id}`, { name: "ERP" });
  await asSystem(dataSource, account.accountId, (tx) =>
    recordNotification(tx, {
      kind: "subscription_disabled",
      params: { subscription_name: "ERP", reason: "gone" },
      dedupeKey: "erp",
      groupKey: `disabled:${other.id}`,
      deliveryId: null,
      subscriptionId: other.id,
    }),
  );
  const page = await open(`/webhooks/${id}`);
  await page.getByRole("heading", { name: "CRM", level: 1 }).waitFor();
  await page.getByRole("button", { name: "Notifications: 1 unread" }).click();
  await page.getByRole("link", { name: "ERP was disabled" }).click();
  await page.getByRole("button", { name: "Actions for ERP" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("dialog", { name: "Delete" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "CRM", level: 1 }).waitFor();
  await expect.poll(async () => await page.getByRole("dialog").count()).toBe(0);
});

test("tabs are moved through by arrow keys and live in the URL", async () => {
  const page = await open(`/webhooks/${id}`);
  await page.getByRole("tab", { name: "Deliveries" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("tab", { name: "Events & filter", selected: true }).waitFor();
  expect(new URL(page.url()).searchParams.get("tab")).toBe("events");
  await page.keyboard.press("ArrowRight");
  await page.getByRole("tab", { name: "Secret & verification", selected: true }).waitFor();
  await page.goBack();
  await page.getByRole("tab", { name: "Events & filter", selected: true }).waitFor();
});

test("a subscription that was disabled says why, and is enabled where it says so", async () => {
  await fixture.database.dataSource.query(
    "UPDATE subscriptions SET state = 'disabled', disabled_reason = 'only_failures' WHERE id = ?",
    [id],
  );
  const page = await open(`/webhooks/${id}`);
  const notice = page.getByRole("alert").filter({ hasText: "only failed for three days" });
  await notice.getByRole("button", { name: "Enable" }).click();
  await notice.waitFor({ state: "detached" });
  expect(await state()).toBe("active");
  const audited = await fixture.database.dataSource.query<{ action: string }[]>(
    "SELECT action FROM audit_log WHERE target_type = 'subscription' AND target_id = ? ORDER BY id DESC LIMIT 1",
    [id],
  );
  expect(audited).toMatchObject([{ action: "subscription.resumed" }]);
});

test("an agent sees deliveries, figures and how to verify, and nothing that changes", async () => {
  const { dataSource } = fixture.database;
  const made = await createTestAccount(dataSource, { role: "agent" });
  const own = await createTestSubscription(dataSource, made.accountId, { url: sink.url });
  const page = await open(`/webhooks/${own.id}?tab=settings`, made.cookie);
  await page.getByRole("tab", { name: "Deliveries", selected: true }).waitFor();
  const tabs = await page.getByRole("tab").allInnerTexts();
  expect(tabs).toEqual(["Deliveries", "Secret & verification"]);
  await page.getByRole("region", { name: "The last 24 hours" }).waitFor();
  await page.getByRole("tab", { name: "Secret & verification" }).click();
  await page.getByRole("region", { name: "Code to verify" }).waitFor();
  expect(await page.getByRole("button", { name: "Rotate secret" }).count()).toBe(0);
});

/** The code of the tab for a language, as a person would copy it. */
async function copyCode(page: Page, language: string): Promise<string> {
  const section = page.getByRole("region", { name: "Code to verify" });
  await section.getByText(language, { exact: true }).click();
  return await section.locator("pre").innerText();
}

const driverOf = {
  Node: `
import { readFileSync } from "node:fs";
const { secret, body, headers } = JSON.parse(readFileSync("case.json", "utf8"));
const judge = (bytes) => [verifyService, verifyStandard].map((verify) => verify(secret, bytes, headers));
console.log(JSON.stringify([judge(Buffer.from(body)), judge(Buffer.from(body + " "))]));`,
  Python: `
import json
case = json.load(open("case.json", encoding="utf-8"))
judge = lambda body: [verify(case["secret"], body.encode(), case["headers"]) for verify in (verify_service, verify_standard)]
print(json.dumps([judge(case["body"]), judge(case["body"] + " ")]))`,
  PHP: `
$case = json_decode(file_get_contents('case.json'), true);
$judge = fn (string $body) => [verify_service($case['secret'], $body, $case['headers']), verify_standard($case['secret'], $body, $case['headers'])];
echo json_encode([$judge($case['body']), $judge($case['body'] . ' ')]);`,
};

const programs = [
  ["Node", process.execPath, "verify.mjs"],
  ["Python", "python3", "verify.py"],
  ["PHP", "php", "verify.php"],
] as const;

function isThere(program: string): boolean {
  if (program.includes("/")) return true;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.some((one) => existsSync(join(one, program)));
}

test("the code to copy verifies a delivery that arrived, and refuses it with another body", async () => {
  await call("POST", "/contacts", { email: "zoe@example.com", name: "Zoë 😀" });
  const { body, headers } = await firstPost();
  writeFileSync(
    join(folder, "case.json"),
    JSON.stringify({ secret, body: body.toString("utf8"), headers }),
  );
  const page = await open(`/webhooks/${id}?tab=verification`);
  const judged: Record<string, unknown> = {};
  for (const [language, program, file] of programs) {
    const code = await copyCode(page, language);
    writeFileSync(join(folder, file), `${code}\n${driverOf[language]}\n`);
    if (!isThere(program)) continue;
    const { stdout } = await run(program, [join(folder, file)], { cwd: folder });
    judged[language] = JSON.parse(stdout);
  }
  const right = [
    [true, true],
    [false, false],
  ];
  expect(judged).toMatchObject({ Node: right, Python: right });
  expect(Object.values(judged)).toEqual(Object.values(judged).map(() => right));
});

/** Fills the box and presses Check. */
async function checkBox(box: Locator, input: Record<"Secret" | "Headers" | "Raw body", string>) {
  for (const [label, value] of Object.entries(input)) {
    await box.getByLabel(label, { exact: true }).fill(value);
  }
  await box.getByRole("button", { name: "Check" }).click();
}

test("a signature is checked in the browser, which says what differs and sends nothing", async () => {
  await addContact("Ana");
  const { body, headers } = await firstPost();
  const page = await open(`/webhooks/${id}?tab=verification`);
  const sent: string[] = [];
  page.on("request", (request) => sent.push(`${request.url()} ${request.postData() ?? ""}`));
  const box = page.getByRole("region", { name: "Check my signature" });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
  const input = { Secret: secret, Headers: lines.join("\n"), "Raw body": body.toString("utf8") };
  await checkBox(box, input);
  await box.getByText("The signature fits", { exact: true }).waitFor();
  const laidOut = JSON.stringify(JSON.parse(input["Raw body"]), null, 2);
  await checkBox(box, { ...input, "Raw body": laidOut });
  await box.getByText(/^The body was parsed and written again/).waitFor();
  await checkBox(box, { ...input, Secret: `whsec_${Buffer.alloc(32, 7).toString("base64")}` });
  await box.getByText(/^The secret is another one/).waitFor();
  await page
    .getByRole("region", { name: "Test vectors" })
    .getByRole("button", { name: "Try it above: contact.created" })
    .click();
  await box.getByRole("button", { name: "Check" }).click();
  await box.getByText(/^webhook-timestamp is more than 300 s old/).waitFor();
  expect(sent.filter((one) => one.includes("whsec_") || one.includes("HMAC"))).toEqual([]);
});

test("the secret is replaced where it is explained, and the new one signs", async () => {
  const page = await open(`/webhooks/${id}?tab=verification`);
  await page.getByRole("button", { name: "Rotate secret" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Rotate secret" }).click();
  const fresh = await dialog.getByRole("group", { name: "Secret" }).innerText();
  await dialog.getByRole("button", { name: "Done" }).click();
  await addContact("Ana");
  const { body, headers } = await firstPost();
  const signed = createHmac("sha256", fresh).update(body).digest("hex");
  expect(headers["x-service-signature"]).toBe(`sha256=${signed}`);
});

test("a replay is counted with how long it takes, paused, found again after a reload, resumed and cancelled", async () => {
  const owner = { accountId: account.accountId, id };
  // 30 s of work, so that a slow browser still meets a replay that goes on.
  await insertSkippedDeliveries(fixture.database.dataSource, owner, 3_000);
  const page = await open(`/webhooks/${id}`);
  await page.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Replay deliveries" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Last hour" }).click();
  await dialog.getByRole("button", { name: "Count" }).click();
  await dialog.getByText("3000 deliveries fit.").waitFor();
  await dialog.getByText("It takes about 30 s, at up to 100 a second.").waitFor();
  expect(sink.posts).toEqual([]);
  await dialog.getByRole("button", { name: "Send 3000 again" }).click();
  await dialog.getByRole("button", { name: "Pause" }).click();
  await dialog.getByText("Paused; what is queued goes out.").waitFor();
  const [replay] = await call("GET", `/subscriptions/${id}/replays`);
  expect(replay).toMatchObject({ state: "paused", total: 3_000 });
  expect(replay.queued).toBeLessThan(3_000);
  expect(replay.since).not.toBeNull();

  await page.reload();
  await dialog.getByText(/ of 3000$/).waitFor();
  await page.keyboard.press("Escape");
  await page.getByText(/^A replay is paused: \d+ of 3000\.$/).waitFor();
  await page.getByRole("button", { name: "Show it" }).click();
  await dialog.getByRole("button", { name: "Resume" }).click();
  await dialog.getByRole("button", { name: "Cancel the replay" }).click();
  await dialog.getByText("Cancelled; what is queued goes out.").waitFor();
  const [ended] = await call("GET", `/subscriptions/${id}/replays`);
  expect(ended.state).toBe("cancelled");
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByText(/^A replay is/).waitFor({ state: "detached" });
});

test("a replay of more deliveries than can be counted says so, and is started all the same", async () => {
  const { insertId } = await fixture.database.dataSource.query<{ insertId: number }>(
    `INSERT INTO replays (account_id, subscription_id, state, states, newest_id, total, total_at_least)
     VALUES (?, ?, 'draft', '["skipped"]', 0, 1200, 1)`,
    [account.accountId, id],
  );
  const page = await open(`/webhooks/${id}?replay=${insertId}`);
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/^At least 1200 deliveries fit/).waitFor();
  expect(await dialog.getByText(/It takes about/).count()).toBe(0);
  await dialog.getByRole("button", { name: "Send all again" }).click();
  await dialog.getByRole("button", { name: "Done" }).waitFor();
  const ended = await call("GET", `/replays/${insertId}`);
  expect(ended).toMatchObject({ state: "completed", total_at_least: false });
});
