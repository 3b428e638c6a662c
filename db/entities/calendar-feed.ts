import { Entity, Index } from "typeorm";
import { Bytes, Flag, Id, Moment, MomentNow, Ref } from "./columns.ts";

/** A private calendar feed of a resource. Its token is the whole right to read it. */
@Entity("calendar_feeds")
@Index("calendar_feeds_token", ["tokenHash"], { unique: true })
@Index("calendar_feeds_resource", ["accountId", "resourceId", "id"])
export class CalendarFeed {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() resourceId: number;
  /** SHA-256 of the token in the feed's address. */
  @Bytes(32) tokenHash: Buffer;
  /** The feed says when the resource is busy, and nothing else. */
  @Flag({ default: false }) timesOnly: boolean;
  /** A revoked feed is answered like an unknown one. */
  @Moment({ nullable: true }) revokedAt: Date | null;
  @Ref({ nullable: true }) createdByUserId: number | null;
  @MomentNow() createdAt: Date;
}
