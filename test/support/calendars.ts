import { createGoogleCalendar } from "../../activities/calendars/google.ts";
import type { CalendarPorts } from "../../activities/calendars/port.ts";

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
