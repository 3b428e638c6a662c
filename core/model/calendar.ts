import { z } from "zod";

/** External calendars that an agenda can be kept on. */
export type CalendarProvider = "google";

/** Path of the API that takes Google's announcements of changes. */
export const googlePushPath = "/api/webhooks/google";

/**
 * `disconnected`: the provider refuses the credentials, or they cannot write to this calendar. A
 * person has to connect the calendar again.
 */
export type CalendarLinkState = "connected" | "disconnected";

/**
 * `two_way`: appointments go to the calendar, and its events come here. `write_only`: appointments
 * go there, and nothing is read. `busy_only`: its events take up time here, and nothing is written.
 */
export const calendarDirections = ["two_way", "write_only", "busy_only"] as const;
export type CalendarDirection = (typeof calendarDirections)[number];

/**
 * Parts of the reading of a calendar. `full`: every event up to the horizon. `verify`: events that a
 * full reading did not name. `delta`: the changes since then. `extend`: events up to a later
 * horizon. `settle`: instances of changed series.
 */
export type CalendarPhase = "full" | "verify" | "delta" | "extend" | "settle";

/** Maker of an event: we, or somebody in the calendar. */
export type EventOrigin = "parley" | "google";

/** Use of events that are no appointments: `busy` takes up their time, `ignore` leaves it free. */
export const otherEventUses = ["busy", "ignore"] as const;
export type OtherEvents = (typeof otherEventUses)[number];

/**
 * Sealed content of a connection to Google: the token that Google gave when a person connected the
 * account.
 */
export const calendarCredentials = z.strictObject({ refresh_token: z.string().min(1) });
export type CalendarCredentials = z.output<typeof calendarCredentials>;

/** A calendar that we may write to. Its credentials are decrypted for this call. */
export interface CalendarAccess {
  /** Connection of the credentials. Access tokens are cached by this id. */
  connectionId: number;
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
  /** Somebody else made the event: only its times are written. */
  timesOnly: boolean;
  /** The provider informs the invited guests of the change. */
  notifyGuests: boolean;
}

/**
 * Reasons of a disconnected state.
 * - `invalid_grant`: the refresh token is expired or revoked.
 * - `unauthorized`: a new access token is refused.
 * - `calendar_not_found`, `calendar_forbidden`: the account has lost this calendar.
 */
export type DisconnectCode =
  | "invalid_grant"
  | "unauthorized"
  | "calendar_not_found"
  | "calendar_forbidden";

/** Result of a call. */
export type CalendarResult =
  /** The event is as requested. `etag` names this version of the event. */
  | { kind: "done"; etag: string }
  /**
   * The id of an insert is taken: an earlier insert of ours arrived, or its event was deleted
   * since.
   */
  | { kind: "taken" }
  /** The event no longer has the given tag, because it was changed meanwhile. */
  | { kind: "changed" }
  /** There is no such event, or it was deleted. */
  | { kind: "gone" }
  /**
   * The provider has a fault that may pass, or did not answer in time. The call may have taken
   * effect.
   */
  | { kind: "transient"; code: string }
  /** The provider refuses the call, and would refuse it again. */
  | { kind: "refused"; code: string }
  /**
   * The provider refuses the credentials, so the whole connection ends, or has no calendar for them,
   * so one link ends. A person has to connect again.
   */
  | { kind: "disconnected"; of: "connection" | "calendar"; code: DisconnectCode };

/** Results of a call that reached nothing, whatever was called. */
export type CalendarTrouble = Extract<
  CalendarResult,
  { kind: "transient" | "refused" | "disconnected" }
>;
