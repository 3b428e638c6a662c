/** Scopes of an API key. No scope includes another. Rule C7. */
export const scopes = [
  "conversations:read",
  "conversations:write",
  "bot:manage",
  "contacts:read",
  "contacts:write",
] as const;
export type Scope = (typeof scopes)[number];

/** Roles of a user in an account: admins configure the account, agents work the inbox. */
export const roles = ["admin", "agent"] as const;
export type Role = (typeof roles)[number];

/**
 * The actor of a change, and the account. `agent` is the AI agent; a person is a `user` of any
 * role.
 */
export type Principal =
  | { type: "api_key"; accountId: number; apiKeyId: number; scopes: readonly Scope[] }
  | { type: "user"; accountId: number; userId: number; role: Role }
  | { type: "agent"; accountId: number }
  | { type: "contact"; accountId: number }
  | { type: "inbound_endpoint"; accountId: number; endpointId: number }
  | { type: "import"; accountId: number }
  | { type: "calendar"; accountId: number }
  | { type: "system"; accountId: number };

/** Values of `source` in contact events. Rule C43. */
export const contactSources = ["conversation", "panel", "api", "agent"] as const;
export type ContactSource = (typeof contactSources)[number];

/**
 * The `source` of a contact event caused by this principal. Inbound endpoints and our own programs
 * count as `api`. Imports and calendars count as `panel`, since the Dashboard starts and connects them.
 */
export function contactSource(principal: Principal): ContactSource {
  switch (principal.type) {
    case "contact":
      return "conversation";
    case "user":
    case "import":
    case "calendar":
      return "panel";
    case "api_key":
    case "inbound_endpoint":
    case "system":
      return "api";
    case "agent":
      return "agent";
  }
}
