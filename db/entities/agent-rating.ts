import { Entity, Index } from "typeorm";
import type { RatingReason, RatingValue } from "../../core/model/agent-rating.ts";
import { Id, MomentNow, Ref, Text, Token } from "./columns.ts";

/** A person's rating of a message of the agent. */
@Entity("agent_ratings")
@Index("agent_ratings_person", ["messageId", "userId"], { unique: true })
@Index("agent_ratings_conversation", ["conversationId", "id"])
@Index("agent_ratings_account", ["accountId", "createdAt", "value", "turnId"])
@Index("agent_ratings_created", ["createdAt", "id"])
export class AgentRating {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() conversationId: number;
  @Ref() messageId: number;
  /** Null: another system wrote the message as the agent. */
  @Ref({ nullable: true }) turnId: number | null;
  @Ref() userId: number;
  @Token(4) value: RatingValue;
  /** Reason for `down`. */
  @Token(24, { nullable: true }) reason: RatingReason | null;
  @Text(500, { nullable: true }) comment: string | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
}
