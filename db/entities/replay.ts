import { Entity, Index } from "typeorm";
import type { ReplayableState, ReplayState } from "../../core/model/replay.ts";
import { Flag, Id, Int, Json, Moment, MomentNow, Ref, Token } from "./columns.ts";

/** Many deliveries of one subscription that are sent again, and how far that has come. */
@Entity("replays")
@Index("replays_subscription", ["accountId", "subscriptionId", "id"])
@Index("replays_state", ["state", "id"])
export class Replay {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() subscriptionId: number;
  @Token(16) state: ReplayState;
  /** Deliveries in one of them, when their turn comes. */
  @Json() states: ReplayableState[];
  /** Null: of any age. */
  @Moment({ nullable: true }) since: Date | null;
  /** The newest delivery when it was drafted: later ones are not covered. */
  @Ref() newestId: number;
  /** The last delivery looked at. */
  @Ref({ default: 0 }) cursorId: number;
  /** Covered when it was drafted. */
  @Int({ unsigned: true }) total: number;
  /** There were too many to count: older ones may be covered too. */
  @Flag({ default: false }) totalAtLeast: boolean;
  @Int({ unsigned: true, default: 0 }) queued: number;
  /** Those whose event has been erased. */
  @Int({ unsigned: true, default: 0 }) passedOver: number;
  /** Grows with every start; a workflow of an older run does nothing any more. */
  @Int({ unsigned: true, default: 0 }) run: number;
  @Ref({ nullable: true }) createdByUserId: number | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Moment({ nullable: true }) finishedAt: Date | null;
}
