import { Entity, Index } from "typeorm";
import type {
  CalendarDirection,
  CalendarLinkState,
  CalendarPhase,
  EventOrigin,
  CalendarProvider,
  OtherEvents,
} from "../../core/model/calendar.ts";
import {
  Bytes,
  Flag,
  Id,
  Int,
  Json,
  Moment,
  MomentNow,
  Ref,
  Text,
  Token,
  Version,
} from "./columns.ts";

/** The external calendar of a resource. A resource without a row has none. */
@Entity("calendar_links")
@Index("calendar_links_resource", ["resourceId"], { unique: true })
@Index("calendar_links_account", ["accountId", "id"])
@Index("calendar_links_read", ["readDueAt", "id"])
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
  /** Part of the reading that comes next. */
  @Token(8, { default: "full" }) phase: CalendarPhase;
  /** Google's token for the changes since the last reading; null before the first one. */
  @Token(1024, { nullable: true }) syncToken: string | null;
  /** Next page of a reading that is under way. */
  @Token(1024, { nullable: true }) pageToken: string | null;
  /** Number of readings of the whole calendar. */
  @Int({ unsigned: true, default: 0 }) generation: number;
  /** Number of applied pages, so that a page is applied once. */
  @Int({ unsigned: true, default: 0 }) readStep: number;
  /** Events that begin later are not known here. Null before the first reading. */
  @Moment({ nullable: true }) horizon: Date | null;
  /** The horizon after the reading that is under way. */
  @Moment({ nullable: true }) nextHorizon: Date | null;
  /** Google has announced a change, and a reading was requested. */
  @Flag({ default: false }) dirty: boolean;
  /** The next reading begins by then; null for a calendar that is not read. */
  @Moment({ nullable: true }) readDueAt: Date | null;
  /** Time of the last complete reading. */
  @Moment({ nullable: true }) lastSyncedAt: Date | null;
  @Moment({ nullable: true }) lastPushAt: Date | null;
  /** End of the channel by which Google announces changes; null without one. */
  @Moment({ nullable: true }) channelExpiresAt: Date | null;
  /** Reason for asking every 5 minutes, as a word for programs; null while changes are announced. */
  @Token(64, { nullable: true }) pollReason: string | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/** Begin and end of an event, as ISO 8601. */
export interface UnheardTime {
  start: string;
  end: string;
}

/**
 * The event that an appointment has, or may have, on an external calendar. The row exists before
 * the event, so that an insert without an answer can be found and undone.
 */
@Entity("calendar_events")
@Index("calendar_events_appointment", ["appointmentId", "linkId"], { unique: true })
@Index("calendar_events_event", ["linkId", "eventId"], { unique: true })
@Index("calendar_events_generation", ["linkId", "generation", "id"])
@Index("calendar_events_id", ["eventId"])
export class CalendarEventRow {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() appointmentId: number;
  @Ref() linkId: number;
  /** `parley`: we wrote the event. `google`: somebody made it there. */
  @Token(8, { default: "parley" }) origin: EventOrigin;
  /** Id of the event; our own one is generated before the insert. */
  @Token(255) eventId: string;
  /** Google's identity of the event in calendar files; null until the event was read. */
  @Text(255, { nullable: true }) icalUid: string | null;
  /** Series of the event, equal before and after a change of the series; null: no series. */
  @Token(255, { nullable: true }) seriesId: string | null;
  /** Tag of the event as we know it; null if it is unknown whether the event exists. */
  @Token(255, { nullable: true }) etag: string | null;
  /** SHA-256 of our last written content; null during a write, and after an interrupted one. */
  @Bytes(32, { nullable: true }) written: Buffer | null;
  /** Number of writes begun; only the last one stores its result. */
  @Int({ unsigned: true, default: 0 }) writes: number;
  /** Times of the event as it was last read or written; null before that. */
  @Moment({ nullable: true }) seenStart: Date | null;
  @Moment({ nullable: true }) seenEnd: Date | null;
  /** Times of our last write, also of one without an answer. */
  @Moment({ nullable: true }) sentStart: Date | null;
  @Moment({ nullable: true }) sentEnd: Date | null;
  /** Times of earlier writes without an answer, since the last one with an answer. */
  @Json({ nullable: true }) unheard: UnheardTime[] | null;
  /** Begin or end of our last write. A list that was read before says nothing of the event. */
  @Moment({ nullable: true }) wroteAt: Date | null;
  /** Google informs other people of changes. */
  @Flag({ default: false }) hasGuests: boolean;
  /** The event was deleted there, or is no appointment any more. The row recognizes its return. */
  @Moment({ nullable: true }) goneAt: Date | null;
  /** The reading of the whole calendar that saw the event last. */
  @Int({ unsigned: true, default: 0 }) generation: number;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
}
