/** Admins configure the account; agents work the inbox and see what is going on. */
export const admin = { kind: "role", role: "admin" } as const;
export const agent = { kind: "role", role: "agent" } as const;
