import { Column, Entity, Index } from "typeorm";
import type { RestChannel } from "../../core/model/channels.ts";
import type {
  Media,
  MessageError,
  MessageStatus,
  MessageType,
  SenderType,
  Template,
} from "../../core/model/message.ts";
import { Id, Int, Json, Moment, MomentNow, Ref, Token } from "./columns.ts";

/** One message of a conversation, from or to the customer. */
@Entity("messages")
@Index("messages_conversation", ["conversationId", "id"])
@Index("messages_external", ["conversationId", "externalId"], { unique: true })
@Index("messages_provider", ["channelAccountId", "providerId"], { unique: true })
@Index("messages_agent_turn", ["agentTurnId"], { unique: true })
@Index("messages_contact", ["contactId", "id"])
@Index("messages_unfinished", ["status", "id"])
export class Message {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() conversationId: number;
  @Ref() contactId: number;
  @Ref() channelAccountId: number;
  @Token(16) channel: RestChannel;
  @Token(8) direction: "inbound" | "outbound";
  @Token(16) type: MessageType;
  @Column({ type: "text", nullable: true }) content: string | null;
  @Json({ nullable: true }) media: Media | null;
  @Json({ nullable: true }) template: Template | null;
  @Ref({ nullable: true }) replyToMessageId: number | null;
  @Token(16) senderType: SenderType;
  @Ref({ nullable: true }) senderUserId: number | null;
  @Ref({ nullable: true }) apiKeyId: number | null;
  /** The conversation's epoch when the AI agent wrote; null for every other sender. */
  @Int({ unsigned: true, nullable: true }) botEpoch: number | null;
  /** The turn of the AI agent that wrote the message. A turn writes one message at most. */
  @Ref({ nullable: true }) agentTurnId: number | null;
  @Token(16) status: MessageStatus;
  @Json({ nullable: true }) error: MessageError | null;
  /** The message's id in the caller's system. */
  @Token(128, { nullable: true }) externalId: string | null;
  /** The message's id at the channel. */
  @Token(191, { nullable: true }) providerId: string | null;
  /**
   * Set during a hand-over to the channel. After a crash it is unknown whether the message arrived.
   */
  @Moment({ nullable: true }) inFlightSince: Date | null;
  /** Hand-overs to the channel so far. */
  @Int({ unsigned: true, default: 0 }) tries: number;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Moment({ nullable: true }) sentAt: Date | null;
  @Moment({ nullable: true }) deliveredAt: Date | null;
  @Moment({ nullable: true }) readAt: Date | null;
}
