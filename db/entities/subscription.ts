import { Entity, Index } from "typeorm";
import type { EventChannel } from "../../core/model/channels.ts";
import type { SubscriptionState } from "../../core/model/subscription.ts";
import { Flag, Id, Int, Json, Moment, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/**
 * A customer's URL and its selected events. Deleted rows stay, because their delivery log is kept
 * longer.
 */
@Entity("subscriptions")
@Index("subscriptions_account", ["accountId", "state", "version"])
export class Subscription {
  @Id() id: number;
  @Ref() accountId: number;
  @Text(200) name: string;
  @Text(2048) url: string;
  /** Event types and wildcards. */
  @Json() events: string[];
  /** Null: every channel. */
  @Json({ nullable: true }) channels: EventChannel[] | null;
  /**
   * Disable the subscription after two answers of 410, or three days of failures alone (rule C58).
   */
  @Flag({ default: false }) autoDisable: boolean;
  /** Attempts at once in each worker; null: as many as the installation allows a host. */
  @Int({ unsigned: true, nullable: true }) maxConcurrency: number | null;
  @Token(16) state: SubscriptionState;
  /** The version in which the current state was set. */
  @Int({ unsigned: true, default: 1 }) stateVersion: number;
  @Token(64, { nullable: true }) disabledReason: string | null;
  @Ref({ nullable: true }) createdByUserId: number | null;
  @Moment({ nullable: true }) deletedAt: Date | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/**
 * A signing secret, encrypted at rest. Every valid secret signs, the newest one first (rule C53).
 */
@Entity("subscription_secrets")
@Index("subscription_secrets_subscription", ["subscriptionId", "id"])
@Index("subscription_secrets_valid", ["validUntil", "id"])
export class SubscriptionSecret {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() subscriptionId: number;
  /** `v2.kid.nonce.tag.ciphertext`; `v1.` until it is resealed. */
  @Token(255) sealed: string;
  /** Id of the key in SECRET_KEY that sealed it. */
  @Token(32) keyId: string;
  /** Null for the current secret. An older secret also signs until this time. */
  @Moment({ nullable: true }) validUntil: Date | null;
  @MomentNow() createdAt: Date;
}
