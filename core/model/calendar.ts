import { z } from "zod";

/** External calendars that an agenda can be kept on. */
export type CalendarProvider = "google";

/**
 * `disconnected`: the provider no longer takes the credentials, or has no such calendar for them to write
 * to; a person has to connect it anew.
 */
export type CalendarLinkState = "connected" | "disconnected";

/** What a link keeps sealed: what the provider gave when a person connected the calendar. */
export const calendarCredentials = z.strictObject({ refresh_token: z.string().min(1) });
export type CalendarCredentials = z.output<typeof calendarCredentials>;

/** A calendar that we may write to, its credentials opened for this call. */
export interface CalendarAccess {
  /** Whose credentials they are, so that what they bring can be kept for a while. */
  linkId: number;
  calendarId: string;
  credentials: CalendarCredentials;
}

/** An appointment as a calendar shows it. */
export interface CalendarEvent {
  /** Our own id of the event, in the alphabet that every provider takes: `0-9a-v`. */
  id: string;
  appointmentId: number;
  summary: string;
  startTime: Date;
  endTime: Date;
  /** IANA name, for the provider's display. */
  timeZone: string;
}

/** What came of a call. */
export type CalendarResult =
  /** The event stands as it was asked for; with the tag of this state of it. */
  | { kind: "done"; etag: string }
  /** An insert found the id taken: an earlier insert of ours arrived, or its event was deleted since. */
  | { kind: "taken" }
  /** The event is not as the tag says: somebody wrote it meanwhile. */
  | { kind: "changed" }
  /** There is no such event, or it was deleted. */
  | { kind: "gone" }
  /** The provider is in trouble, or does not hear from us in time; it may have done it all the same. */
  | { kind: "transient"; code: string }
  /** The provider will not do it, however often it is asked. */
  | { kind: "refused"; code: string }
  /** It no longer takes the credentials, or has no calendar for them: a person has to connect one anew. */
  | { kind: "disconnected" };
