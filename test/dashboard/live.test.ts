import { expect, test } from "vitest";
import { installClock, pauseClock } from "../support/browser.ts";
import { keepChanges } from "../../api/live/keep-changes.ts";
import { createTestAccount, testPassword } from "../support/accounts.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startDashboard);

async function write(name: string): Promise<void> {
  const body = { channel: "web", from: name.toLowerCase(), name, text: "Hello" };
  expect((await fixture.call("POST", "/sandbox/messages", body)).status).toBe(201);
}

test("the tabs of a browser share one stream; where its tab is closed another goes on, and nothing is missed", async () => {
  const { page: first } = await fixture.open("/healthz");
  let streams = 0;
  first.context().on("request", (request) => {
    if (new URL(request.url()).pathname === "/dashboard/api/stream") streams += 1;
  });
  await first.goto(`${fixture.api.url}/inbox`);
  await first.getByText("Everybody has an answer").waitFor();
  await expect.poll(() => streams).toBe(1);
  const second = await first.context().newPage();
  await second.goto(`${fixture.api.url}/inbox`);
  await second.getByText("Everybody has an answer").waitFor();
  await write("Ana");
  for (const page of [first, second]) await page.getByRole("link", { name: /^Ana/ }).waitFor();
  expect(streams).toBe(1);

  await first.close();
  await write("Benito");
  await second.getByRole("link", { name: /^Benito/ }).waitFor();
  expect(streams).toBe(2);
});

test("a page reads everything once, and hears of what was changed before its stream had begun", async () => {
  const { page } = await fixture.open("/healthz");
  const asked: string[] = [];
  const countOf = (path: string) => asked.filter((one) => one === path).length;
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  let letThrough = (): void => undefined;
  const released = new Promise<void>((resolve) => (letThrough = resolve));
  await page.route("**/dashboard/api/stream*", async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(`${fixture.api.url}/inbox`);
  await page.getByRole("link", { name: /^Benito/ }).waitFor();
  await write("Celia");
  await expect.poll(() => countOf("/dashboard/api/stream")).toBe(1);
  await keepChanges(fixture.database.dataSource);
  letThrough();
  await page.getByRole("link", { name: /^Celia/ }).waitFor();
  // Only what the change names was read again.
  expect(countOf("/dashboard/api/session")).toBe(1);
});

test("what happened while the stream was cut is there once it is back", async () => {
  const { page } = await fixture.open("/inbox");
  await page.getByRole("link", { name: /^Ana/ }).waitFor();
  await page.context().setOffline(true);
  await write("Carla");
  await page.context().setOffline(false);
  await page.getByRole("link", { name: /^Carla/ }).waitFor();
  await expect.poll(async () => await page.getByText("Reconnecting…").count()).toBe(0);
});

test("a stream that dies without a word is opened anew, and everything is read again", async () => {
  const { page } = await fixture.open("/inbox");
  await installClock(page);
  await page.reload();
  await page.getByRole("link", { name: /^Carla/ }).waitFor();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  // A word of the stream in that moment would begin the 40 s anew.
  await expect
    .poll(async () => {
      await page.clock.fastForward(41_000);
      return asked;
    })
    .toContain("/dashboard/api/stream");
  await expect.poll(() => asked).toContain("/dashboard/api/conversations");
  await write("Dora");
  await page.getByRole("link", { name: /^Dora/ }).waitFor();
});

test("a tab whose login is ended and begun again in another one shows what has happened since", async () => {
  const account = await createTestAccount(fixture.database.dataSource);
  const { email, apiKey, cookie } = account;
  const { page: first } = await fixture.open("/contacts", { as: cookie });
  const second = await first.context().newPage();
  await second.goto(`${fixture.api.url}/contacts`);
  for (const page of [first, second]) {
    await page.getByRole("heading", { name: "Contacts", level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
  }
  const ended = await fixture.api.call("DELETE", "/dashboard/api/session", { cookie });
  expect(ended.status).toBe(200);
  // As a tab says it that logs out.
  await first.evaluate("new BroadcastChannel('parley-session').postMessage(null)");
  // A failure shows the page that came instead of the login.
  for (const page of [first, second])
    await expect
      .poll(async () => await page.locator("body").innerText(), { timeout: 30_000 })
      .toContain("Email");
  const body = { name: "Elena", phone: "34600000001" };
  await fixture.api.call("POST", "/api/v1/contacts", { apiKey, body });
  await keepChanges(fixture.database.dataSource);
  await first.getByLabel("Email").fill(email);
  await first.getByLabel("Password", { exact: true }).fill(testPassword);
  await first.getByRole("button", { name: "Log in" }).click();
  await first.getByText("Elena").waitFor();
  await expect.poll(async () => await second.getByText("Elena").count()).toBe(1);
});

test("a page that draws between the end of a login and the way to the login shows no error", async () => {
  const { cookie } = await createTestAccount(fixture.database.dataSource);
  const body = { channel: "web", from: "ana", name: "Ana", text: "Hello" };
  const { json } = await fixture.api.call("POST", "/dashboard/api/sandbox/messages", {
    cookie,
    body,
  });
  const { page } = await fixture.open("/healthz", { as: cookie });
  await installClock(page);
  await page.goto(`${fixture.api.url}/inbox/${json.data.conversation_id}?view=all`);
  await page.getByRole("textbox", { name: "Reply" }).waitFor();
  await page.waitForLoadState("networkidle");
  // The queries tell their pages of a change by a timer, which stands still now.
  await pauseClock(page);
  await fixture.api.call("DELETE", "/dashboard/api/session", { cookie });
  const answer = page.waitForResponse((one) => one.url().endsWith("/dashboard/api/session"));
  await page.evaluate("new BroadcastChannel('parley-session').postMessage(null)");
  await (await answer).finished();
  await page.evaluate("fetch('/healthz').then((answer) => answer.text())");
  await page.keyboard.press("n");
  expect(await page.getByText("This page stopped working").count()).toBe(0);
  await page.clock.resume();
  await page.getByLabel("Email").waitFor();
});
