import type { ServerResponse } from "node:http";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  createTestAccount,
  createTestSubscription,
  type TestAccount,
} from "../support/accounts.ts";
import { installClock, openClipboard, pauseClock } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { insertSkippedDeliveries } from "../support/deliveries.ts";
import { eventually } from "../support/eventually.ts";
import { startSink, type Sink } from "../support/sink.ts";
import { createNamespace, startTestWorker } from "../support/worker.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(
  async () => await startDashboard({ TEMPORAL_UI_URL: "https://temporal.example.com" }),
);
// A test looks at an attempt whose answer it holds.
useFixture(
  async () =>
    await startTestWorker(fixture.database, await createNamespace(), { attemptTimeoutMs: 15_000 }),
);
let account: TestAccount;
let sink: Sink;
let id: number;

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
  sink = await startSink();
  const subscription = { url: `${sink.url}/hook` };
  ({ id } = await createTestSubscription(
    fixture.database.dataSource,
    account.accountId,
    subscription,
  ));
});

afterEach(async () => await sink.stop());

async function call(method: string, path: string, body?: unknown) {
  const { cookie } = account;
  const answer = await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
  expect(answer.status).toBeLessThan(300);
  return answer.json.data;
}

/** Retries a delivery until the API refuses: a slow machine earns more tries meanwhile. */
async function useUpRetries(deliveryId: number): Promise<void> {
  const { cookie } = account;
  const path = `/dashboard/api/deliveries/${deliveryId}/retry`;
  for (let status = 202; status !== 429;) {
    ({ status } = await fixture.api.call("POST", path, { cookie, body: {} }));
  }
}

async function open(path: string): Promise<Page> {
  return (await fixture.open(path, { as: account.cookie })).page;
}

/** A contact, whose event the subscription is posted. @returns once it has been answered */
async function post(name: string): Promise<void> {
  await call("POST", "/contacts", { email: `${name.toLowerCase()}@example.com`, name });
  await eventually(async () => {
    const [row] = await call("GET", `/deliveries?subscription_id=${id}&limit=1`);
    expect([row.contact.name, row.last_answer === null]).toEqual([name, false]);
  });
}

test("the log follows by itself: who an event is about leads there, with its last answer and next try", async () => {
  const page = await open(`/webhooks/${id}`);
  await page.getByText("No deliveries").waitFor();
  await post("Ana");
  const row = page.getByRole("row").filter({ hasText: "contact.created" });
  await row.getByText("Delivered").waitFor();
  await row.getByText(/^204 in \d+ ms$/).waitFor();
  await row.getByRole("img", { name: "1 of 6 attempts made" }).waitFor();
  sink.answer = (_, response) => void response.writeHead(503).end();
  await post("Benito");
  const failed = page.getByRole("row").filter({ hasText: "Benito" });
  await failed.getByText(/^503 in \d+ ms$/).waitFor();
  await failed.getByText(/next try in 0:/).waitFor();
  await failed.getByRole("link", { name: "Benito" }).click();
  await page.getByRole("heading", { name: "Benito", level: 1 }).waitFor();
  expect(page.url()).toMatch(/\/contacts\/\d+$/);
});

test("an event of a conversation leads to it", async () => {
  const from = "5215512345678";
  await call("POST", "/sandbox/messages", { channel: "whatsapp", from, name: "Ana", text: "Hi" });
  const page = await open(`/webhooks/${id}?type=message.received`);
  await page.getByRole("row").getByRole("link", { name: "Ana" }).click();
  await page.waitForURL("**/inbox/*");
  const [conversation] = await call("GET", "/conversations");
  expect(page.url()).toMatch(new RegExp(`/inbox/${conversation.id}$`));
});

test("a delivery is opened by keyboard, read as raw bytes, and sent again with the same ones", async () => {
  await post("Ana");
  const page = await open(`/webhooks/${id}`);
  await page.getByRole("button", { name: "contact.created" }).focus();
  await page.keyboard.press("Enter");
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("img", { name: "Attempt 1: delivered" }).waitFor();
  await drawer.getByText("Raw", { exact: true }).click();
  const raw = sink.posts[0]?.body.toString("utf8") ?? "none";
  await drawer.getByText(raw, { exact: true }).waitFor();
  await drawer.getByText(`${sink.posts[0]?.body.length} bytes`).waitFor();
  await drawer.getByText("Request headers").click();
  await drawer.getByText("X-Service-Event-Id").waitFor();
  const signature = String(sink.posts[0]?.headers["x-service-signature"]);
  expect(await drawer.getByText(signature).count()).toBe(0);

  await drawer.getByRole("button", { name: "Send again" }).click();
  await eventually(() => expect(sink.posts).toHaveLength(2));
  expect(sink.posts[1]?.body).toEqual(sink.posts[0]?.body);
  await expect.poll(async () => await drawer.getByText(/^204/).count()).toBe(2);
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  expect(new URL(page.url()).search).toBe("");
});

