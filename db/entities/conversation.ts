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
@Index("conversations_queue", [
  "accountId",
  "status",
  "snoozedUntil",
  "customerWaitsSince",
  "sortAt",
  "id",
  "channel",
  "assignedToUserId",
  "contactId",
])
@Index("conversations_assignee_queue", [
  "accountId",
  "assignedToUserId",
  "status",
  "snoozedUntil",
  "customerWaitsSince",
  "sortAt",
  "id",
  "channel",
  "contactId",
])
@Index("conversations_snoozed", ["accountId", "snoozedUntil", "id"])
@Index("conversations_snooze_due", ["snoozedUntil", "id"])
@Index("conversations_handoff_due", ["handoffDueAt", "id"])
@Index("conversations_seen_due", ["seenDueAt", "id"])
export class Conversation {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() contactId: number;
  @Ref() channelAccountId: number;
  @Token(16) channel: RestChannel;
  /** The customer's id on the channel: the one that last wrote, or was last written to. */
  @Token(128, { default: "" }) customerExternalId: string;
  @Token(16) status: ConversationStatus;
  @Flag() botEnabled: boolean;
  /**
   * Grows with every change of the flag and every handoff. Earlier work of the AI agent is then
   * void.
   */
  @Int({ unsigned: true, default: 0 }) botEpoch: number;
  @Ref({ nullable: true }) assignedToUserId: number | null;
  /** Set while the status is `handed_off`. */
  @Text(500, { nullable: true }) handoffReason: string | null;
  @Token(16, { nullable: true }) handoffSource: ConversationSource | null;
  @Ref({ nullable: true }) handoffActorUserId: number | null;
  @Moment({ nullable: true }) handoffAt: Date | null;
  /** Time of the next action of the handoff's run; null if only the end of the handoff is left. */
  @Moment({ nullable: true }) handoffDueAt: Date | null;
  /**
   * Time of a person's last reply from the Dashboard. Null from the start of a handoff until a
   * reply.
   */
  @Moment({ nullable: true }) lastHumanReplyAt: Date | null;
  /** The member who wrote last in the current handoff; null while the customer waits. */
  @Ref({ nullable: true }) answeredByUserId: number | null;
  @Moment({ nullable: true }) lastCustomerMessageAt: Date | null;
  @Moment({ nullable: true }) lastMessageAt: Date | null;
  @Ref({ nullable: true }) lastMessageId: number | null;
  /** `lastMessageAt`, else `createdAt`. Lists are ordered by this column. */
  @Moment() sortAt: Date;
  /** Messages of the customer that no member has seen. */
  @Int({ unsigned: true, default: 0 }) unreadCount: number;
  /**
   * Time of the first message that the customer wrote after our last one, or after the conversation
   * was resolved. Null while we spoke last.
   */
  @Moment({ nullable: true }) customerWaitsSince: Date | null;
  /** The customer's newest message that is marked as read at the network, or about to be. */
  @Ref({ nullable: true }) seenMessageId: number | null;
  /** Set while the mark is still to be sent. */
  @Moment({ nullable: true }) seenDueAt: Date | null;
  /** End of the snooze. A time in the past means none: the run that clears it is late. */
  @Moment({ nullable: true }) snoozedUntil: Date | null;
  @Ref({ nullable: true }) snoozedByUserId: number | null;
  /** Number of the newest snooze. Each snooze has a workflow of its own. */
  @Int({ unsigned: true, default: 0 }) snoozeRun: number;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
  /** True while another app of the customer's page answers. The AI agent is silent then. */
  @Flag({ default: false }) otherAppAnswers: boolean;
  /** The advertisement, post or link that last led the customer here. */
  @Json({ nullable: true }) referral: object | null;
  @Moment({ nullable: true }) referralAt: Date | null;
}

/** An entry between the messages in the inbox: a note of a person, or a change. */
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
  /** The note's id in the writer's system. */
  @Token(128, { nullable: true }) externalId: string | null;
  @MomentNow() createdAt: Date;
}
