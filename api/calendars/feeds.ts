import { createHash } from "node:crypto";
import type Router from "@koa/router";
import type { Context } from "koa";
import { renderCalendarFile } from "../../core/calendars/calendar-file.ts";
import { notFound } from "../../core/errors.ts";
import { linkToken } from "../../core/model/booking-link.ts";
import { findFeed, readFeed } from "../../core/services/booking/calendar-feeds.ts";
import { oneStatement, snapshot, systemOf } from "../../db/transaction.ts";
import { countPage } from "../booking/limits.ts";
import type { Deps } from "../deps.ts";
import { readIp } from "../http/serve.ts";

const path = "/feeds/:file";

/**
 * Serves calendar feeds to the programs that subscribe to them. The token is the whole right to
 * read, so an unknown and a revoked one are answered alike.
 */
export function mountFeeds(deps: Deps, router: Router): void {
  router.get(path, async (ctx) => {
    // The token is as good as a password, so only the pattern is logged.
    ctx.state["route"] = path;
    countPage(deps.bookingLimits, readIp(ctx));
    await serveFeed(deps, ctx, String(ctx["params"]?.["file"] ?? ""));
  });
}

async function serveFeed(deps: Deps, ctx: Context, file: string): Promise<void> {
  const { dataSource, config } = deps;
  const token = file.replace(/\.ics$/u, "");
  if (token === file || !linkToken.test(token)) throw notFound("calendar_feed");
  const feed = await oneStatement(dataSource, systemOf(), (tx) => findFeed(tx, token));
  if (feed === null) throw notFound("calendar_feed");
  const content = await snapshot(dataSource, systemOf(feed.accountId), (tx) =>
    readFeed(tx, feed, config.publicUrl),
  );
  if (content === null) throw notFound("calendar_feed");
  const text = renderCalendarFile(content);
  const etag = `"${createHash("sha256").update(text).digest("base64url")}"`;
  ctx.set("ETag", etag);
  // A program may keep the file, if it asks each time whether it is still the same.
  ctx.set("Cache-Control", "private, no-cache");
  ctx.set("X-Robots-Tag", "noindex");
  const known = ctx.get("if-none-match").split(/\s*,\s*/u);
  if (known.some((one) => one.replace(/^W\//u, "") === etag)) {
    ctx.status = 304;
    return;
  }
  ctx.type = "text/calendar; charset=utf-8";
  ctx.attachment("calendar.ics", { type: "inline" });
  ctx.body = text;
}
