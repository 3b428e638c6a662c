import { Entity, Index } from "typeorm";
import type { Hue } from "../../core/model/hue.ts";
import type { CardOutcome } from "../../core/model/pipeline.ts";
import { Flag, Id, Int, Json, Moment, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/** A sequence of stages for customers. */
@Entity("pipelines")
@Index("pipelines_name", ["accountId", "name"], { unique: true })
export class Pipeline {
  @Id() id: number;
  @Ref() accountId: number;
  @Text(200) name: string;
  /** True if new conversations enter its first stage. At most one pipeline of an account. */
  @Flag({ default: false }) isDefault: boolean;
  /** Offered where a card is lost; null for none. */
  @Json({ nullable: true }) lostReasons: string[] | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/** A stage of a pipeline: a column of the board. */
@Entity("pipeline_stages")
@Index("pipeline_stages_name", ["pipelineId", "name"], { unique: true })
export class PipelineStage {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() pipelineId: number;
  @Text(200) name: string;
  /** 0 for the first stage. */
  @Int({ unsigned: true }) position: number;
  @Token(8, { default: "slate" }) hue: Hue;
  /** Days after which a card is slow; null: no card is. */
  @Int({ unsigned: true, nullable: true }) slowAfterDays: number | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/** The stage of a contact in a pipeline: a card of the board. */
@Entity("contact_stages")
@Index("contact_stages_contact", ["contactId", "pipelineId"], { unique: true })
@Index("contact_stages_board", ["stageId", "outcome", "place", "id"])
@Index("contact_stages_sums", ["stageId", "outcome", "currency", "amount"])
@Index("contact_stages_won", ["pipelineId", "outcome", "closedAt", "currency", "amount"])
export class ContactStage {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() contactId: number;
  @Ref() pipelineId: number;
  @Ref() stageId: number;
  /** The conversation that the contact was last moved in. */
  @Ref() conversationId: number;
  /**
   * Place in the column: the highest is at the top. Among equal places the newer card is higher.
   */
  @Ref({ unsigned: false }) place: number;
  /** Time of entering the stage. Each move of a contact is later than all earlier ones. */
  @Moment() movedAt: Date;
  /** A card that is not open keeps its stage and place, and is not on the board. */
  @Token(8, { default: "open" }) outcome: CardOutcome;
  /** Set while the outcome is `lost`. */
  @Text(200, { nullable: true }) lostReason: string | null;
  /** Set while the card is won or lost. */
  @Moment({ nullable: true }) closedAt: Date | null;
  /** Value in minor units of its currency; both null for none. */
  @Ref({ nullable: true }) amount: number | null;
  @Token(3, { nullable: true }) currency: string | null;
  @MomentNow() createdAt: Date;
}

/**
 * An imported stage or note of a contact that has no conversation yet. The contact's first
 * conversation takes both.
 */
@Entity("contact_placements")
@Index("contact_placements_contact", ["contactId", "id"])
export class ContactPlacement {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() contactId: number;
  /** Both null without a stage. */
  @Ref({ nullable: true }) pipelineId: number | null;
  @Ref({ nullable: true }) stageId: number | null;
  @Text(4096, { nullable: true }) note: string | null;
  /** The person who started the import. */
  @Ref({ nullable: true }) userId: number | null;
  @Ref() importId: number;
  @Int({ unsigned: true }) importRow: number;
  @MomentNow() createdAt: Date;
}
