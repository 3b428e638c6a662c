import { Column, Entity, Index } from "typeorm";
import type { AttachmentKind, AttachmentState } from "../../core/model/attachment.ts";
import { Bytes, Flag, Id, Int, Moment, MomentNow, Ref, Text, Token } from "./columns.ts";

/** A file of a message. The files of a message are ordered by `position`. */
@Entity("message_media")
@Index("message_media_message", ["messageId", "position"], { unique: true })
@Index("message_media_conversation", ["conversationId", "id"])
@Index("message_media_contact", ["contactId", "id"])
@Index("message_media_state", ["state", "id"])
@Index("message_media_stored", ["state", "storageKey"])
@Index("message_media_age", ["createdAt", "id"])
export class MessageMedia {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() messageId: number;
  @Ref() conversationId: number;
  @Ref() contactId: number;
  @Ref() channelAccountId: number;
  /** From 0. */
  @Int({ unsigned: true }) position: number;
  @Token(16) kind: AttachmentKind;
  @Token(8) state: AttachmentState;
  /** Reason why there is no file, as a word for programs. */
  @Token(32, { nullable: true }) reason: string | null;
  /** We send it to the customer. */
  @Flag({ default: false }) outgoing: boolean;
  /** The customer spoke it into the phone. */
  @Flag({ default: false }) voice: boolean;
  @Text(255, { nullable: true }) filename: string | null;
  /** The type that the network names. */
  @Token(128, { nullable: true }) declaredMime: string | null;
  /** The hash that the network names, as the network writes it (base64). */
  @Token(128, { nullable: true }) declaredSha256: string | null;
  /** The type of the stored content. */
  @Token(128, { nullable: true }) mime: string | null;
  /** Bytes of the stored file. */
  @Ref({ nullable: true }) size: number | null;
  /** Of the stored file. */
  @Bytes(32, { nullable: true }) sha256: Buffer | null;
  /**
   * The network's id of the file. Of a customer's file at WhatsApp, a call turns it into an address.
   * Of our own file, the network has its bytes.
   */
  @Token(191, { nullable: true }) providerMediaId: string | null;
  /** The address of the file at the network, or of our own file. It may be signed, so no log and no answer repeats it. */
  @Column({ type: "text", nullable: true }) sourceUrl: string | null;
  /** Keys of the file and of its thumbnail in the storage. */
  @Token(191, { nullable: true }) storageKey: string | null;
  @Token(191, { nullable: true }) thumbnailKey: string | null;
  /** Downloads that were tried. */
  @Int({ unsigned: true, default: 0 }) tries: number;
  /** Time at which the network's address or id ends; null if nobody knows. */
  @Moment({ nullable: true }) expiresAt: Date | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
}
