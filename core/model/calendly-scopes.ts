/** Permissions at Calendly that a connection needs. A `write` scope includes its `read` scope. */
export const calendlyScopes = [
  "users:read",
  "organizations:read",
  "event_types:read",
  "scheduled_events:write",
  "webhooks:write",
] as const;
export type CalendlyScope = (typeof calendlyScopes)[number];
