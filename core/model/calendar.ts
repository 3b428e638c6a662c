import { z } from "zod";

/** External calendars that an agenda can be kept on. */
export type CalendarProvider = "google";

/** `disconnected`: the provider no longer takes the credentials; a person has to connect it anew. */
export type CalendarLinkState = "connected" | "disconnected";

/** What a link keeps sealed: what the provider gave when a person connected the calendar. */
export const calendarCredentials = z.strictObject({ refresh_token: z.string().min(1) });
export type CalendarCredentials = z.output<typeof calendarCredentials>;