test("the log is read again at once where the open delivery has gone on", async () => {
  const held: ServerResponse[] = [];
  sink.answer = (_, response) => void held.push(response);
  const page = await open(`/webhooks/${id}`);
  await installClock(page);
  await page.reload();
  await page.getByRole("button", { name: "Send test" }).click();
  // Behind the drawer a row has no role.
  const row = page.locator("tbody tr");
  await eventually(() => expect(held).toHaveLength(1));
  await row.getByText("Sending").waitFor();
  await pauseClock(page);
  // Reads that this has begun are on their way by then.
  await page.evaluate("fetch('/healthz').then((answer) => answer.text())");
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().includes("/dashboard/api/deliveries?")) asked += 1;
  });
  held[0]?.writeHead(204).end();
  await eventually(async () => {
    const [delivery] = await call("GET", `/deliveries?subscription_id=${id}`);
    expect(delivery.state).toBe("delivered");
  });
  let passedMs = 0;
  await expect
    .poll(async () => {
      // Five seconds pass before the log is read by itself.
      if (passedMs < 4_500) await page.clock.runFor(100);
      passedMs += 100;
      return asked;
    })
    .toBeGreaterThan(0);
  await page.clock.resume();
  await page.getByRole("dialog").getByText("Delivered", { exact: true }).waitFor();
  await row.getByText("Delivered").waitFor();
});

test("State and Event narrow the log, stand in the URL, and come back with it", async () => {
  await post("Ana");
  const [ana] = await call("GET", "/contacts");
  sink.answer = (_, response) => void response.writeHead(500).end();
  await post("Benito");
  await call("PATCH", `/contacts/${ana.id}`, { name: "Ana Ruiz" });
  await eventually(async () => {
    const rows = await call("GET", `/deliveries?subscription_id=${id}&state=waiting`);
    expect(rows).toHaveLength(2);
  });
  const page = await open(`/webhooks/${id}`);
  const choose = async (label: string, option: string): Promise<void> => {
    await page.getByRole("combobox", { name: label }).click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  const types = page.getByRole("row").getByRole("button");
  const shown = async (): Promise<string[]> => await types.allInnerTexts();
  const search = (): string => new URL(page.url()).search;
  const all = ["contact.updated", "contact.created", "contact.created"];
  await expect.poll(shown).toEqual(all);
  await choose("State", "Retrying");
  await expect.poll(shown).toEqual(["contact.updated", "contact.created"]);
  expect(search()).toBe("?state=waiting");
  await choose("Event", "contact.created");
  await expect.poll(shown).toEqual(["contact.created"]);
  await page.getByRole("row").getByText("Benito").waitFor();
  expect(search()).toBe("?state=waiting&type=contact.created");
  await page.reload();
  await expect.poll(shown).toEqual(["contact.created"]);
  await choose("State", "Delivered");
  await page.getByRole("row").getByText("Ana Ruiz").waitFor();
  expect(search()).toBe("?state=delivered&type=contact.created");
  await choose("Event", "message.sent");
  await page.getByText("No delivery fits").waitFor();
  expect(await page.getByRole("button", { name: "Send a first test" }).count()).toBe(0);
  await page.goBack();
  await expect.poll(shown).toEqual(["contact.created"]);
});

test("a delivery leads to its run in Temporal UI", async () => {
  sink.answer = (_, response) => void response.writeHead(500).end();
  await post("Ana");
  const [row] = await call("GET", `/deliveries?subscription_id=${id}`);
  const { workflow_id } = await call("GET", `/deliveries/${row.id}`);
  const page = await open(`/webhooks/${id}?delivery=${row.id}`);
  const link = page.getByRole("dialog").getByRole("link", { name: "Open in Temporal" });
  expect(await link.getAttribute("href")).toBe(
    `https://temporal.example.com/namespaces/default/workflows/${encodeURIComponent(workflow_id)}`,
  );
  // A tab of its own, which learns nothing of this one.
  expect(await link.getAttribute("target")).toBe("_blank");
  expect(await link.getAttribute("rel")).toContain("noreferrer");
});

test("an event's id and the bytes that were posted are copied, and the button says so for a while", async () => {
  await post("Ana");
  const [row] = await call("GET", `/deliveries?subscription_id=${id}`);
  const page = await open(`/webhooks/${id}?delivery=${row.id}`);
  const copied = await openClipboard(page);
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("button", { name: "Copy: Event id" }).click();
  await drawer.getByRole("button", { name: "Copied" }).waitFor();
  expect(await copied()).toBe(sink.posts[0]?.headers["x-service-event-id"]);
  await drawer.getByRole("button", { name: "Copy: Event id" }).waitFor();
  await drawer.getByText("Raw", { exact: true }).click();
  await drawer.getByRole("button", { name: "Copy: Body (Raw)" }).click();
  await expect.poll(copied).toBe(sink.posts[0]?.body.toString("utf8"));
});

test("a delivery that waits shows the attempts to come, as far apart as the schedule has them", async () => {
  sink.answer = (_, response) => void response.writeHead(500).end();
  await post("Ana");
  const [row] = await call("GET", `/deliveries?subscription_id=${id}`);
  const page = await open(`/webhooks/${id}?delivery=${row.id}`);
  const timeline = page.getByRole("list", { name: "Attempts and the waits between them" });
  await timeline.getByRole("img", { name: "Attempt 1: failed" }).waitFor();
  await timeline.getByRole("img", { name: "Attempt 6: to come" }).waitFor();
  for (const wait of ["2 min", "10 min", "1 h", "6 h", "24 h"]) {
    await timeline.getByText(wait, { exact: true }).waitFor();
  }
  const widths = await timeline
    .getByText(/ (min|h)$/)
    .evaluateAll((all) =>
      all.map((one) => (one.parentElement as unknown as { clientWidth: number }).clientWidth),
    );
  expect(widths).toEqual(widths.toSorted((a, b) => a - b));
});

test("Send test shows by itself what the receiver answered", async () => {
  const page = await open(`/webhooks/${id}?tab=settings`);
  await page.getByRole("textbox", { name: "URL" }).waitFor();
  await page.getByRole("button", { name: "Send test" }).click();
  await page.getByRole("dialog").getByText("204 No Content", { exact: true }).waitFor();
  expect(sink.posts).toHaveLength(1);
});

test("the log asks again only for what the stream does not tell", async () => {
  await post("Ana");
  const asked = async (query: string, shown: string): Promise<number> => {
    const page = await open(`/webhooks/${id}${query}`);
    await installClock(page);
    await page.reload();
    await page.getByText(shown).first().waitFor();
    // The stream, once it is there, has everything read once more.
    await page.waitForLoadState("networkidle");
    let count = 0;
    page.on("request", (request) => {
      if (request.url().includes("/dashboard/api/deliveries?")) count += 1;
    });
    const later = page.waitForRequest((request) => request.url().endsWith(`/${id}/stats`));
    await page.clock.runFor(16_000);
    await later;
    await page.context().close();
    return count;
  };
  expect(await asked("?state=waiting", "No delivery fits")).toBe(0);
  expect(await asked("", "contact.created")).toBeGreaterThan(0);
});

test("a page without rows is not an empty log, and leads back to the newest one", async () => {
  const page = await open(`/webhooks/${id}?before=1`);
  await page.getByText("There is nothing on this page.").waitFor();
  await page.getByRole("button", { name: "Newest" }).click();
  await page.getByText("No deliveries").waitFor();
  expect(new URL(page.url()).search).toBe("");
});

test("the next page takes the place of the one that is shown, and the keyboard stays on Older", async () => {
  const owner = { accountId: account.accountId, id };
  await insertSkippedDeliveries(fixture.database.dataSource, owner, 120);
  const page = await open(`/webhooks/${id}`);
  await page.getByText("120 in all").waitFor();
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/deliveries\?.*before_id=/, async (route) => {
    await released;
    await route.continue();
  });
  const asked = page.waitForRequest(/\/deliveries\?.*before_id=/);
  await page.getByRole("button", { name: "Older" }).focus();
  await page.keyboard.press("Enter");
  await asked;
  const rows = page.getByRole("region", { name: "Deliveries" }).getByRole("row");
  expect(await rows.count()).toBe(51);
  release();
  await page.waitForURL("**/webhooks/*?before=*");
  // The keyboard is still on it; on the last page it does nothing more.
  await expect
    .poll(async () => {
      await page.keyboard.press("Enter");
      return await rows.count();
    })
    .toBe(21);
});

