// Workflow code runs this file, so it imports nothing.

const dayMs = 86_400_000;

/**
 * Time that a row is kept, in milliseconds from the moment that ages it. A purge goes in this
 * order: attempts before their deliveries, deliveries before their events. Add a new kind at the
 * end, so that a purge under way finds it there.
 */
export const retentionMs = {
  /** From their start, once their delivery is finished. */
  delivery_attempts: 30 * dayMs,
  /** From their end. Open and held deliveries are kept. */
  deliveries: 90 * dayMs,
  /** From `occurred_at`, once the event has no delivery left. */
  events: 90 * dayMs,
  inbound_requests: 30 * dayMs,
  /** As long as a repeated event id gets the first answer. */
  inbound_events: dayMs,
  /** As long as a repeated key gets the first answer. */
  idempotency_keys: dayMs,
  /** From the login's end. */
  sessions: 30 * dayMs,
  /** From the link's end, used or not. */
  user_links: 30 * dayMs,
  /** With the marks of their readers. */
  notifications: 90 * dayMs,
  /** From a worker's last heartbeat. */
  worker_heartbeats: 7 * dayMs,
  /** From the end of their overlap. The secret that signs has no end. */
  subscription_secrets: 30 * dayMs,
  inbound_endpoint_secrets: 30 * dayMs,
  /** A year, and a month to look back on it. */
  audit_log: 400 * dayMs,
  mails: 30 * dayMs,
  /** Steps and calls hold what models wrote. The turn keeps the numbers. */
  agent_steps: 30 * dayMs,
  agent_tool_calls: 30 * dayMs,
  agent_turns: 400 * dayMs,
  knowledge_gaps: 400 * dayMs,
  agent_ratings: 400 * dayMs,
  agent_drafts: 30 * dayMs,
  channel_app_secrets: 30 * dayMs,
  /** From the time that the row itself names: its state decides. */
  channel_webhooks: 0,
  channel_items: 0,
  /** From the moment at which Meta's list lacked them. */
  channel_templates: 90 * dayMs,
  /** From the end of their overlap. */
  widget_secrets: 30 * dayMs,
  /** From a visitor's last visit: no secret resumes it any more. */
  widget_sessions: 90 * dayMs,
  /** As long as a repeated webhook of Calendly is known. Calendly repeats for a day. */
  calendly_requests: 30 * dayMs,
  /** From the end of the time that they blocked. */
  busy_blocks: 7 * dayMs,
  /** They live for one reading. An older one belongs to a calendar that was disconnected. */
  calendar_changes: dayMs,
  /** From the time that their import names: 30 days from its end. */
  import_rows: 0,
  /** From the upload, once the import has ended and its rows are gone. */
  imports: 90 * dayMs,
} as const;

/**
 * Tables that a purge deletes from. Live changes are missing here: the API purges them as it runs.
 */
export type RetentionKind = keyof typeof retentionMs;

/** Position of a purge. */
export type PurgeInput = {
  kind: RetentionKind;
  /** Cursor of the earlier step; null at first. */
  after: string | null;
};

/** Progress of a purge. */
export type PurgeProgress = {
  deleted: number;
  /** Cursor for the next step; null when no old rows are left. */
  after: string | null;
};

/** Maximum number of steps of one kind in one run. The next run continues a long backlog. */
export const maxPurgeSteps = 10;
