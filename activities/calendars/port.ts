import type {
  CalendarAccess,
  CalendarEvent,
  CalendarProvider,
  CalendarResult,
} from "../../core/model/calendar.ts";

/** Writes appointments to one kind of calendar. It never throws for what the provider does. */
export interface CalendarPort {
  insertEvent(access: CalendarAccess, event: CalendarEvent): Promise<CalendarResult>;
  /** Changes an event that still has this tag. */
  patchEvent(access: CalendarAccess, event: CalendarEvent, etag: string): Promise<CalendarResult>;
  /** The tag of an event as it is now. */
  readEvent(access: CalendarAccess, eventId: string): Promise<CalendarResult>;
  /** With a tag, only an event that still has it. `gone` is as good as done. */
  deleteEvent(
    access: CalendarAccess,
    eventId: string,
    etag: string | null,
  ): Promise<CalendarResult>;
}

/** What writes to calendars, by the provider of a link. */
export type CalendarPorts = Readonly<Record<CalendarProvider, CalendarPort>>;
