/**
 * Access for admins: manage the account, its people, API keys, inbound endpoints and subscriptions,
 * and erase contacts.
 */
export const admin = { kind: "role", role: "admin" } as const;

/**
 * Access for all members. They work the inbox and the contacts, and read the logs. They also retry,
 * cancel and redeliver deliveries.
 */
export const agent = { kind: "role", role: "agent" } as const;
