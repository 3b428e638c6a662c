import type { GoogleOptions } from "../../activities/calendars/google-session.ts";
import { loadConfig } from "../../core/config.ts";
import { startGoogleStandIn, type GoogleStandIn } from "../../dev/stand-in/google-server.ts";

/** Account of the calendars of `startTestGoogle`. */
export const testGoogleEmail = "ana@google.example";

/** A stand-in of Google in which `linkCalendar` finds its calendars. */
export interface TestGoogle extends GoogleStandIn {
  stop(this: void): Promise<void>;
}

/** Starts a stand-in with an account that has these calendars, in UTC. */
export async function startTestGoogle(calendarIds: readonly string[]): Promise<TestGoogle> {
  const calendars = calendarIds.map((id) => ({
    id,
    summary: id,
    timeZone: "UTC",
    accessRole: "owner" as const,
  }));
  const account = { sub: "110169484474386276334", email: testGoogleEmail, name: "Ana", calendars };
  const google = await startGoogleStandIn({ accounts: [account], retryMs: 5 });
  google.grant(testGoogleEmail, { refreshToken: "refresh-1" });
  return { ...google, stop: google.close };
}

/** What the settings of a process make of the stand-in. */
export function googleOptions({ settings }: Pick<GoogleStandIn, "settings">): GoogleOptions {
  const required = { DATABASE_URL: "mysql://u:p@localhost/d", SECRET_KEY: "k:x" };
  return loadConfig({ ...required, ...settings }).google;
}

/** Times of events by UTC, and the appointments that they belong to: `10:00 7`. */
export function shownAt(google: GoogleStandIn, calendarId: string): string[] {
  return google.list(calendarId).map(({ start, extendedProperties }) => {
    const time = new Date(start.dateTime ?? "").toISOString().slice(11, 16);
    return `${time} ${extendedProperties?.private?.["appointment_id"]}`;
  });
}
