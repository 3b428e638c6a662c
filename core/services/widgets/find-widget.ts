import type { EntityManager } from "typeorm";
import type { ChannelState } from "../../model/channels.ts";
import { widgetSettings, type IdentityMode, type WidgetSettings } from "../../model/widget.ts";
import type { WidgetConfig } from "../../model/widget-visit.ts";

/** A widget that is not deleted, of an account that is not disabled. */
export interface LiveWidget {
  id: number;
  accountId: number;
  channelAccountId: number;
  key: string;
  /** Name of the account. */
  company: string;
  /** Time zone of the account, for opening hours. */
  timeZone: string;
  allowedOrigins: string[];
  settings: WidgetSettings;
  identityMode: IdentityMode;
  /** PEM of the ES256 key that signs identities; null: a secret signs them. */
  identityPublicKey: string | null;
  /** False while the channel is disconnected: visitors read, and cannot write. */
  isOpen: boolean;
}

type Row = Omit<LiveWidget, "settings" | "isOpen"> & { settings: unknown; state: ChannelState };

const columns = `w.id, w.account_id AS accountId, w.channel_account_id AS channelAccountId,
  w.public_key AS \`key\`, a.name AS company, a.time_zone AS timeZone,
  w.allowed_origins AS allowedOrigins, w.settings, w.identity_mode AS identityMode,
  w.identity_public_key AS identityPublicKey, c.state
  FROM widgets w
  JOIN accounts a ON a.id = w.account_id AND a.disabled_at IS NULL
  JOIN channel_accounts c ON c.id = w.channel_account_id`;

/** The widget with a public key, or null. The one statement takes no lock. */
export async function findWidgetByKey(
  manager: EntityManager,
  key: string,
): Promise<LiveWidget | null> {
  const sql = `SELECT ${columns} WHERE w.public_key = ? AND w.deleted_at IS NULL`;
  return widgetOf(await manager.query<Row[]>(sql, [key]));
}

/** The widget with an id, or null. */
export async function findLiveWidget(
  manager: EntityManager,
  id: number,
): Promise<LiveWidget | null> {
  const sql = `SELECT ${columns} WHERE w.id = ? AND w.deleted_at IS NULL`;
  return widgetOf(await manager.query<Row[]>(sql, [id]));
}

function widgetOf([row]: Row[]): LiveWidget | null {
  if (row === undefined) return null;
  const { state, settings, ...rest } = row;
  // Settings that were stored before a field existed get its default.
  return { ...rest, settings: widgetSettings.parse(settings), isOpen: state !== "disconnected" };
}

/** Settings that loader and panel get. @param origin origin of the panel's frame */
export function readWidgetConfig(widget: LiveWidget, origin: string): WidgetConfig {
  const { key, company, identityMode, settings } = widget;
  return { key, origin, company, identity_mode: identityMode, settings };
}
