import { Column, Entity, Index } from "typeorm";
import { Id, Int, Json, Moment, MomentNow, Ref, Token } from "./columns.ts";

/** A template of a WhatsApp Business Account, as Meta's list last showed it. */
@Entity("channel_templates")
@Index("channel_templates_name", ["accountId", "wabaId", "name", "language"], { unique: true })
@Index("channel_templates_gone", ["goneAt", "id"])
export class ChannelTemplate {
  @Id() id: number;
  @Ref() accountId: number;
  /** Meta's id of the WhatsApp Business Account: `parent_id` of its channel accounts. */
  @Token(64) wabaId: string;
  @Token(512) name: string;
  @Token(20) language: string;
  /** Meta's id of the template. */
  @Token(64, { nullable: true }) providerId: string | null;
  @Token(32) category: string;
  /** Meta's word in lowercase. Only `approved` can be sent. */
  @Token(32) status: string;
  @Token(16, { nullable: true }) quality: string | null;
  @Token(16) format: "positional" | "named";
  /** Meta's components, as they came. */
  @Json() components: unknown;
  /** Texts of the template, for the search. */
  @Column({ type: "text" }) words: string;
  @Token(64, { nullable: true }) rejectedReason: string | null;
  @MomentNow() syncedAt: Date;
  /** Time from which Meta's list lacks the template; null while the list has it. */
  @Moment({ nullable: true }) goneAt: Date | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
}

/** Reads of the list of one WhatsApp Business Account. */
@Entity("channel_template_syncs")
@Index("channel_template_syncs_waba", ["accountId", "wabaId"], { unique: true })
@Index("channel_template_syncs_due", ["dueAt", "id"])
@Index("channel_template_syncs_requested", ["requestedAt", "id"])
export class ChannelTemplateSync {
  @Id() id: number;
  @Ref() accountId: number;
  @Token(64) wabaId: string;
  /** Number of the newest read. */
  @Int({ unsigned: true, default: 0 }) run: number;
  /** Time of the request for a read that has not ended; null without one. */
  @Moment({ nullable: true }) requestedAt: Date | null;
  /** Newest time at which something called for a fresh list. */
  @Moment({ nullable: true }) wantedAt: Date | null;
  /** Newest time at which a person asked for a read. */
  @Moment({ nullable: true }) askedAt: Date | null;
  /** Time of the next read by itself; null while a read is requested. */
  @Moment({ nullable: true }) dueAt: Date | null;
  /** Beginning of the newest read that got the whole list. */
  @Moment({ nullable: true }) syncedAt: Date | null;
  /** End of the newest read that failed, if none got the list since. */
  @Moment({ nullable: true }) failedAt: Date | null;
  @Token(64, { nullable: true }) failure: string | null;
  @MomentNow() createdAt: Date;
}
