import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { ChannelCondition, CheckFindings } from "../../model/channel-checks.ts";
import type {
  ChannelAccountBody,
  ChannelAccountChangeBody,
  ChannelCheckDetails,
} from "../../model/channel-setup.ts";
import { nextSteps } from "../../model/channel-reasons.ts";
import { channelOfDriver, isMetaDriver, type RestChannel } from "../../model/channels.ts";
import type { SecretBox } from "../../secrets.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { requestTemplateSync } from "../templates/template-syncs.ts";
import { recordChange } from "../outbox/changes.ts";
import { getOwned, insertOrLose, insertRow, lockOwned, lockOwnedIfThere } from "../sql.ts";
import { lockChannelApp } from "./channel-apps.ts";
import { routeItems } from "./channel-items.ts";
import { changeChannelState, checkEveryMs, repeatMs, storeColumns } from "./channel-state.ts";
import { storeToken } from "./channel-tokens.ts";

const audit = auditOf("channel_account");

/** A channel to connect, as its check has found it. */
export interface NewChannel {
  body: ChannelAccountBody;
  /** Meta's id of the number, Page or Instagram account. */
  externalId: string;
  /** Null: the network did not answer, and the check is repeated. */
  findings: CheckFindings | null;
}

const unverified: ChannelCondition = { state: "degraded", reason: "unverified" };

/**
 * Connects a number, Page or Instagram account to an app of the account, and replays the items that
 * waited for it. A known one gets the new token, and belongs to this app from now on.
 * @throws AppError `channel_app_not_found`, `channel_account_not_found`, `channel_mismatch` where
 * the body names a channel account of another number or Page
 */
export async function connectChannelAccount(
  tx: Tx,
  secretBox: SecretBox,
  channel: NewChannel,
): Promise<ChannelAccount> {
  // The lock keeps webhooks of the app from being split before the new route is known.
  const app = await lockChannelApp(tx, channel.body.channel_app_id);
  const { body, externalId, findings } = channel;
  const { driver } = body;
  const known = await findKnown(tx, channel);
  const row = known ?? (await insertChannelAccount(tx, channel));
  await changeChannelState(tx, row, findings?.condition ?? unverified);
  await storeColumns(tx, row, {
    driver,
    channelAppId: app.id,
    parentId: body.parent_id ?? row.parentId,
    name: body.name ?? nameOf(row, findings),
    botDefault: body.bot_default ?? row.botDefault,
    doubtedAt: null,
    checkAt: new Date(tx.now.getTime() + (findings === null ? repeatMs : checkEveryMs)),
    // A check that began before finds another version, so its findings are void.
    version: row.version + 1,
    ...(findings?.inspection && {
      checkedAt: tx.now,
      portfolioId: findings.inspection.portfolioId,
      health: { facts: findings.inspection.facts, providerMessage: findings.providerMessage },
    }),
  });
  const { token } = body;
  const facts = findings?.inspection ?? { token, scopes: null, expiresAt: null };
  await storeToken(tx, secretBox, row.id, facts);
  await routeItems(tx, row);
  await requestTemplateSync(tx, row.id);
  const details = { driver, external_id: externalId, channel_app_id: app.id };
  await recordAudit(tx, audit(known === null ? "created" : "reconnected", row.id, details));
  await recordChange(tx, { kind: "channel.updated" });
  return row;
}

/**
 * Adds the channel account of a widget, which needs no token and no check.
 * @param externalId the widget's public key
 */
export async function insertWebChannel(
  tx: Tx,
  { externalId, name, botDefault }: Pick<ChannelAccount, "externalId" | "name" | "botDefault">,
): Promise<ChannelAccount> {
  const row = await insertRowOf(tx, {
    channel: "web",
    externalId,
    driver: "web",
    channelAppId: null,
    parentId: null,
    name,
    botDefault,
    state: "connected",
    stateReason: null,
  });
  await recordAudit(tx, audit("created", row.id, { driver: row.driver, external_id: externalId }));
  await recordChange(tx, { kind: "channel.updated" });
  return row;
}

/** Changes the name of a channel, or who answers there. @throws AppError `channel_account_not_found` */
export async function changeChannelAccount(
  tx: Tx,
  id: number,
  {
    name,
    bot_default: botDefault,
    human_agent: humanAgent,
    marks_read: marksRead,
  }: ChannelAccountChangeBody,
): Promise<ChannelAccount> {
  const row = await lockOwned(tx, ChannelAccount, "channel_account", { id });
  const columns = {
    ...(name !== undefined && { name }),
    ...(botDefault !== undefined && { botDefault }),
    ...(humanAgent !== undefined && { humanAgent }),
    ...(marksRead !== undefined && { marksRead }),
  };
  const changed = Object.keys(columns);
  if (changed.length === 0) return row;
  await storeColumns(tx, row, { ...columns, version: row.version + 1 });
  await recordAudit(tx, audit("updated", id, { fields: changed }));
  await recordChange(tx, { kind: "channel.updated" });
  return row;
}

/**
 * Disconnects a channel: its token is deleted, and its webhooks are unrouted. Its conversations stay.
 * @param isUnsubscribed the network has taken the subscription back
 * @throws AppError `channel_account_not_found`, `channel_without_token` on a sandbox
 */
