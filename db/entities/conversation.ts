import { Entity, Index } from "typeorm";
import type { RestChannel } from "../../core/model/channels.ts";
import type { ConversationSource, ConversationStatus } from "../../core/model/conversation.ts";
import type { NoteKind } from "../../core/model/note.ts";
import { Flag, Id, Int, Json, Moment, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/** A contact's conversation on one channel account. */
@Entity("conversations")
@Index("conversations_newest", ["accountId", "sortAt", "id"])
@Index("conversations_status", [
  "accountId",
  "status",
  "sortAt",
  "id",
  "channel",
  "answeredByUserId",
])
@Index("conversations_channel", ["accountId", "channel", "sortAt", "id"])
@Index("conversations_assignee", [
  "accountId",
  "assignedToUserId",
  "sortAt",
  "id",
  "status",
  "channel",
])
@Index("conversations_contact", ["contactId", "id"])
@Index("conversations_handoff_due", ["handoffDueAt", "id"])
export class Conversation {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() contactId: number;
  @Ref() channelAccountId: number;
  @Token(16) channel: RestChannel;
  /** Whom it is with on the channel: what the customer last wrote from, or was last written to. */
  @Token(128, { default: "" }) customerExternalId: string;
  @Token(16) status: ConversationStatus;
  @Flag() botEnabled: boolean;
  /** Grows with every change of the flag and every handoff: what the AI agent began before is void. */
  @Int({ unsigned: true, default: 0 }) botEpoch: number;
  @Ref({ nullable: true }) assignedToUserId: number | null;
  /** Set while the status is `handed_off`. */
  @Text(500, { nullable: true }) handoffReason: string | null;
  @Token(16, { nullable: true }) handoffSource: ConversationSource | null;
  @Ref({ nullable: true }) handoffActorUserId: number | null;
  @Moment({ nullable: true }) handoffAt: Date | null;
  /** When the run of the handoff has to act next; null where only the end of the handoff is left. */
  @Moment({ nullable: true }) handoffDueAt: Date | null;
  /** When a person last wrote from the Dashboard; null from the start of a handoff until somebody answers. */
  @Moment({ nullable: true }) lastHumanReplyAt: Date | null;
  /** Who of the account wrote last in the handoff under way; null while the customer waits. */
  @Ref({ nullable: true }) answeredByUserId: number | null;
  @Moment({ nullable: true }) lastCustomerMessageAt: Date | null;
  @Moment({ nullable: true }) lastMessageAt: Date | null;
  @Ref({ nullable: true }) lastMessageId: number | null;
  /** `lastMessageAt`, else `createdAt`: what lists are ordered by. */
  @Moment() sortAt: Date;
  /** Messages of the customer that nobody in the account has seen. */
  @Int({ unsigned: true, default: 0 }) unreadCount: number;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/** What the inbox shows between the messages: notes of people, and what happened. */
@Entity("conversation_notes")
@Index("conversation_notes_conversation", ["conversationId", "id"])
@Index("conversation_notes_external", ["conversationId", "externalId"], { unique: true })
export class ConversationNote {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() conversationId: number;
  /** `note` is written by a person, the others by the service. */
  @Token(32) kind: NoteKind;
  @Text(4096, { nullable: true }) text: string | null;
  @Json({ nullable: true }) params: Record<string, string | number | null> | null;
  @Ref({ nullable: true }) userId: number | null;
  /** The writer's own id. */
  @Token(128, { nullable: true }) externalId: string | null;
  @MomentNow() createdAt: Date;
}
