import { Entity, Index } from "typeorm";
import type { EventChannel } from "../../core/model/channels.ts";
import type { SubscriptionState } from "../../core/model/subscription.ts";
import { Flag, Id, Int, Json, Moment, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/** A customer URL and what it wants. Deleted ones stay, because their delivery log outlives them. */
@Entity("subscriptions")
@Index("subscriptions_account", ["accountId", "state"])
export class Subscription {
  @Id() id: number;
  @Ref() accountId: number;
  @Text(200) name: string;
  @Text(2048) url: string;
  /** Event types and wildcards. */
  @Json() events: string[];
  /** Null: every channel. */
  @Json({ nullable: true }) channels: EventChannel[] | null;
  /** Disabled where its receiver answers 410 twice, or has only failed for three days. */
  @Flag({ default: false }) autoDisable: boolean;
  @Token(16) state: SubscriptionState;
  /** The version that this state came with. */
  @Int({ unsigned: true, default: 1 }) stateVersion: number;
  @Token(64, { nullable: true }) disabledReason: string | null;
  @Ref({ nullable: true }) createdByUserId: number | null;
  @Moment({ nullable: true }) deletedAt: Date | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/** A signing secret, encrypted at rest. Those still valid all sign; the newest one leads. */
@Entity("subscription_secrets")
@Index("subscription_secrets_subscription", ["subscriptionId", "id"])
@Index("subscription_secrets_valid", ["validUntil", "id"])
export class SubscriptionSecret {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() subscriptionId: number;
  /** `v2.kid.nonce.tag.ciphertext`; `v1.` until it is sealed anew. */
  @Token(255) sealed: string;
  /** Which part of SECRET_KEY sealed it. */
  @Token(32) keyId: string;
  /** Null on the current one; an older one signs along until then. */
  @Moment({ nullable: true }) validUntil: Date | null;
  @MomentNow() createdAt: Date;
}
