import { Entity, Index } from "typeorm";
import type {
  CalendarDirection,
  CalendarLinkState,
  CalendarProvider,
  OtherEvents,
} from "../../core/model/calendar.ts";
import { Bytes, Id, Int, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/** The external calendar of a resource. A resource without a row has none. */
@Entity("calendar_links")
@Index("calendar_links_resource", ["resourceId"], { unique: true })
@Index("calendar_links_account", ["accountId", "id"])
@Index("calendar_links_calendar", ["connectionId", "calendarId"], { unique: true })
export class CalendarLink {
  @Id() id: number;
  @Ref() accountId: number;
  /** The connection with the credentials. */
  @Ref() connectionId: number;
  @Ref() resourceId: number;
  @Token(16) provider: CalendarProvider;
  /** The provider's id of the calendar. */
  @Text(255, { collation: "utf8mb4_bin" }) calendarId: string;
  /** The provider's name of the calendar, for people. */
  @Text(255, { default: "" }) name: string;
  @Token(16, { default: "two_way" }) direction: CalendarDirection;
  @Token(8, { default: "busy" }) otherEvents: OtherEvents;
  /**
   * `disconnected`: the provider refuses the credentials, or has no such calendar for them. All
   * links of a disconnected connection have this state.
   */
  @Token(16, { default: "connected" }) state: CalendarLinkState;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/**
 * The event that an appointment has, or may have, on an external calendar. The row exists before
 * the event, so that an insert without an answer can be found and undone.
 */
@Entity("calendar_events")
@Index("calendar_events_appointment", ["appointmentId", "linkId"], { unique: true })
@Index("calendar_events_event", ["linkId", "eventId"], { unique: true })
export class CalendarEventRow {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() appointmentId: number;
  @Ref() linkId: number;
  /** Our own id of the event, generated before the insert. */
  @Token(64) eventId: string;
  /** Tag of our last write; null if it is unknown whether the event exists. */
  @Token(255, { nullable: true }) etag: string | null;
  /** SHA-256 of our last written content; null during a write, and after an interrupted one. */
  @Bytes(32, { nullable: true }) written: Buffer | null;
  /** Number of writes begun; only the last one stores its result. */
  @Int({ unsigned: true, default: 0 }) writes: number;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
}
