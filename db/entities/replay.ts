import { Entity, Index } from "typeorm";
import type { ReplayableState, ReplayState } from "../../core/model/replay.ts";
import { Flag, Id, Int, Json, Moment, MomentNow, Ref, Token } from "./columns.ts";

/** A replay: many deliveries of one subscription that are sent again, with its progress. */
@Entity("replays")
@Index("replays_subscription", ["accountId", "subscriptionId", "id"])
@Index("replays_state", ["state", "id"])
export class Replay {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() subscriptionId: number;
  @Token(16) state: ReplayState;
  /** States that a delivery must have when its turn comes. */
  @Json() states: ReplayableState[];
  /** Null: deliveries of any age. */
  @Moment({ nullable: true }) since: Date | null;
  /** The newest delivery at the time of the draft. Later ones are not included. */
  @Ref() newestId: number;
  /** The last delivery that was checked. */
  @Ref({ default: 0 }) cursorId: number;
  /** Number of included deliveries at the time of the draft. */
  @Int({ unsigned: true }) total: number;
  /** True if there were too many to count: older ones may be included too. */
  @Flag({ default: false }) totalAtLeast: boolean;
  @Int({ unsigned: true, default: 0 }) queued: number;
  /** Deliveries skipped because their event was erased. */
  @Int({ unsigned: true, default: 0 }) passedOver: number;
  /** Grows with every start. A workflow of an older run does nothing any more. */
  @Int({ unsigned: true, default: 0 }) run: number;
  @Ref({ nullable: true }) createdByUserId: number | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Moment({ nullable: true }) finishedAt: Date | null;
}
