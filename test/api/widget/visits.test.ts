import { expect, test } from "vitest";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { createTestWidget, openVisit, type TestWidget } from "./widget-fixture.ts";

const fixture = useFixture(async () => await startApiFixture({ TRUST_PROXY: "true" }));
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const pageOf = (path: string) => ({
  url: `https://shop.example${path}`,
  title: `Page ${path}`,
  referrer: "https://search.example/?q=private",
});

async function contactOf({ widgetId }: TestWidget): Promise<number> {
  const [row] = await fixture.query<{ id: number }>(
    `SELECT contact_id AS id FROM widget_sessions
      WHERE widget_id = ? AND contact_id IS NOT NULL ORDER BY id DESC LIMIT 1`,
    [widgetId],
  );
  return Number(row?.id);
}

async function visitsOf({ account }: TestWidget, contactId: number) {
  const path = `/dashboard/api/contacts/${contactId}/visits`;
  return await fixture.api.call("GET", path, { cookie: account.cookie });
}

/** Moves all visits of a widget into the past. */
async function age({ widgetId }: TestWidget): Promise<void> {
  const at = "2026-03-02T14:00:00.000Z";
  await fixture.query(
    `UPDATE widget_sessions SET visits =
       JSON_SET(visits, '$[0].started_at', ?, '$[0].page_at', ?) WHERE widget_id = ?`,
    [at, at, widgetId],
  );
}

test("the card has the page that the visitor is on, and the visits before", async () => {
  const widget = await createTestWidget(fixture);
  const first = await openVisit(fixture, widget, { page: pageOf("/first?token=secret#top") });
  await first.write("Hi");
  await age(widget);
  const again = await openVisit(fixture, widget, {
    resume: first.resume,
    page: pageOf("/second?id=7"),
  });
  await again.call("POST", "/page", { page: pageOf("/cart?id=7") });
  const { json } = await visitsOf(widget, await contactOf(widget));
  expect(json.data).toEqual({
    page: { url: "https://shop.example/cart?id=7", title: "Page /cart?id=7", at: timestamp },
    context: {},
    visits: [
      {
        started_at: timestamp,
        page_at: json.data.page.at,
        pages: 2,
        url: "https://shop.example/second",
        title: "Page /second?id=7",
        referrer: "https://search.example",
      },
      {
        started_at: "2026-03-02T14:00:00.000Z",
        page_at: "2026-03-02T14:00:00.000Z",
        pages: 1,
        url: "https://shop.example/first",
        title: "Page /first?token=secret#top",
        referrer: "https://search.example",
      },
    ],
  });
});

test("a move tells live views of the contact", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget, { page: pageOf("/") });
  await visitor.write("Hi");
  const changes = async () =>
    await fixture.query(
      "SELECT contact_id AS id FROM changes WHERE account_id = ? AND kind = 'visitor.updated'",
      [widget.account.accountId],
    );
  const before = (await changes()).length;
  await visitor.call("POST", "/page", { page: pageOf("/cart") });
  const after = await changes();
  expect(after.slice(before)).toEqual([{ id: await contactOf(widget) }]);
});

test("a reset takes the page away and keeps the visit; another account sees nothing", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget, { page: pageOf("/") });
  await visitor.call("POST", "/contact", { email: "ana@example.com" });
  await visitor.write("Hi");
  const contactId = await contactOf(widget);
  await visitor.call("POST", "/reset");
  const { json } = await visitsOf(widget, contactId);
  expect([json.data.page, json.data.visits.length]).toEqual([null, 1]);
  const [row] = await fixture.query("SELECT page, said FROM widget_sessions WHERE contact_id = ?", [
    contactId,
  ]);
  expect(row).toEqual({ page: null, said: null });
  const other = await createTestWidget(fixture);
  expect((await visitsOf(other, contactId)).status).toBe(404);
});

test("a merge moves the visits, and an erasure leaves nothing of the person in any session", async () => {
  const widget = await createTestWidget(fixture);
  const { cookie, accountId } = widget.account;
  const loserVisitor = await openVisit(fixture, widget, { page: pageOf("/loser") });
  await loserVisitor.write("One");
  const loser = await contactOf(widget);
  await loserVisitor.call("POST", "/context", { context: { plan: "pro" } });
  const winnerVisitor = await openVisit(fixture, widget, { page: pageOf("/winner") });
  await winnerVisitor.call("POST", "/contact", { name: "Ana" });
  await winnerVisitor.write("Two");
  const winner = await contactOf(widget);
  await winnerVisitor.call("POST", "/reset");
  await fixture.query("UPDATE widget_sessions SET verified_sub = 'ana-7' WHERE contact_id = ?", [
    winner,
  ]);
  const merged = await fixture.api.call("POST", `/dashboard/api/contacts/${loser}/merge`, {
    cookie,
    body: { into_contact_id: winner },
  });
  expect(merged.status).toBe(200);
  const { json } = await visitsOf(widget, winner);
  const urls = json.data.visits.map(({ url }: { url: string }) => url).toSorted();
  expect(urls).toEqual(["https://shop.example/loser", "https://shop.example/winner"]);
  await fixture.api.call("DELETE", `/dashboard/api/contacts/${winner}`, { cookie });
  const left = await fixture.query(
    `SELECT DISTINCT visitor_id, verified_sub, said, page, visits, context FROM widget_sessions
      WHERE account_id = ? AND contact_id IS NOT NULL`,
    [accountId],
  );
  expect(left).toEqual([
    {
      visitor_id: "erased",
      verified_sub: null,
      said: null,
      page: null,
      visits: null,
      context: null,
    },
  ]);
});

test("facts of the site replace those before, show in the card, and end with the session", async () => {
  const widget = await createTestWidget(fixture);
  const visitor = await openVisit(fixture, widget, { page: pageOf("/") });
  const tell = async (context: unknown) => await visitor.call("POST", "/context", { context });
  expect((await tell({ plan: "free" })).status).toBe(204);
  await visitor.write("Hi");
  const contactId = await contactOf(widget);
  const contextOf = async () => (await visitsOf(widget, contactId)).json.data.context;
  expect(await contextOf()).toEqual({ plan: "free" });
  await tell({ plan: "pro", items: 3 });
  expect(await contextOf()).toEqual({ plan: "pro", items: "3" });
  const refused = await tell({ cart: { total: 1 } });
  expect([refused.status, refused.json.error.code]).toEqual([400, "validation_error"]);
  expect(await contextOf()).toEqual({ plan: "pro", items: "3" });
  await tell({});
  expect(await contextOf()).toEqual({});
  await tell({ plan: "pro" });
  await visitor.call("POST", "/reset");
  expect(await contextOf()).toEqual({});
});
