import { Entity, PrimaryColumn } from "typeorm";
import { Bytes, Moment, MomentNow, Ref } from "./columns.ts";

/** Failures of a receiver without a success since. The first success deletes the row. */
@Entity("subscription_health")
export class SubscriptionHealth {
  @PrimaryColumn({ type: "bigint", unsigned: true }) subscriptionId: number;
  @Ref() accountId: number;
  /** Time of the first failure after a success. */
  @Moment() failingSince: Date;
  /** Time of the last failure, to the hour. */
  @MomentNow() lastFailedAt: Date;
  /** The event whose last answer was 410; null after any other answer. */
  @Bytes(16, { nullable: true }) goneEventId: Buffer | null;
}
