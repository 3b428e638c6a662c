/** Providers of external accounts that an admin can connect. */
export type ConnectionProvider = "google" | "calendly";

/** `disconnected`: the provider refuses the credentials, or an admin has disconnected the account. */
export type ConnectionState = "connected" | "disconnected";

/** `push`: the provider announces changes. `polling`: we ask for them. */
export type CalendarMode = "push" | "polling";
