import { createPublicKey } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { In, IsNull } from "typeorm";
import { BookingLink, BookingSlug } from "../../../db/entities/booking-link.ts";
import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { Widget } from "../../../db/entities/widget.ts";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField } from "../../errors.ts";
import type { WidgetBody, WidgetChangeBody } from "../../model/widget.ts";
import { randomBase62, type SecretBox } from "../../secrets.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { requireRoom } from "../accounts/require-room.ts";
import { changeChannelAccount, insertWebChannel } from "../channels/channel-accounts.ts";
import { changeChannelState } from "../channels/channel-state.ts";
import { recordChange } from "../outbox/changes.ts";
import { getOwned, insertRow, lockOwned } from "../sql.ts";
import { deleteWidgetSecrets, insertWidgetSecret, replaceWidgetSecret } from "./widget-secrets.ts";

/** Maximum number of widgets of an account, without deleted ones. */
export const maxWidgets = 20;
const limit = {
  max: maxWidgets,
  code: "too_many_widgets",
  message: `An account has at most ${maxWidgets} widgets. Delete one first.`,
};
const keyLength = 26;
const audit = auditOf("widget");

/** A widget with its channel account, which has its name. */
export interface WidgetWithChannel {
  row: Widget;
  channel: ChannelAccount;
}

/** The account's widgets, oldest first. */
export async function listWidgets(tx: Tx): Promise<WidgetWithChannel[]> {
  const { accountId } = tx.actor;
  const rows = await tx.manager.find(Widget, {
    where: { accountId, deletedAt: IsNull() },
    order: { id: "ASC" },
  });
  const ids = rows.map(({ channelAccountId }) => channelAccountId);
  const channels = await tx.manager.findBy(ChannelAccount, { accountId, id: In(ids) });
  return rows.flatMap((row) => {
    const channel = channels.find(({ id }) => id === row.channelAccountId);
    return channel === undefined ? [] : [{ row, channel }];
  });
}

/** One widget. @throws AppError `widget_not_found` */
export async function getWidget(tx: Tx, id: number): Promise<WidgetWithChannel> {
  const row = await getOwned(tx, Widget, "widget", { id, deletedAt: IsNull() });
  return await withChannel(tx, row);
}

/**
 * Creates a widget with a channel account and a secret of its own.
 * @returns the widget, and the secret that signs identities, which is shown this once
 * @throws AppError `validation_error` above 20 widgets, and for an unknown booking link
 */
export async function createWidget(
  tx: Tx,
  secretBox: SecretBox,
  body: WidgetBody,
): Promise<WidgetWithChannel & { secret: string }> {
  await requireRoom(tx, Widget, { deletedAt: IsNull() }, limit);
  await requireBookingLink(tx, body.settings.booking_slug);
  const publicKey = randomBase62(keyLength);
  const { name, bot_default: botDefault } = body;
  const channel = await insertWebChannel(tx, { externalId: publicKey, name, botDefault });
  const row = tx.manager.create(Widget, {
    accountId: tx.actor.accountId,
    channelAccountId: channel.id,
    publicKey,
    allowedOrigins: body.allowed_origins,
    settings: body.settings,
    identityMode: body.identity_mode,
    identityPublicKey: null,
    seenAt: null,
    seenOn: null,
    deletedAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 1,
  });
  row.id = await insertRow(tx, Widget, row);
  const secret = await insertWidgetSecret(tx, secretBox, row.id);
  await recordAudit(tx, audit("created", row.id, { name, channel_account_id: channel.id }));
  return { row, channel, secret };
}

/**
 * Changes the fields that are sent, from the next page view on. Equal values change nothing.
 * @throws AppError `widget_not_found`; `validation_error` for an unknown booking link or for a key
 *   that is no public key of ES256
 */
export async function updateWidget(
  tx: Tx,
  id: number,
  patch: WidgetChangeBody,
): Promise<WidgetWithChannel> {
  const row = await lockWidget(tx, id);
  const { allowedOrigins, settings, identityMode, identityPublicKey } = row;
  const before = { allowedOrigins, settings, identityMode, identityPublicKey };
  const after = {
    allowedOrigins: patch.allowed_origins ?? allowedOrigins,
    settings: patch.settings ?? settings,
    identityMode: patch.identity_mode ?? identityMode,
    identityPublicKey: readPublicKey(patch.identity_public_key, identityPublicKey),
  };
  const slug = after.settings.booking_slug;
  if (slug !== settings.booking_slug) await requireBookingLink(tx, slug);
  if (!isDeepStrictEqual(after, before)) {
    const changed = { ...after, updatedAt: tx.now, version: row.version + 1 };
    await tx.manager.update(Widget, { id, accountId: tx.actor.accountId }, changed);
    Object.assign(row, changed);
    await recordAudit(tx, audit("updated", id, { fields: Object.keys(patch).toSorted() }));
    await recordChange(tx, { kind: "channel.updated" });
  }
  await renameChannel(tx, row, patch);
  return await withChannel(tx, row);
}

