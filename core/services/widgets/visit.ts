import type { EntityManager } from "typeorm";
import type { WidgetLocale } from "../../model/widget.ts";

/** A visitor's session, as every call and stream of the widget knows it. */
export interface Visit {
  sessionId: number;
  accountId: number;
  widgetId: number;
  channelAccountId: number;
  /** The visitor's id on the channel: `v_` or `u_` and the rest. */
  visitorId: string;
  /** Both null until the first message. */
  contactId: number | null;
  conversationId: number | null;
  locale: WidgetLocale;
  expiresAt: Date;
  /** SHA-256 of the bearer token. */
  tokenHash: Buffer;
}

/**
 * The session behind a bearer token. Null if the token is unknown or expired, the session has
 * ended, the widget was deleted, or its account is disabled.
 */
export async function findVisitByToken(
  manager: EntityManager,
  tokenHash: Buffer,
  now: Date,
): Promise<Visit | null> {
  const [row] = await manager.query<Omit<Visit, "tokenHash">[]>(
    `SELECT s.id AS sessionId, s.account_id AS accountId, s.widget_id AS widgetId,
            s.channel_account_id AS channelAccountId, s.visitor_id AS visitorId,
            s.contact_id AS contactId, s.conversation_id AS conversationId, s.locale,
            s.expires_at AS expiresAt
       FROM widget_sessions s
       JOIN widgets w ON w.id = s.widget_id AND w.deleted_at IS NULL
       JOIN accounts a ON a.id = s.account_id AND a.disabled_at IS NULL
      WHERE s.token_hash = ? AND s.expires_at > ? AND s.ended_at IS NULL`,
    [tokenHash, now],
  );
  return row === undefined ? null : { ...row, tokenHash };
}
