import { Entity, Index } from "typeorm";
import { Bytes, Id, Int, Json, Moment, MomentNow, Ref, Token } from "./columns.ts";

/** A time of a resource that an event of an external calendar takes. Nothing else is stored. */
@Entity("busy_blocks")
@Index("busy_blocks_event", ["resourceId", "connectionId", "eventId"], { unique: true })
@Index("busy_blocks_time", ["accountId", "resourceId", "endTime", "startTime"])
@Index("busy_blocks_connection", ["connectionId", "eventId"])
@Index("busy_blocks_link", ["linkId", "endTime"])
@Index("busy_blocks_ended", ["endTime"])
export class BusyBlock {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() resourceId: number;
  @Ref() connectionId: number;
  /** The calendar of Google; null for Calendly. */
  @Ref({ nullable: true }) linkId: number | null;
  /** The provider's id of the event. */
  @Token(255) eventId: string;
  @Moment() startTime: Date;
  @Moment() endTime: Date;
  /** The reading of the whole calendar that saw the event last. */
  @Int({ unsigned: true, default: 0 }) generation: number;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
}

/**
 * A channel by which Google announces changes of a calendar. The row exists before the channel.
 * During a renewal a calendar has two.
 */
@Entity("calendar_channels")
@Index("calendar_channels_link", ["linkId", "createdAt"])
export class CalendarChannel {
  /** Our own id of the channel, a UUID. */
  @Token(64, { primary: true }) id: string;
  @Ref() accountId: number;
  @Ref() connectionId: number;
  @Ref() linkId: number;
  /** SHA-256 of the token that each announcement carries. */
  @Bytes(32) tokenHash: Buffer;
  /** Google's id, needed to stop the channel; null until Google has answered. */
  @Token(255, { nullable: true }) resourceId: string | null;
  @Moment({ nullable: true }) expiresAt: Date | null;
  @MomentNow() createdAt: Date;
}

/**
 * An instance of a series that left a calendar or appeared there, until the reading ends. Then
 * instances pair, so that a new time of a series cancels nothing.
 */
@Entity("calendar_changes")
@Index("calendar_changes_event", ["linkId", "eventId"], { unique: true })
@Index("calendar_changes_series", ["linkId", "seriesId"])
@Index("calendar_changes_created", ["createdAt"])
export class CalendarChange {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() linkId: number;
  @Token(255) eventId: string;
  @Token(255) seriesId: string;
  @Token(8) kind: "vanished" | "appeared";
  /** The mapped event of an instance that appeared. */
  @Json({ nullable: true }) body: object | null;
  @MomentNow() createdAt: Date;
}
