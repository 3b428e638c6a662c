/** A visitor's session that was last used then. */
export function visitSessionRow(at: Date, visitorId: string, tokenHash: Buffer) {
  return {
    account_id: 1,
    widget_id: 1,
    channel_account_id: 1,
    visitor_id: visitorId,
    token_hash: tokenHash,
    expires_at: at,
    locale: "en",
    last_seen_at: at,
  };
}

/** An entry of the audit log. */
export function auditRow(at: Date) {
  return {
    account_id: 1,
    actor_type: "user",
    action: "subscription.paused",
    target_type: "subscription",
    created_at: at,
  };
}

/** A webhook of Calendly that was applied. */
export function calendlyRequestRow(at: Date, hash: Buffer) {
  return { account_id: 1, connection_id: 1, hash, state: "applied", received_at: at };
}
