import type Router from "@koa/router";
import type { Context } from "koa";
import { AppError } from "../../core/errors.ts";
import { googlePushPath } from "../../core/model/calendar.ts";
import { networkOf } from "../../core/network.ts";
import { hashToken } from "../../core/secrets.ts";
import {
  findAnnounced,
  recordAnnouncement,
} from "../../core/services/calendars/calendar-channels.ts";
import { oneStatement, systemOf, transaction } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { newDeadline } from "../http/deadline.ts";
import { requireTokens } from "../http/rate-limit.ts";
import { readIp } from "../http/serve.ts";

/**
 * Takes Google's announcements that a calendar has changed. They have no body: channel and token are
 * headers. The answer goes out once the request for a reading is stored. Does not use `route()`,
 * because the call has no principal.
 */
export function mountGooglePushes(deps: Deps, router: Router): void {
  router.post(googlePushPath, async (ctx) => {
    ctx.state["route"] = googlePushPath;
    await takeAnnouncement(deps, ctx);
    ctx.status = 204;
  });
}

/** @throws AppError `endpoint_not_found`, `rate_limited` */
async function takeAnnouncement({ dataSource, limitUnsignedCaller }: Deps, ctx: Context) {
  const channelId = ctx.get("x-goog-channel-id");
  const state = ctx.get("x-goog-resource-state");
  const tokenHash = hashToken(ctx.get("x-goog-channel-token"));
  const found = await oneStatement(dataSource, systemOf(), (tx) =>
    findAnnounced(tx, { channelId: channelId.slice(0, 64), tokenHash, state }),
  );
  if (found === null) {
    requireTokens(limitUnsignedCaller, `google ${networkOf(readIp(ctx))}`);
    throw new AppError("endpoint_not_found");
  }
  if (state === "sync") return;
  const options = { ...systemOf(found.accountId), deadline: newDeadline() };
  await transaction(dataSource, options, (tx) => recordAnnouncement(tx, found.linkId));
}