/** Name, and who answers first, belong to the channel account. */
async function renameChannel(
  tx: Tx,
  row: Widget,
  { name, bot_default }: WidgetChangeBody,
): Promise<void> {
  const { channel } = await withChannel(tx, row);
  await changeChannelAccount(tx, channel.id, {
    ...(name !== undefined && name !== channel.name && { name }),
    ...(bot_default !== undefined && bot_default !== channel.botDefault && { bot_default }),
  });
}

/**
 * Deletes a widget: sites no longer show it, its sessions end, and no secret is left. Its channel
 * is disconnected, and its conversations stay.
 * @throws AppError `widget_not_found`
 */
export async function deleteWidget(tx: Tx, id: number): Promise<void> {
  const row = await lockWidget(tx, id);
  const { accountId } = tx.actor;
  const deleted = { deletedAt: tx.now, updatedAt: tx.now, version: row.version + 1 };
  await tx.manager.update(Widget, { id, accountId }, deleted);
  await deleteWidgetSecrets(tx, id);
  const where = { id: row.channelAccountId };
  const channel = await lockOwned(tx, ChannelAccount, "channel_account", where);
  await changeChannelState(tx, channel, { state: "disconnected", reason: "disconnected_by_admin" });
  await recordAudit(tx, audit("deleted", id, { name: channel.name }));
  await recordChange(tx, { kind: "widget.deleted" });
}

/**
 * Gives a widget a new secret. The one before stays valid for 24 hours, older ones end at once.
 * @returns the widget, and the secret, which is shown this once
 * @throws AppError `widget_not_found`
 */
export async function renewWidgetSecret(
  tx: Tx,
  secretBox: SecretBox,
  id: number,
): Promise<WidgetWithChannel & { secret: string }> {
  const row = await lockWidget(tx, id);
  const secret = await replaceWidgetSecret(tx, secretBox, id);
  await recordAudit(tx, audit("secret_rotated", id, {}));
  await recordChange(tx, { kind: "channel.updated" });
  return { ...(await withChannel(tx, row)), secret };
}

async function requireBookingLink(tx: Tx, slug: string | null): Promise<void> {
  if (slug === null) return;
  const { accountId } = tx.actor;
  const isKnown =
    (await tx.manager.existsBy(BookingLink, { accountId, slug, deletedAt: IsNull() })) ||
    (await tx.manager.existsBy(BookingSlug, { accountId, slug }));
  if (isKnown) return;
  const message = "Name a booking link of this account, or none.";
  throw invalidField("body.settings.booking_slug", "unknown_booking_link", message);
}

/** @returns the key in PEM as it is stored; the current one where none was sent */
function readPublicKey(pem: string | null | undefined, current: string | null): string | null {
  if (pem === undefined) return current;
  if (pem === null || pem === "") return null;
  // Node would read the public half of a private key. The private half must not travel to us.
  const key = pem.includes("PRIVATE KEY") ? null : parseKey(pem);
  const isP256 = key?.asymmetricKeyDetails?.namedCurve === "prime256v1";
  if (key !== null && isP256) return key.export({ type: "spki", format: "pem" }).toString().trim();
  const message = "Use the public key of ES256 in PEM: a key of the curve P-256.";
  throw invalidField("body.identity_public_key", "invalid_public_key", message);
}

function parseKey(pem: string) {
  try {
    return createPublicKey(pem);
  } catch {
    return null;
  }
}

async function withChannel(tx: Tx, row: Widget): Promise<WidgetWithChannel> {
  const where = { id: row.channelAccountId };
  return { row, channel: await getOwned(tx, ChannelAccount, "channel_account", where) };
}

async function lockWidget(tx: Tx, id: number): Promise<Widget> {
  return await lockOwned(tx, Widget, "widget", { id, deletedAt: IsNull() });
}