export async function disconnectChannelAccount(
  tx: Tx,
  id: number,
  isUnsubscribed: boolean,
): Promise<ChannelAccount> {
  const row = await lockOwned(tx, ChannelAccount, "channel_account", { id });
  if (!isMetaDriver(row.driver)) throw new AppError("channel_without_token");
  if (row.state === "disconnected") return row;
  await changeChannelState(tx, row, { state: "disconnected", reason: "disconnected_by_admin" });
  await storeColumns(tx, row, { checkAt: null, doubtedAt: null });
  await tx.manager.query(
    "DELETE FROM channel_account_tokens WHERE account_id = ? AND channel_account_id = ?",
    [tx.actor.accountId, id],
  );
  await recordAudit(tx, audit("disconnected", id, { unsubscribed: isUnsubscribed }));
  return row;
}

/**
 * Channels of the same app that need the same subscription as this one: other numbers of the
 * business account, or Messenger and Instagram of one Page. While one lives, it must stay.
 */
async function hasSubscriptionMates(tx: Tx, row: ChannelAccount): Promise<boolean> {
  if (row.driver === "instagram_login") return false;
  const subscribed = row.driver === "messenger" ? row.externalId : row.parentId;
  const mates = await tx.manager.query<unknown[]>(
    `SELECT 1 FROM channel_accounts
      WHERE account_id = ? AND channel_app_id = ? AND id <> ? AND state <> 'disconnected'
        AND driver <> 'instagram_login' AND IF(driver = 'messenger', external_id, parent_id) = ? LIMIT 1`,
    [tx.actor.accountId, row.channelAppId, row.id, subscribed],
  );
  return mates.length > 0;
}

/**
 * The channel account that a body names for a new token.
 * @returns null where it names none
 * @throws AppError `channel_account_not_found`, `channel_mismatch`
 */
export async function readKnownChannel(
  tx: Tx,
  { driver, channel_account_id: id, external_id: externalId }: ChannelAccountBody,
): Promise<ChannelAccount | null> {
  if (id === undefined) return null;
  const row = await getOwned(tx, ChannelAccount, "channel_account", { id });
  const isSame = externalId === undefined || externalId === row.externalId;
  if (row.channel === channelOfDriver[driver] && isSame) return row;
  throw mismatch();
}

/**
 * The subscription to end before a channel is disconnected.
 * @returns null where others need the subscription, or there is none
 * @throws AppError `channel_account_not_found`, `channel_without_token` on a sandbox
 */
export async function readDisconnection<T>(
  tx: Tx,
  id: number,
  readChannel: () => Promise<T | null>,
): Promise<T | null> {
  const row = await getOwned(tx, ChannelAccount, "channel_account", { id });
  if (!isMetaDriver(row.driver)) throw new AppError("channel_without_token");
  return (await hasSubscriptionMates(tx, row)) ? null : await readChannel();
}

/** Ids of the account's numbers or Pages on a channel, by Meta's ids. */
export async function listChannelIds(tx: Tx, channel: RestChannel): Promise<Map<string, number>> {
  const { accountId } = tx.actor;
  const rows = await tx.manager.findBy(ChannelAccount, { accountId, channel });
  return new Map(rows.map(({ id, externalId }) => [externalId, id]));
}

function mismatch(): AppError {
  const details: ChannelCheckDetails = {
    step: "account",
    reason: "other_account",
    missing_scopes: [],
    provider_code: null,
    provider_message: null,
    next_step: nextSteps.other_account,
  };
  return new AppError("channel_mismatch", { details: { ...details } });
}

async function findKnown(tx: Tx, { body, externalId }: NewChannel): Promise<ChannelAccount | null> {
  const channel = channelOfDriver[body.driver];
  const { channel_account_id: id } = body;
  if (id === undefined) {
    return await lockOwnedIfThere(tx, ChannelAccount, { channel, externalId });
  }
  const row = await lockOwned(tx, ChannelAccount, "channel_account", { id });
  if (row.channel === channel && row.externalId === externalId) return row;
  throw mismatch();
}

/** A name that a person has given stays. */
function nameOf(row: ChannelAccount, findings: CheckFindings | null): string {
  const isOurs = row.name === row.externalId;
  return isOurs ? (findings?.inspection?.name ?? row.name) : row.name;
}

async function insertChannelAccount(
  tx: Tx,
  { body, externalId, findings }: NewChannel,
): Promise<ChannelAccount> {
  const condition = findings?.condition ?? unverified;
  return await insertRowOf(tx, {
    channel: channelOfDriver[body.driver],
    externalId,
    driver: body.driver,
    channelAppId: body.channel_app_id,
    parentId: body.parent_id ?? null,
    name: externalId,
    botDefault: true,
    state: condition.state,
    stateReason: condition.reason,
  });
}

type FirstColumns = Pick<
  ChannelAccount,
  | "channel"
  | "externalId"
  | "driver"
  | "channelAppId"
  | "parentId"
  | "name"
  | "botDefault"
  | "state"
  | "stateReason"
>;

async function insertRowOf(tx: Tx, columns: FirstColumns): Promise<ChannelAccount> {
  const row = tx.manager.create(ChannelAccount, {
    ...columns,
    accountId: tx.actor.accountId,
    portfolioId: null,
    humanAgent: false,
    marksRead: true,
    heldSince: null,
    stateAt: null,
    health: null,
    checkedAt: null,
    checkAt: null,
    doubtedAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
  });
  row.id = await insertOrLose(() => insertRow(tx, ChannelAccount, row));
  return row;
}
