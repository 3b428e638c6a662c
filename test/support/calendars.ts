import { createCalendly } from "../../activities/calendars/calendly.ts";
import { createGoogleCalendar } from "../../activities/calendars/google.ts";
import type { CalendarPorts } from "../../activities/calendars/port.ts";
import type { CalendarDirection } from "../../core/model/calendar.ts";
import type { SecretBox } from "../../core/secrets.ts";
import { createCalendarLink } from "../../core/services/calendars/calendar-links.ts";
import { saveConnection } from "../../core/services/calendars/connections.ts";
import type { Tx } from "../../db/transaction.ts";
import { testSecretBox } from "./accounts.ts";

const nowhere = "http://127.0.0.1:9";

/** For work that has to do with no calendar: every one is unreachable. */
export const noCalendars: CalendarPorts = {
  google: createGoogleCalendar({
    apiUrl: nowhere,
    tokenUrl: nowhere,
    clientId: "none",
    clientSecret: "none",
  }),
};

/** For work that has to do with no booking of Calendly: Calendly is unreachable. */
export const noCalendly = createCalendly({ apiUrl: nowhere });

/** A Google account, and the calendar of it that a resource is kept on. */
interface TestCalendar {
  resourceId: number;
  calendarId: string;
  refreshToken?: string;
  direction?: CalendarDirection;
  /** Google's id of the account; else that of the refresh token. */
  subject?: string;
  secretBox?: SecretBox;
}

/** Connects a Google account, and keeps a resource on one of its calendars. */
export async function linkCalendar(
  tx: Tx,
  {
    resourceId,
    calendarId,
    refreshToken = "refresh-1",
    direction = "two_way",
    subject = `sub-of-${refreshToken}`,
    secretBox = testSecretBox,
  }: TestCalendar,
): Promise<{ connectionId: number; linkId: number }> {
  const { id: connectionId } = await saveConnection(tx, secretBox, {
    provider: "google",
    externalId: subject,
    email: "ana@example.com",
    name: "Ana",
    credentials: { refresh_token: refreshToken },
    scopes: ["openid", "email", "https://www.googleapis.com/auth/calendar.events"],
  });
  const linkId = await createCalendarLink(tx, connectionId, {
    resourceId,
    calendarId,
    name: calendarId,
    direction,
    otherEvents: "busy",
  });
  return { connectionId, linkId };
}
