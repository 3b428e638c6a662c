/** Scopes of an API key. None implies another. Source: contract, Authentication. */
export const scopes = [
  "conversations:read",
  "conversations:write",
  "bot:manage",
  "contacts:read",
  "contacts:write",
] as const;
export type Scope = (typeof scopes)[number];

/** What each scope lets a key do, in one line for people. */
export const scopeSummaries: Readonly<Record<Scope, string>> = {
  "conversations:read": "List conversations and read them with their messages.",
  "conversations:write": "Open conversations, change their status and send messages.",
  "bot:manage": "Turn the AI agent on or off in a conversation.",
  "contacts:read": "List, search and read contacts.",
  "contacts:write": "Create contacts and change their name, phone and email.",
};

/** What a user may do in an account: admins configure it, agents work the inbox. Our choice. */
export const roles = ["admin", "agent"] as const;
export type Role = (typeof roles)[number];

/** Who acts, and in which account. `agent` is the AI agent; a person is a `user` of any role. */
export type Principal =
  | { type: "api_key"; accountId: number; apiKeyId: number; scopes: readonly Scope[] }
  | { type: "user"; accountId: number; userId: number; role: Role }
  | { type: "agent"; accountId: number }
  | { type: "contact"; accountId: number }
  | { type: "inbound_endpoint"; accountId: number; endpointId: number }
  | { type: "import"; accountId: number }
  | { type: "system"; accountId: number };

/** Values of `source` in contact events. Source: contract, Values of source. */
export const contactSources = ["conversation", "panel", "api", "agent"] as const;
export type ContactSource = (typeof contactSources)[number];

/**
 * The `source` of a contact event caused by this principal. Inbound endpoints count as `api`; so do
 * our own programs, and an import counts as the Dashboard it was started in (our choice).
 */
export function contactSource(principal: Principal): ContactSource {
  switch (principal.type) {
    case "contact":
      return "conversation";
    case "user":
    case "import":
      return "panel";
    case "api_key":
    case "inbound_endpoint":
    case "system":
      return "api";
    case "agent":
      return "agent";
  }
}
