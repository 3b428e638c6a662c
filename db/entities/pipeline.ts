import { Entity, Index } from "typeorm";
import { Flag, Id, Int, Moment, MomentNow, Ref, Text, Version } from "./columns.ts";

/** A sequence of stages for customers. */
@Entity("pipelines")
@Index("pipelines_name", ["accountId", "name"], { unique: true })
export class Pipeline {
  @Id() id: number;
  @Ref() accountId: number;
  @Text(200) name: string;
  /** True if new conversations enter its first stage. At most one pipeline of an account. */
  @Flag({ default: false }) isDefault: boolean;
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
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/** The stage of a contact in a pipeline: a card of the board. */
@Entity("contact_stages")
@Index("contact_stages_contact", ["contactId", "pipelineId"], { unique: true })
@Index("contact_stages_board", ["stageId", "place", "id"])
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
  @MomentNow() createdAt: Date;
}
