/**
 * What admins alone may do: manage the account, its people, API keys, inbound endpoints and subscriptions, and erase
 * contacts.
 */
export const admin = { kind: "role", role: "admin" } as const;

/**
 * What everyone in the account may do: work the inbox and the contacts, see what is going on, and
 * retry, cancel and redeliver deliveries.
 */
export const agent = { kind: "role", role: "agent" } as const;
