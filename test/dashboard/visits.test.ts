import { expect, test } from "vitest";
import { openVisit, createTestWidget } from "../api/widget/widget-fixture.ts";
import { createTestAccount } from "../support/accounts.ts";
import { findBarriers } from "../support/browser.ts";
import { startDashboard } from "../support/dashboard-fixture.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(async () => await startDashboard({ TRUST_PROXY: "true" }));

const pageOf = (path: string, title: string) => ({
  url: `https://shop.example${path}`,
  title,
  referrer: "https://search.example/",
});

test("the card shows the page of the visitor as the visitor moves, and earlier visits", async () => {
  const { database, api } = fixture;
  const account = await createTestAccount(database.dataSource);
  const query = async <Row>(sql: string, values: unknown[] = []) =>
    await database.dataSource.query<Row[]>(sql, values);
  const widget = await createTestWidget({ database, query }, { account });
  const before = await openVisit({ api }, widget, { page: pageOf("/mugs", "Mugs") });
  await before.write("Do you ship?");
  await query(
    `UPDATE widget_sessions SET visits = JSON_SET(visits, '$[0].started_at', ?, '$[0].page_at', ?)`,
    ["2026-03-02T14:00:00.000Z", "2026-03-02T14:05:00.000Z"],
  );
  const visitor = await openVisit({ api }, widget, {
    resume: before.resume,
    page: pageOf("/lamps?id=7", "Lamps"),
  });
  await visitor.call("POST", "/context", { context: { plan: "<b>pro</b>" } });
  const [conversation] = await query<{ id: number }>(
    "SELECT id FROM conversations WHERE account_id = ?",
    [account.accountId],
  );
  const { page } = await fixture.open(`/inbox/${conversation?.id}`, { as: account.cookie });
  const part = page.getByRole("group", { name: "On the site" });
  const link = part.getByRole("link", { name: "Lamps" });
  expect(await link.getAttribute("href")).toBe("https://shop.example/lamps?id=7");
  expect(await link.getAttribute("rel")).toContain("noopener");
  await part.getByText("shop.example/lamps?id=7").waitFor();
  await part.getByText("From the site (unverified)").waitFor();
  expect(await part.getByRole("definition").allInnerTexts()).toEqual(["<b>pro</b>"]);
  const earlier = part.getByRole("listitem");
  await earlier.getByRole("link", { name: "Mugs" }).waitFor();
  await earlier.getByText("1 page · from search.example").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await visitor.call("POST", "/page", { page: pageOf("/cart", "") });
  await part.getByRole("link", { name: "shop.example/cart" }).waitFor();
});
