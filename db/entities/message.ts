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
import { Flag, Id, Int, Json, Moment, MomentNow, Ref, Text, Token } from "./columns.ts";

/** One message of a conversation, from or to the customer. */
@Entity("messages")
@Index("messages_conversation", ["conversationId", "id"])
@Index("messages_thread", ["conversationId", "createdAt", "id"])
@Index("messages_external", ["conversationId", "externalId"], { unique: true })
@Index("messages_provider", ["channelAccountId", "providerId"], { unique: true })
@Index("messages_agent_turn", ["agentTurnId"], { unique: true })
@Index("messages_contact", ["contactId", "id"])
@Index("messages_unfinished", ["status", "id"])
@Index("messages_held", ["channelAccountId", "heldAt", "id"])
@Index("messages_traffic", ["channelAccountId", "direction", "createdAt"])
// Its second part is an expression: the time of creation, of failed messages alone.
@Index("messages_failed", { synchronize: false })
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
  /**
   * Of a message that goes in two parts: 0 until the channel has the file, then 1 until it has the
   * caption. Null for other messages, and afterwards. It is written before each hand-over.
   */
  @Int({ unsigned: true, nullable: true }) part: number | null;
  /** Hand-overs to the channel so far. */
  @Int({ unsigned: true, default: 0 }) tries: number;
  /** Time of the next hand-over, while the message waits for its channel. */
  @Moment({ nullable: true }) nextTryAt: Date | null;
  /** First refusal for the number's limit. For a while such refusals cost no try. */
  @Moment({ nullable: true }) limitedSince: Date | null;
  /** Since when the message is held, because its channel can send nothing. */
  @Moment({ nullable: true }) heldAt: Date | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Moment({ nullable: true }) sentAt: Date | null;
  @Moment({ nullable: true }) deliveredAt: Date | null;
  @Moment({ nullable: true }) readAt: Date | null;
  /** Time of the message at its provider, from which the messaging window counts. */
  @Moment({ nullable: true }) providerAt: Date | null;
  /** Time of the customer's last edit. The text before is in a note. */
  @Moment({ nullable: true }) editedAt: Date | null;
  /** Time at which the sender took the message back. Its content is gone. */
  @Moment({ nullable: true }) deletedAt: Date | null;
  /** Ids of the button, row or form that the customer chose. */
  @Json({ nullable: true }) interactive: object | null;
  /** The advertisement or link that led the customer here. */
  @Json({ nullable: true }) referral: object | null;
  /** The piece as the network sent it, of an `unsupported` message. */
  @Json({ nullable: true }) raw: object | null;
  /** Number of rows in `message_media`. */
  @Int({ unsigned: true, default: 0 }) attachmentCount: number;
  /**
   * The message came with the export of a chat. It is history: nobody answers it, and rules that
   * count messages leave it out.
   */
  @Flag({ default: false }) imported: boolean;
}

/** An id under which a channel account knows a message. */
@Entity("message_provider_ids")
@Index("message_provider_ids_provider", ["channelAccountId", "providerId"], { unique: true })
@Index("message_provider_ids_message", ["messageId"])
@Index("message_provider_ids_conversation", ["conversationId", "id"])
export class MessageProviderId {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() channelAccountId: number;
  @Token(512) providerId: string;
  @Ref() messageId: number;
  @Ref() conversationId: number;
}

/** The customer's reaction to a message. A message has one at most. */
@Entity("message_reactions")
@Index("message_reactions_message", ["messageId"], { unique: true })
@Index("message_reactions_conversation", ["conversationId", "id"])
export class MessageReaction {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() messageId: number;
  @Ref() conversationId: number;
  /** Null after the customer took the reaction back. */
  @Text(64, { nullable: true }) emoji: string | null;
  @MomentNow() createdAt: Date;
  /** The network's time of the customer's last action. An earlier action that comes late is void. */
  @MomentNow() actedAt: Date;
}
