import { Entity, Index, PrimaryColumn } from "typeorm";
import { Flag, Moment, MomentNow, Token } from "./columns.ts";

/** A worker process with its last heartbeat. */
@Entity("worker_heartbeats")
@Index("worker_heartbeats_seen", ["seenAt"])
export class WorkerHeartbeat {
  /** Host, process id and start. */
  @PrimaryColumn({ type: "varchar", length: 128, charset: "ascii", collation: "ascii_bin" })
  id: string;
  @Token(32) version: string;
  @Flag() temporalReachable: boolean;
  /** Version of the Temporal server that the worker reached last. */
  @Token(32, { nullable: true }) temporalVersion: string | null;
  /** `ip:port` at which the worker is told of new outbox rows. */
  @Token(64, { nullable: true }) doorbell: string | null;
  @MomentNow() startedAt: Date;
  @Moment() seenAt: Date;
}
