import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { installClock } from "../support/browser.ts";
import { signBody } from "../../core/signature.ts";
import { createTestAccount, type TestAccount } from "../support/accounts.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { useFixture } from "../support/use-fixture.ts";

const run = promisify(execFile);
const fixture = useFixture(startDashboard);
/** One account per test, so that each starts without an endpoint. */
let account: TestAccount;

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

async function open(path: string, as = account.cookie): Promise<Page> {
  return (await fixture.open(path, { as })).page;
}

interface Made {
  id: number;
  slug: string;
  secret: string;
}

async function make(strict = false, below = "/inbound-endpoints"): Promise<Made> {
  return await call("POST", below, { name: "CRM", strict });
}

/** Sends a body to an endpoint, signed unless the headers say otherwise. */
async function send({ slug, secret }: Made, body: object, headers: Record<string, string> = {}) {
  const bytes = Buffer.from(JSON.stringify(body));
  return await fixture.api.call("POST", `/api/webhooks/inbound/${slug}`, {
    headers: { "x-service-signature": signBody(secret, bytes), ...headers },
    body: bytes,
  });
}

const upsert = { event: "contact.upsert", data: { phone: "5215512345678", name: "Ana" } };

async function choose(page: Page, item: string): Promise<void> {
  await page.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

test("an endpoint is added, its secret shown once, and a call signed with it appears by itself", async () => {
  const page = await open("/inbound");
  await page.getByText("No other system calls in yet").waitFor();
  await page.getByRole("button", { name: "Add an endpoint" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("CRM");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  const secret = await page.getByLabel("Secret", { exact: true }).innerText();
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await page.content()).not.toContain(secret);
  const [row] = await call("GET", "/inbound-endpoints");
  expect(row).toMatchObject({ kind: "inbound", name: "CRM", strict: false, enabled: true });
  await page.getByText("None in 30 days").waitFor();

  // The list begins where the page of an endpoint does.
  const head = page.getByRole("main").getByText("Inbound", { exact: true }).first();
  const left = async () => (await head.boundingBox())?.x;
  const ofList = await left();
  await page.getByRole("link", { name: "CRM" }).click();
  await page.getByText("No call yet").waitFor();
  expect(await left()).toBe(ofList);
  expect((await send({ ...row, secret }, upsert)).status).toBe(200);
  await page.getByText("The contact was created.").waitFor();
  await page.getByRole("link", { name: "Inbound" }).first().click();
  await page.getByText("1 Done").waitFor();
});

test("a voice integration is added in strict mode by keyboard", async () => {
  const page = await open("/inbound");
  await page.getByRole("button", { name: "Add an endpoint" }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Inbound webhook").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Reception");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await dialog.getByLabel("Name").press("Enter");
  await page.getByLabel("Secret", { exact: true }).waitFor();
  const [row] = await call("GET", "/voice-integrations");
  expect(row).toMatchObject({ kind: "voice", name: "Reception", strict: true });
});

test.each([false, true])(
  "a call is tried from the browser, strict: %s; the secret goes nowhere, and the curl shown does the same",
  async (strict) => {
    const endpoint = await make(strict);
    const page = await open(`/inbound/${endpoint.id}`);
    const sent: string[] = [];
    page.on("request", (request) => {
      sent.push(JSON.stringify([request.url(), request.headers(), request.postData()]));
    });
    await page.getByRole("tab", { name: "Try it" }).click();
    await page.getByRole("button", { name: "Sign and send" }).click();
    await page.getByText("Paste the whole secret").waitFor();
    await page.getByLabel("Secret", { exact: true }).fill(endpoint.secret);
    await page.getByRole("button", { name: "Sign and send" }).click();
    const answer = page.getByRole("group", { name: "Answer" });
    await expect.poll(async () => await answer.innerText()).toContain('"result": "created"');
    const [contact] = await call("GET", "/contacts");
    expect(contact).toMatchObject({ name: "Ana Ruiz", phone: "5215512345678" });

    const curl = await page.getByRole("group", { name: "curl" }).innerText();
    const here = curl.replace(/https?:\/\/[^/']+/, fixture.api.url);
    const { stdout } = await run("sh", ["-c", here]);
    expect(JSON.parse(stdout).data.result).toBe("created");
    const [repeated] = await call("GET", `/inbound-endpoints/${endpoint.id}/requests`);
    expect(repeated).toMatchObject({ verdict: "repeated" });

    const stored = await page.evaluate<string>("JSON.stringify([localStorage, sessionStorage])");
    for (const text of [...sent, stored]) expect(text).not.toContain(endpoint.secret.slice(6));
    expect(sent.some((one) => one.includes("/api/webhooks/inbound/"))).toBe(true);
  },
);

test("a tag that is tried goes to the contact; what no contact has is refused with the reason", async () => {
  const endpoint = await make();
  await send(endpoint, upsert);
  const page = await open(`/inbound/${endpoint.id}`);
  await page.getByRole("tab", { name: "Try it" }).click();
  await page.getByRole("combobox", { name: "Action" }).click();
  await page.getByRole("option", { name: "contact.tag.add" }).click();
  await page.getByLabel("Secret", { exact: true }).fill(endpoint.secret);
  await page.getByRole("button", { name: "Sign and send" }).click();
  const answer = page.getByRole("group", { name: "Answer" });
  await expect.poll(async () => await answer.innerText()).toContain('"result": "updated"');
  const [contact] = await call("GET", "/contacts");
  expect(contact.tags).toEqual(["vip"]);

  const other = { event: "contact.tag.add", data: { phone: "5215500000000", tag: "vip" } };
  await page.getByRole("textbox", { name: "Body" }).fill(JSON.stringify(other));
  await page.getByRole("button", { name: "Sign and send" }).click();
  await expect.poll(async () => await answer.innerText()).toContain("contact_not_found");
  await page.getByRole("tab", { name: "Calls" }).click();
  await page.getByText("No contact has this phone or email.").waitFor();
});

test("a call that is tried again is a repetition; another action or body is another event", async () => {
  const endpoint = await make();
  const page = await open(`/inbound/${endpoint.id}`);
  await page.getByRole("tab", { name: "Try it" }).click();
  await page.getByLabel("Secret", { exact: true }).fill(endpoint.secret);
  const verdicts: string[] = [];
  const tried = async (): Promise<void> => {
    const answer = page.waitForResponse("**/api/webhooks/inbound/**");
    await page.getByRole("button", { name: "Sign and send" }).click();
    expect((await answer).status()).toBe(200);
    const [newest] = await call("GET", `/inbound-endpoints/${endpoint.id}/requests`);
    verdicts.push(newest.verdict);
  };
  await tried();
  await tried();
  for (const action of ["contact.tag.add", "contact.tag.remove"]) {
    await page.getByRole("combobox", { name: "Action" }).click();
    await page.getByRole("option", { name: action }).click();
    await tried();
  }
  await page.getByRole("textbox", { name: "Body" }).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" ");
  await tried();
  await tried();
  expect(verdicts).toEqual(["done", "repeated", "done", "done", "done", "repeated"]);
});

test("the log says why a signature was refused, and whether what was signed is what came", async () => {
  const endpoint = await make();
  await send(endpoint, upsert, { "x-service-signature": `sha256=${"0".repeat(64)}` });
  const page = await open(`/inbound/${endpoint.id}`);
  await page.getByText(/^X-Service-Signature does not fit/).waitFor();
  await page.getByRole("button", { name: "Not read" }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByText("content-type", { exact: true }).waitFor();
  const body = JSON.stringify(upsert);
  await drawer.getByText(`${Buffer.byteLength(body)} bytes came`).waitFor();
  const pasted = drawer.getByLabel("Compare with what you signed");
  await pasted.fill(`${body} `);
  await drawer.getByText(/^Other bytes: 73 here, 72 came/).waitFor();
  await pasted.fill(body);
  await drawer.getByText("The same bytes.").waitFor();
  expect(await drawer.innerText()).not.toContain("5215512345678");
});

test("the log is narrowed to an outcome, which lives in the URL, and pages", async () => {
  const endpoint = await make();
  await send(endpoint, upsert, { "x-service-event-id": "evt-1" });
  await send(endpoint, upsert, { "x-service-event-id": "evt-1" });
  await send(endpoint, { event: "message.send", data: {} });
  const page = await open(`/inbound/${endpoint.id}`);
  await page.getByText("This endpoint does not know the action.").waitFor();
  await page.getByRole("combobox", { name: "Outcome" }).click();
  await page.getByRole("option", { name: "Repeated" }).click();
  await page.waitForURL("**/inbound/*?verdict=repeated");
  await page.getByText("This event id was done before").waitFor();
  await page.getByText("This endpoint does not know the action.").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "contact.upsert" }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("group", { name: "Body" }).waitFor();
  await drawer.getByRole("link", { name: "Open the contact" }).click();
  await page.waitForURL("**/contacts/*");

  await fixture.database.dataSource.query(
    `INSERT INTO inbound_requests (account_id, endpoint_id, received_at, verdict, status_code, error_code, duration_ms)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
     SELECT ?, ?, UTC_TIMESTAMP(3) - INTERVAL i MINUTE, 'failed', 503, 'service_unavailable', 1 FROM n`,
    [account.accountId, endpoint.id],
  );
  const failed = await open(`/inbound/${endpoint.id}?verdict=failed`);
  await failed.getByText("60 in all").waitFor();
  await failed.getByRole("button", { name: "Older" }).click();
  await expect.poll(() => failed.getByRole("row").count()).toBe(11);
  expect(new URL(failed.url()).search).toMatch(/^\?verdict=failed&before=\d+$/);
});

test("a page of the log without calls leads back to the newest one, and an old page is not polled", async () => {
  const endpoint = await make();
  const page = await open(`/inbound/${endpoint.id}?before=1`);
  await installClock(page);
  await page.reload();
  await page.getByText("There is nothing on this page.").waitFor();
  // The stream, once it is there, has everything read once more.
  await page.waitForLoadState("networkidle");
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/requests?")) asked.push(request.url());
  });
  // The endpoints themselves are followed on every page.
  const later = page.waitForRequest(/\/inbound-endpoints\?/);
  await page.clock.runFor(10_000);
  await later;
  expect(asked).toEqual([]);
  await page.getByRole("button", { name: "Newest" }).click();
  await page.getByText("No call yet").waitFor();
  await page.clock.runFor(4_000);
  await expect.poll(() => asked.length).toBeGreaterThan(1);
});

test("an endpoint is renamed, disabled and enabled, its secret replaced with an overlap, and deleted", async () => {
  const endpoint = await make();
  const { id } = endpoint;
  const page = await open(`/inbound/${id}`);
  const now = async () => await call("GET", `/inbound-endpoints/${id}`);
  await page.getByRole("tab", { name: "Settings" }).click();
  await page.getByLabel("Name").fill("ERP");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "ERP", level: 1 }).waitFor();
  expect(await now()).toMatchObject({ name: "ERP", strict: false });

  await choose(page, "Disable");
  await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  await page.getByText("Disabled", { exact: true }).waitFor();
  expect((await send(endpoint, upsert)).status).toBe(404);
  await choose(page, "Enable");
  await eventually(async () => expect((await now()).enabled).toBe(true));

  await choose(page, "Rotate secret");
  await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
  const fresh = await page.getByLabel("Secret", { exact: true }).innerText();
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  await page.getByText(/^Calls signed with the old secret/).waitFor();
  for (const secret of [fresh, endpoint.secret]) {
    expect((await send({ ...endpoint, secret }, upsert)).status).toBe(200);
  }

  await choose(page, "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL("**/inbound");
  await page.getByText("No other system calls in yet").waitFor();
  expect(await call("GET", "/inbound-endpoints")).toEqual([]);
});

