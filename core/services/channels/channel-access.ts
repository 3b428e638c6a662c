import type { MetaDriver } from "../../model/channels.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { SecretBox } from "../../secrets.ts";
import { channelTokenContext } from "./channel-tokens.ts";
import { channelAppContext } from "./channel-apps.ts";

/** Credentials of a channel account in plain text. Keep them in memory for one call only. */
export interface ChannelAccess {
  token: string;
  /** Secret that proves calls: the one of Instagram Login where the app has it, else the app's. */
  appSecret: string;
}

interface AccessRow {
  driver: MetaDriver;
  channelAppId: number;
  sealedToken: string;
  kind: "app" | "instagram";
  sealedSecret: string;
}

/**
 * Opens the token of a channel account and the newest secret of its app.
 * @returns null where the channel has no token or no app: a sandbox, or a disconnected channel
 */
export async function openChannelAccess(
  tx: Tx,
  secretBox: SecretBox,
  channelAccountId: number,
): Promise<ChannelAccess | null> {
  const { accountId } = tx.actor;
  const rows = await tx.manager.query<AccessRow[]>(
    `SELECT c.driver, c.channel_app_id AS channelAppId, t.sealed AS sealedToken, s.kind,
            s.sealed AS sealedSecret
       FROM channel_accounts c
       JOIN channel_account_tokens t ON t.channel_account_id = c.id
       JOIN channel_app_secrets s ON s.channel_app_id = c.channel_app_id
      WHERE c.id = ? AND c.account_id = ? AND s.kind <> 'verify' AND s.valid_until IS NULL
      ORDER BY s.id DESC`,
    [channelAccountId, accountId],
  );
  const row = rows.find(({ driver, kind }) => signs(driver, kind)) ?? rows[0];
  if (row === undefined) return null;
  return {
    token: secretBox.open(row.sealedToken, channelTokenContext(accountId, channelAccountId)),
    appSecret: secretBox.open(
      row.sealedSecret,
      channelAppContext(accountId, Number(row.channelAppId)),
    ),
  };
}

function signs(driver: MetaDriver, kind: AccessRow["kind"]): boolean {
  return kind === (driver === "instagram_login" ? "instagram" : "app");
}
