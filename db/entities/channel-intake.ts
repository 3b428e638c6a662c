import { Column, Entity, Index } from "typeorm";
import type { ItemState, WebhookState } from "../../core/model/channel-intake.ts";
import { Bytes, Id, Int, Json, Moment, MomentNow, Ref, Token } from "./columns.ts";

/** A signed webhook of a Meta app, as it arrived. */
@Entity("channel_webhooks")
@Index("channel_webhooks_app", ["state", "channelAppId", "id"])
@Index("channel_webhooks_purge", ["purgeAt", "id"])
export class ChannelWebhook {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() channelAppId: number;
  /** The bytes that were signed; null after an erasure. */
  @Column({ type: "mediumblob", nullable: true }) body: Buffer | null;
  @Token(8, { default: "pending" }) state: WebhookState;
  @Int({ unsigned: true, default: 0 }) attempts: number;
  /** Reason why it is parked. */
  @Token(64, { nullable: true }) reason: string | null;
  @MomentNow() receivedAt: Date;
  /** Time from which a purge deletes the row; null while it is pending. */
  @Moment({ nullable: true }) purgeAt: Date | null;
}

/** One message, status or other fact of a webhook. Its lane is channel account and customer. */
@Entity("channel_items")
@Index("channel_items_key", ["channelAppId", "externalId", "kind", "keyHash"], { unique: true })
@Index("channel_items_due", ["state", "dueAt", "id"])
@Index("channel_items_lane", ["state", "channelAccountId", "customer", "id"])
@Index("channel_items_account", ["accountId", "state", "id"])
@Index("channel_items_contact", ["contactId", "id"])
@Index("channel_items_purge", ["purgeAt", "id"])
export class ChannelItem {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() channelAppId: number;
  @Ref() webhookId: number;
  /** Null while no channel account has the number or Page. */
  @Ref({ nullable: true }) channelAccountId: number | null;
  @Token(16) network: string;
  /** Meta's id of the number, Page or Instagram account. An app has one channel account for it. */
  @Token(128) externalId: string;
  /** The customer's id, or an empty text where the item names none. */
  @Token(191, { default: "" }) customer: string;
  @Token(16) kind: string;
  /** SHA-256 of the provider's key of the item. */
  @Bytes(32) keyHash: Buffer;
  /** The mapped item; null once it is done. */
  @Json({ nullable: true }) payload: unknown;
  @Token(8) state: ItemState;
  /** Failed tries. */
  @Int({ unsigned: true, default: 0 }) attempts: number;
  @Token(64, { nullable: true }) reason: string | null;
  /** Time of the next try. A claim moves it by the length of its lease. */
  @MomentNow() dueAt: Date;
  @Ref({ nullable: true }) contactId: number | null;
  @MomentNow() createdAt: Date;
  @Moment({ nullable: true }) purgeAt: Date | null;
}
