import { Entity, Index } from "typeorm";
import { Flag, Id, Int, Moment, MomentNow, Ref, Text, Version } from "./columns.ts";

/** A way that customers go, stage by stage. */
@Entity("pipelines")
@Index("pipelines_name", ["accountId", "name"], { unique: true })
export class Pipeline {
  @Id() id: number;
  @Ref() accountId: number;
  @Text(200) name: string;
  /** Whether new conversations enter its first stage; true on one pipeline of an account at most. */
  @Flag({ default: false }) isDefault: boolean;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/** A step of a pipeline: a column of the board. */
@Entity("pipeline_stages")
@Index("pipeline_stages_name", ["pipelineId", "name"], { unique: true })
export class PipelineStage {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() pipelineId: number;
  @Text(200) name: string;
  /** 0 for the first one. */
  @Int({ unsigned: true }) position: number;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/** Where a contact stands in a pipeline: a card of the board. */
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
  /** Its place in the column: the highest stands at the top. Of two equal ones the newer card does. */
  @Ref({ unsigned: false }) place: number;
  /** When the contact came into the stage; each move of a contact is later than the ones before. */
  @Moment() movedAt: Date;
  @MomentNow() createdAt: Date;
}
