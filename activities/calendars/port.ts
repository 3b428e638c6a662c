import type {
  CalendarAccess,
  CalendarEvent,
  CalendarProvider,
  CalendarResult,
} from "../../core/model/calendar.ts";
import type { CalendarReader } from "./google-reader.ts";

/** Writes appointments to one kind of calendar, and reads it. Never throws for its errors. */
export interface CalendarPort extends CalendarReader {
  insertEvent(access: CalendarAccess, event: CalendarEvent): Promise<CalendarResult>;
  /** Changes an event that still has this tag. */
  patchEvent(access: CalendarAccess, event: CalendarEvent, etag: string): Promise<CalendarResult>;
  /** Deletes an event. With a tag, only if the event still has it. `gone` counts as done. */
  deleteEvent(
    access: CalendarAccess,
    eventId: string,
    options: { etag: string | null; notifyGuests: boolean },
  ): Promise<CalendarResult>;
}

/** Calendar ports by the provider of a link. */
export type CalendarPorts = Readonly<Record<CalendarProvider, CalendarPort>>;