test("a delivery's older attempts are on pages of their own, and an eleventh retry says when the next may be", async () => {
  sink.answer = (_, response) => void response.writeHead(500).end();
  await post("Ana");
  const [row] = await call("GET", `/deliveries?subscription_id=${id}`);
  await fixture.database.dataSource.query(
    `INSERT INTO delivery_attempts (account_id, delivery_id, run, seq, number, manual, posts, started_at, duration_ms, status_code, request_url)
     WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 130)
     SELECT ?, ?, 1, i, 6, 1, 1, NOW(3), 5, 400 + i, ? FROM n`,
    [account.accountId, row.id, sink.url],
  );
  const page = await open(`/webhooks/${id}`);
  await page.getByRole("button", { name: "contact.created" }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByText("1–100 of 130").waitFor();
  expect(await drawer.getByText("530", { exact: true }).count()).toBe(1);
  expect(await drawer.getByText("402", { exact: true }).count()).toBe(0);
  await drawer.getByRole("button", { name: "Next", exact: true }).click();
  await drawer.getByText("402", { exact: true }).waitFor();
  expect(await drawer.getByText("530", { exact: true }).count()).toBe(0);
  await eventually(async () => {
    // A late click may be allowed one more retry.
    await useUpRetries(row.id);
    await drawer.getByRole("button", { name: "Retry now" }).click();
    await page.getByText(/Too many tries\. Wait \d+ s and try again\./).waitFor({ timeout: 3_000 });
  });
});