test("the code names this endpoint, in four languages", async () => {
  const { id, slug } = await make();
  const page = await open(`/inbound/${id}`);
  await page.getByRole("tab", { name: "Code" }).click();
  for (const language of ["curl", "Node", "Python", "PHP"]) {
    await page.getByRole("tab", { name: language }).click();
    const code = await page.getByRole("group", { name: language }).innerText();
    expect(code).toContain(`/api/webhooks/inbound/${slug}`);
  }
  // Which tab it is lives in the URL.
  await page.reload();
  await page.getByRole("tab", { name: "Code", selected: true }).waitFor();
  await page.goBack();
  await page.getByText("No call yet").waitFor();
  expect(new URL(page.url()).search).toBe("");
});

test("who is no admin reads the log, and sees no URL and nothing to change", async () => {
  const endpoint = await make();
  await send(endpoint, upsert);
  await fixture.database.dataSource.query(
    "UPDATE memberships SET role = 'agent' WHERE account_id = ?",
    [account.accountId],
  );
  const page = await open("/inbound");
  await page.getByText("Only admins see it").waitFor();
  expect(await page.getByRole("button", { name: "Add an endpoint" }).count()).toBe(0);
  await page.getByRole("link", { name: "CRM" }).click();
  await page.getByText("The contact was created.").waitFor();
  expect(await page.getByRole("tab").count()).toBe(0);
  expect(await page.content()).not.toContain(endpoint.slug);
});

test("an endpoint that is gone says so", async () => {
  const page = await open("/inbound/999999");
  await page.getByText("This endpoint is gone").waitFor();
  expect(await page.getByRole("tab").count()).toBe(0);
});
