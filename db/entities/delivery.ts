import { Entity, Index } from "typeorm";
import type { DeliveryState } from "../../core/model/workflow/delivery.ts";
import type { EventType } from "../../core/model/event-types.ts";
import { Flag, Id, Int, Json, Moment, MomentNow, Ref, Text, Token, Uuid } from "./columns.ts";

/** One event on its way to one subscription. */
@Entity("deliveries")
@Index("deliveries_event_subscription", ["eventId", "subscriptionId"], { unique: true })
@Index("deliveries_account", ["accountId", "id"])
@Index("deliveries_state", ["accountId", "state", "id"])
@Index("deliveries_subscription", ["accountId", "subscriptionId", "id"])
@Index("deliveries_finished", ["finishedAt", "id"])
export class Delivery {
  @Id() id: number;
  @Ref() accountId: number;
  @Uuid() eventId: string;
  @Ref() subscriptionId: number;
  @Token(64) eventType: EventType;
  /**
   * Grows with every redelivery or resumption. A workflow of an older run does nothing any more.
   */
  @Int({ unsigned: true, default: 1 }) run: number;
  /** Number of the current run's first attempt. Above 1 if the run continues after a hold. */
  @Int({ unsigned: true, default: 1 }) firstNumber: number;
  @Token(16) state: DeliveryState;
  /** Reason of a cancelled, held or skipped delivery. */
  @Token(64, { nullable: true }) reason: string | null;
  /** Path of the first attempt: `workflow`, or `relay` in burst mode. */
  @Token(16, { default: "workflow" }) via: "workflow" | "relay";
  @Token(100, { nullable: true }) workflowId: string | null;
  /** Finished attempts of the current run. */
  @Int({ unsigned: true, default: 0 }) attemptsMade: number;
  @Moment({ nullable: true }) nextAttemptAt: Date | null;
  /** Set in the last wait, when only an operator can still retry. */
  @Moment({ nullable: true }) discardAt: Date | null;
  @Int({ unsigned: true, nullable: true }) lastStatusCode: number | null;
  @Token(32, { nullable: true }) lastErrorClass: string | null;
  /** The actor who requested the current run; null for a run of the event itself. */
  @Json({ nullable: true }) actor: Record<string, unknown> | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  /**
   * Set in every finished state and null in all others. The retention of the log counts from it.
   */
  @Moment({ nullable: true }) finishedAt: Date | null;
}

/**
 * One POST, stored before it leaves and completed after: a crash neither loses nor counts it twice.
 */
@Entity("delivery_attempts")
@Index("delivery_attempts_seq", ["deliveryId", "run", "seq"], { unique: true })
@Index("delivery_attempts_started", ["startedAt", "id"])
@Index("delivery_attempts_hour", ["subscriptionId", "startedHour", "id"])
export class DeliveryAttempt {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() deliveryId: number;
  /** Null, like `startedHour`, on attempts from before the two columns. */
  @Ref({ nullable: true }) subscriptionId: number | null;
  @Int({ unsigned: true }) run: number;
  /** Counts the attempts of a run, manual ones included. */
  @Int({ unsigned: true }) seq: number;
  /** Value of `X-Service-Attempt`, 1 to 6. */
  @Int({ unsigned: true }) number: number;
  @Flag({ default: false }) manual: boolean;
  /** Above 1 only after a crash in the middle: the same number and bytes were sent again. */
  @Int({ unsigned: true, default: 1 }) posts: number;
  @Moment() startedAt: Date;
  /**
   * `startedAt` in whole hours since 1970, so that an hour of a subscription is found by equality.
   */
  @Int({ unsigned: true, nullable: true }) startedHour: number | null;
  /** Null while the attempt is in flight. */
  @Int({ unsigned: true, nullable: true }) durationMs: number | null;
  @Int({ unsigned: true, nullable: true }) statusCode: number | null;
  @Token(32, { nullable: true }) errorClass: string | null;
  @Text(2048) requestUrl: string;
  @Json({ nullable: true }) requestHeaders: Record<string, string> | null;
  @Json({ nullable: true }) responseHeaders: Record<string, string> | null;
  /** The first 2 KiB of the answer. */
  @Text(2048, { nullable: true }) responseExcerpt: string | null;
  @Token(45, { nullable: true }) ip: string | null;
}
