import type {
  CalendarAccess,
  CalendarEvent,
  CalendarProvider,
  CalendarResult,
} from "../../core/model/calendar.ts";

/** Writes appointments to one kind of calendar. Never throws for errors of the provider. */
export interface CalendarPort {
  insertEvent(access: CalendarAccess, event: CalendarEvent): Promise<CalendarResult>;
  /** Changes an event that still has this tag. */
  patchEvent(access: CalendarAccess, event: CalendarEvent, etag: string): Promise<CalendarResult>;
  /** Reads the current tag of an event. */
  readEvent(access: CalendarAccess, eventId: string): Promise<CalendarResult>;
  /** Deletes an event. With a tag, only if the event still has it. `gone` counts as done. */
  deleteEvent(
    access: CalendarAccess,
    eventId: string,
    etag: string | null,
  ): Promise<CalendarResult>;
}

/** Calendar ports by the provider of a link. */
export type CalendarPorts = Readonly<Record<CalendarProvider, CalendarPort>>;
