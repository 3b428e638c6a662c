// Workflow code runs this file, so it imports nothing.

const dayMs = 86_400_000;

/**
 * For how many milliseconds a row is kept, counted from the moment that ages it, in the order in which
 * a purge goes: attempts before their deliveries, deliveries before their events. A new kind goes to
 * the end, so that a purge under way finds it there. Attempts, deliveries and events: product, Log; the
 * others our choice.
 */
export const retentionMs = {
  /** From their start, once their delivery is over. */
  delivery_attempts: 30 * dayMs,
  /** From their end: one that is open or held is kept for as long as it is. */
  deliveries: 90 * dayMs,
  /** From when they happened, once no delivery of theirs is left. */
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
  /** With who has read them. */
  notifications: 90 * dayMs,
  /** From a worker's last sign of life. */
  worker_heartbeats: 7 * dayMs,
  /** From the end of their overlap; the one that signs has none. */
  subscription_secrets: 30 * dayMs,
  inbound_endpoint_secrets: 30 * dayMs,
  /** A year, and a month to look back on it. */
  audit_log: 400 * dayMs,
  mails: 30 * dayMs,
} as const;

/** What a purge deletes from, by its table. Live changes see to themselves: the API purges them as it goes. */
export type RetentionKind = keyof typeof retentionMs;

/** Where a purge goes on. */
export type PurgeInput = {
  kind: RetentionKind;
  /** What an earlier step has looked at; null at first. */
  after: string | null;
};

/** How far a purge has come. */
export type PurgeProgress = {
  deleted: number;
  /** Where to go on; null when nothing old is left. */
  after: string | null;
};

/** Steps of one kind in one run: the rest of a long backlog is the next run's. */
export const maxPurgeSteps = 10;
