import { expect, test } from "vitest";
import { ensureWidget } from "../../dev/build/widget-build.ts";
import { freePort, releasePort } from "../../dev/child.ts";
import { createTestWidget } from "../api/widget/widget-fixture.ts";
import { callApi } from "../support/api.ts";
import { startBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { createProcessFixture } from "../support/process-fixture.ts";
import { openPanel, write } from "../widget/widget-pages-fixture.ts";

test("an API that is killed under an open chat loses nothing and doubles nothing", async ({
  onTestFinished,
}) => {
  await ensureWidget(() => undefined);
  const [fixture, browser, port] = await Promise.all([
    createProcessFixture(),
    startBrowser(),
    freePort(),
  ]);
  onTestFinished(async () => {
    await fixture.stop();
    releasePort(port);
  });
  const url = `http://127.0.0.1:${port}`;
  const { account, database } = fixture;
  const query = async <Row>(sql: string, values: unknown[] = []): Promise<Row[]> =>
    await database.dataSource.query<Row[]>(sql, values);
  const { key } = await createTestWidget({ database, query }, { account });
  const start = async () => {
    const launched = fixture.launch("api", { PORT: String(port), PUBLIC_URL: url });
    await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), 90_000);
    return launched;
  };
  const [api] = await Promise.all([start(), fixture.startWorker()]);
  const { page } = await browser.openPage();
  await page.goto(`${url}/demo?key=${key}`);
  const panel = await openPanel(page);
  const texts = async () =>
    (await panel.locator(".bubble p").allInnerTexts()).map((one) => one.trim());
  await write(panel, "before");
  const [row] = await query<{ id: number }>(
    "SELECT id FROM conversations ORDER BY id DESC LIMIT 1",
  );
  const reply = async (content: string) => {
    const path = `/api/v1/conversations/${row?.id}/messages`;
    const body = { type: "text", content };
    const { status } = await callApi(url, "POST", path, { apiKey: account.apiKey, body });
    expect(status).toBe(201);
  };
  await reply("welcome");
  await expect.poll(texts).toEqual(["before", "welcome"]);

  // This one leaves while nobody can take it to the visitor.
  await reply("just before the end");
  await api.kill("SIGKILL");
  const field = panel.getByRole("textbox");
  for (const text of ["one", "two", "three"]) {
    await field.fill(text);
    await field.press("Enter");
  }
  await panel.getByText("Reconnecting…").waitFor();
  await panel.getByText("Waiting for the network").first().waitFor();
  await start();
  await panel.getByRole("listitem").filter({ hasText: "three" }).getByText("Sent").waitFor();
  await reply("after");
  const all = ["before", "welcome", "just before the end", "one", "two", "three", "after"];
  await expect.poll(texts).toEqual(all);
  await panel.getByText("Reconnecting…").waitFor({ state: "detached" });
  const rows = await query<{ content: string }>("SELECT content FROM messages ORDER BY id");
  expect(rows.map(({ content }) => content)).toEqual(all);
}, 200_000);
