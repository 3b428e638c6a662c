import Koa from "koa";
import { expect, test } from "vitest";
import { AppError } from "../../../core/errors.ts";
import { listen } from "../../../api/http/listen.ts";
import { authenticateVisit } from "../../../api/widget/visit-auth.ts";
import { callApi } from "../../support/api.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { createTestWidget, insertSession } from "./widget-fixture.ts";

const fixture = useFixture(async () => {
  const api = await startApiFixture();
  const app = new Koa();
  app.use(async (ctx) => {
    try {
      ctx.body = await authenticateVisit(api.api.deps, ctx);
    } catch (error) {
      ctx.status = 400;
      ctx.body = { code: error instanceof AppError ? error.code : String(error) };
    }
  });
  const listening = await listen(app, "127.0.0.1", 0);
  const ask = async (headers: Record<string, string>) =>
    await callApi(`http://127.0.0.1:${listening.port}`, "GET", "/", { headers });
  const stop = async () => await Promise.all([listening.stop(), api.stop()]).then(() => {});
  return { ...api, ask, stop };
});

const codeOf = async (headers: Record<string, string>) => (await fixture.ask(headers)).json.code;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test("a token names its session until its end", async () => {
  const widget = await createTestWidget(fixture);
  const token = await insertSession(fixture, widget);
  expect((await fixture.ask(bearer(token))).json).toMatchObject({
    accountId: widget.account.accountId,
    widgetId: widget.widgetId,
    channelAccountId: widget.channelAccountId,
    contactId: null,
    conversationId: null,
    locale: "en",
  });
  const past = await insertSession(fixture, widget, new Date(Date.now() - 1));
  for (const one of [past, "", "x", "0".repeat(43), `${token}0`]) {
    expect([one, await codeOf(bearer(one))]).toEqual([one, "session_expired"]);
  }
  expect(await codeOf({})).toBe("session_expired");
  await fixture.query("UPDATE widget_sessions SET ended_at = NOW(3) WHERE widget_id = ?", [
    widget.widgetId,
  ]);
  expect(await codeOf(bearer(token))).toBe("session_expired");
});

test("a token ends with its widget, and while the account is disabled", async () => {
  for (const [table, column, of] of [
    ["widgets", "deleted_at", "widgetId"],
    ["accounts", "disabled_at", "accountId"],
  ] as const) {
    const widget = await createTestWidget(fixture);
    const token = await insertSession(fixture, widget);
    const id = of === "widgetId" ? widget.widgetId : widget.account.accountId;
    await fixture.query(`UPDATE ${table} SET ${column} = NOW(3) WHERE id = ?`, [id]);
    expect(await codeOf(bearer(token))).toBe("session_expired");
  }
});

test("a page of another origin is refused, with any token", async () => {
  const token = await insertSession(fixture, await createTestWidget(fixture));
  const { publicUrl } = fixture.api.deps.config;
  const foreign: Record<string, string>[] = [
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "cross-site", origin: publicUrl },
  ];
  for (const header of foreign) {
    expect(await codeOf(Object.assign(bearer(token), header))).toBe("origin_not_allowed");
  }
  const own = Object.assign(bearer(token), { origin: publicUrl, "sec-fetch-site": "same-origin" });
  expect((await fixture.ask(own)).json.widgetId).toBeGreaterThan(0);
});
