import { Column, Entity, Index } from "typeorm";
import type { KnowledgeState } from "../../core/model/agent.ts";
import type { KnowledgeSourceKind } from "../../core/model/knowledge.ts";
import type { Locale } from "../../core/model/user.ts";
import type { SourceFailure } from "../../core/model/workflow/knowledge-refresh.ts";
import { Id, Int, Json, Moment, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/** A question with its stored answer. */
@Entity("knowledge_items")
@Index("knowledge_items_state", ["accountId", "state", "id"])
@Index("knowledge_items_version", ["accountId", "version", "id"])
@Index("knowledge_items_source", ["sourceId", "id"])
export class KnowledgeItem {
  @Id() id: number;
  @Ref() accountId: number;
  @Text(500) question: string;
  /** Other wordings of the question. */
  @Json() phrasings: string[];
  @Column({ type: "text" }) answer: string;
  @Token(8) language: Locale;
  @Token(12) state: KnowledgeState;
  /** The item answers until then; null: without end. */
  @Moment({ nullable: true }) validUntil: Date | null;
  /** Page or file of which the item was suggested. */
  @Ref({ nullable: true }) sourceId: number | null;
  /** Hash of the question there, by which the source knows it again. */
  @Token(64, { nullable: true }) sourceKey: string | null;
  /** Hash of question and answer there. */
  @Token(64, { nullable: true }) sourceHash: string | null;
  /** Item that is archived once this suggestion is approved. */
  @Ref({ nullable: true }) replacesItemId: number | null;
  @Ref({ nullable: true }) createdByUserId: number | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/** A page or a file from which items are suggested. */
@Entity("knowledge_sources")
@Index("knowledge_sources_location", ["accountId", "locationHash"], { unique: true })
@Index("knowledge_sources_due", ["dueAt", "id"])
@Index("knowledge_sources_requested", ["requestedAt", "id"])
export class KnowledgeSource {
  @Id() id: number;
  @Ref() accountId: number;
  @Token(8) kind: KnowledgeSourceKind;
  /** URL of a page, name of a file. */
  @Text(2_048) location: string;
  @Token(64) locationHash: string;
  @Token(8) language: Locale;
  /** Reason why the newest read gave nothing. */
  @Token(32, { nullable: true }) failure: SourceFailure | null;
  /** Hash of the questions and answers of the newest read that succeeded. */
  @Token(64, { nullable: true }) contentHash: string | null;
  @Int({ unsigned: true, default: 0 }) questions: number;
  /** Number of reads. */
  @Int({ unsigned: true, default: 0 }) run: number;
  /** Set while a page is being read. */
  @Moment({ nullable: true }) requestedAt: Date | null;
  @Moment({ nullable: true }) fetchedAt: Date | null;
  /** A page is read again then. */
  @Moment({ nullable: true }) dueAt: Date | null;
  @Ref({ nullable: true }) createdByUserId: number | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/** A customer's question that no item answered. */
@Entity("knowledge_gaps")
@Index("knowledge_gaps_account", ["accountId", "resolvedAt", "id"])
@Index("knowledge_gaps_contact", ["contactId", "id"])
@Index("knowledge_gaps_created", ["createdAt", "id"])
@Index("knowledge_gaps_turn", ["turnId"], { unique: true })
export class KnowledgeGap {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() conversationId: number;
  @Ref() contactId: number;
  @Ref() turnId: number;
  @Text(500) question: string;
  @Token(8) language: Locale;
  /** Set once an item answers the question, or a person dismissed the gap. */
  @Moment({ nullable: true }) resolvedAt: Date | null;
  @Ref({ nullable: true }) itemId: number | null;
  @MomentNow() createdAt: Date;
}
