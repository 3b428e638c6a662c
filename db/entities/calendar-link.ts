import { Entity, Index } from "typeorm";
import type { CalendarLinkState, CalendarProvider } from "../../core/model/calendar.ts";
import { Bytes, Id, Int, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/** The external calendar that an agenda is kept on; an agenda without a row has none. */
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
  /** `disconnected`: the provider no longer takes the credentials, or has no such calendar for them. */
  @Token(16, { default: "connected" }) state: CalendarLinkState;
  /** The credentials as JSON, `v2.kid.nonce.tag.ciphertext`; `v1.` until they are sealed anew. */
  @Token(2048) sealed: string;
  /** Which part of SECRET_KEY sealed it. */
  @Token(32) keyId: string;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/**
 * The event that an appointment has, or may have, on an external calendar. The row is there before
 * the event is, so that an insert that nobody heard back from can be found and undone.
 */
@Entity("calendar_events")
@Index("calendar_events_appointment", ["appointmentId", "linkId"], { unique: true })
@Index("calendar_events_event", ["linkId", "eventId"], { unique: true })
export class CalendarEventRow {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() appointmentId: number;
  @Ref() linkId: number;
  /** Our own id of the event, made up before the insert. */
  @Token(64) eventId: string;
  /** Of our last write; null: nobody knows whether the event is there. */
  @Token(255, { nullable: true }) etag: string | null;
  /** SHA-256 of what we wrote last; null while a write is under way, and after one that was cut off. */
  @Bytes(32, { nullable: true }) written: Buffer | null;
  /** Writes begun; only the last one notes down what came of it. */
  @Int({ unsigned: true, default: 0 }) writes: number;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
}
