import { Entity, Index } from "typeorm";
import type { CalendarLinkState, CalendarProvider } from "../../core/model/calendar.ts";
import { Bytes, Id, Int, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/** The external calendar of a resource. A resource without a row has none. */
@Entity("calendar_links")
@Index("calendar_links_resource", ["resourceId"], { unique: true })
@Index("calendar_links_account", ["accountId", "id"])
export class CalendarLink {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() resourceId: number;
  @Token(16) provider: CalendarProvider;
  /** The provider's id of the calendar. */
  @Text(255, { collation: "utf8mb4_bin" }) calendarId: string;
  /** `disconnected`: the provider refuses the credentials, or has no such calendar for them. */
  @Token(16, { default: "connected" }) state: CalendarLinkState;
  /** The credentials as JSON, `v2.kid.nonce.tag.ciphertext`; `v1.` until they are resealed. */
  @Token(2048) sealed: string;
  /** Id of the key in SECRET_KEY that sealed them. */
  @Token(32) keyId: string;
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
