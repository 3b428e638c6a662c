import { In } from "typeorm";
import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { isMetaDriver } from "../../model/channels.ts";
import { ChannelAccountToken } from "../../../db/entities/channel-app.ts";
import type { Tx } from "../../../db/transaction.ts";
import { neededFields } from "../../channels/meta/webhook-fields.ts";
import { getOwned } from "../sql.ts";
import { readSeenFields, seenKey } from "./app-fields.ts";
import { readIntakeCounts, readTraffic } from "./channel-traffic.ts";

/** A channel with its token's facts and its traffic. */
export interface ChannelWithHealth {
  row: ChannelAccount;
  token: { scopes: string[] | null; expiresAt: Date | null } | null;
  fields: { field: string; seenAt: Date | null }[];
  lastWebhookAt: Date | null;
  lastSentAt: Date | null;
  lagP95Ms: number | null;
  parked: number;
  unrouted: number;
  held: number;
  failures: { code: string; count: number }[];
}

/** The account's channels of every kind with their health, oldest first. */
export async function listChannelHealth(tx: Tx): Promise<ChannelWithHealth[]> {
  const { accountId } = tx.actor;
  const rows = await tx.manager.find(ChannelAccount, {
    where: { accountId },
    order: { id: "ASC" },
  });
  return await withHealth(tx, rows);
}

/** One channel with its health. @throws AppError `channel_account_not_found` */
export async function getChannelHealth(tx: Tx, id: number): Promise<ChannelWithHealth> {
  const row = await getOwned(tx, ChannelAccount, "channel_account", { id });
  const [channel] = await withHealth(tx, [row]);
  return channel as ChannelWithHealth;
}

async function withHealth(tx: Tx, rows: ChannelAccount[]): Promise<ChannelWithHealth[]> {
  const { accountId } = tx.actor;
  const ids = rows.map(({ id }) => id);
  const tokens = await tx.manager.findBy(ChannelAccountToken, {
    accountId,
    channelAccountId: In(ids),
  });
  const apps = rows.flatMap(({ channelAppId }) => (channelAppId === null ? [] : [channelAppId]));
  const seen = await readSeenFields(tx, [...new Set(apps)]);
  const counts = await readIntakeCounts(tx);
  const traffic = await readTraffic(tx, rows);
  return rows.map((row) => {
    const { id, driver, channelAppId, externalId } = row;
    const token = tokens.find(({ channelAccountId }) => channelAccountId === id);
    const arrived = seen.get(seenKey(channelAppId ?? 0, externalId));
    const needed = isMetaDriver(driver) ? neededFields(driver, row.health?.facts ?? null) : [];
    const newest = Math.max(0, ...[...(arrived?.values() ?? [])].map((at) => at.getTime()));
    return {
      row,
      token: token === undefined ? null : { scopes: token.scopes, expiresAt: token.expiresAt },
      fields: needed.map((field) => ({ field, seenAt: arrived?.get(field) ?? null })),
      lastWebhookAt: newest === 0 ? null : new Date(newest),
      parked: counts.parked.get(id) ?? 0,
      unrouted: counts.unrouted.get(seenKey(channelAppId ?? 0, externalId)) ?? 0,
      held: counts.held.get(id) ?? 0,
      lagP95Ms: counts.lagP95Ms.get(id) ?? null,
      ...(traffic.get(id) ?? { lastSentAt: null, failures: [] }),
    };
  });
}
