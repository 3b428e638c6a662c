import { Entity, Index, PrimaryColumn } from "typeorm";
import type { StoredHeartbeat } from "../../core/model/presence.ts";
import { Int, Json, MomentNow } from "./columns.ts";

/** Heartbeats of people in conversations that came to one API process. One row per process. */
@Entity("process_presence")
@Index("process_presence_updated", ["updatedAt"])
export class ProcessPresence {
  @PrimaryColumn({ type: "varchar", length: 36, charset: "ascii", collation: "ascii_bin" })
  processId: string;
  /** Grows with each write, so that other processes read only what changed. */
  @Int({ unsigned: true, default: 1 }) version: number;
  @Json() heartbeats: StoredHeartbeat[];
  /** By the clock of the database. */
  @MomentNow() updatedAt: Date;
}
