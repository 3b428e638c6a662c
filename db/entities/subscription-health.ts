import { Entity, PrimaryColumn } from "typeorm";
import { Bytes, Moment, MomentNow, Ref } from "./columns.ts";

/** That a receiver has only failed for a while; gone with its first success. */
@Entity("subscription_health")
export class SubscriptionHealth {
  @PrimaryColumn({ type: "bigint", unsigned: true }) subscriptionId: number;
  @Ref() accountId: number;
  /** Its first failure after a success. */
  @Moment() failingSince: Date;
  /** Its last failure, to the hour. */
  @MomentNow() lastFailedAt: Date;
  /** The event that the last answer was 410 to; null: it was another answer. */
  @Bytes(16, { nullable: true }) goneEventId: Buffer | null;
}
