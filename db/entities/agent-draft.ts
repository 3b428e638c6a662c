import { Column, Entity, Index } from "typeorm";
import type { DraftProposal, DraftSource, DraftState } from "../../core/model/agent-draft.ts";
import { Id, Int, Json, Moment, MomentNow, Ref, Token } from "./columns.ts";

/** A reply of the agent that waits for a person, and what became of it. */
@Entity("agent_drafts")
@Index("agent_drafts_open", ["openConversationId"], { unique: true })
@Index("agent_drafts_turn", ["turnId"], { unique: true })
@Index("agent_drafts_account", ["accountId", "createdAt"])
@Index("agent_drafts_contact", ["contactId", "id"])
@Index("agent_drafts_created", ["createdAt", "id"])
export class AgentDraft {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() conversationId: number;
  @Ref() contactId: number;
  @Ref() turnId: number;
  /** The conversation's id while the draft is open, so that there is one at most. */
  @Ref({ nullable: true }) openConversationId: number | null;
  @Token(12) source: DraftSource;
  /** Empty where the draft has proposals alone, whose confirmations are the text. */
  @Column({ type: "text" }) text: string;
  @Json() proposals: DraftProposal[];
  @Token(12) state: DraftState;
  /** Characters that the person changed; null until the draft is sent. */
  @Int({ unsigned: true, nullable: true }) editDistance: number | null;
  @Ref({ nullable: true }) messageId: number | null;
  /** Null where the draft became stale. */
  @Ref({ nullable: true }) decidedById: number | null;
  @Moment({ nullable: true }) decidedAt: Date | null;
  @MomentNow() createdAt: Date;
}
