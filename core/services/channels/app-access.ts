import type { ChannelSecretKind } from "../../../db/entities/channel-app.ts";
import { ChannelApp } from "../../../db/entities/channel-app.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { MetaDriver } from "../../model/channels.ts";
import type { SecretBox } from "../../secrets.ts";
import { getOwned } from "../sql.ts";
import { channelAppContext } from "./channel-apps.ts";

/** An app with its current secrets in plain text. Keep it in memory for one call only. */
export interface AppAccess {
  id: number;
  /** Meta's id. */
  appId: string;
  slug: string;
  appSecret: string;
  /** Null: Instagram Login signs with the secret of the app. */
  instagramSecret: string | null;
  verifyToken: string;
}

/** Opens the secrets of an app. @throws AppError `channel_app_not_found` */
export async function openAppAccess(tx: Tx, secretBox: SecretBox, id: number): Promise<AppAccess> {
  const row = await getOwned(tx, ChannelApp, "channel_app", { id });
  const [access] = await openApps(tx, secretBox, [row]);
  return access as AppAccess;
}

/** Opens the secrets of apps, in their order. */
export async function openApps(
  tx: Tx,
  secretBox: SecretBox,
  apps: readonly ChannelApp[],
): Promise<AppAccess[]> {
  const { accountId } = tx.actor;
  const rows = await tx.manager.query<
    { channelAppId: number; kind: ChannelSecretKind; sealed: string }[]
  >(
    `SELECT s.channel_app_id AS channelAppId, s.kind, s.sealed
       FROM channel_apps p JOIN channel_app_secrets s ON s.channel_app_id = p.id
      WHERE p.account_id = ? AND s.valid_until IS NULL ORDER BY s.id DESC`,
    [accountId],
  );
  const open = (id: number, kind: ChannelSecretKind): string | null => {
    const row = rows.find((one) => Number(one.channelAppId) === id && one.kind === kind);
    return row === undefined ? null : secretBox.open(row.sealed, channelAppContext(accountId, id));
  };
  return apps.map(({ id, appId, slug }) => ({
    id,
    appId,
    slug,
    appSecret: open(id, "app") ?? "",
    instagramSecret: open(id, "instagram"),
    verifyToken: open(id, "verify") ?? "",
  }));
}

/** The secret that proves the calls of a channel. */
export function proofSecretOf(
  { appSecret, instagramSecret }: Pick<AppAccess, "appSecret" | "instagramSecret">,
  driver: MetaDriver,
): string {
  return driver === "instagram_login" ? (instagramSecret ?? appSecret) : appSecret;
}

/** The URL of an app at this installation, for Meta's webhooks. */
export function callbackUrlOf(publicUrl: string, slug: string): string {
  return `${publicUrl}/api/channels/meta/${slug}`;
}
