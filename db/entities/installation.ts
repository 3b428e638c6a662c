import { Entity, PrimaryColumn } from "typeorm";
import { Flag, MomentNow, Token } from "./columns.ts";

/**
 * The one row with the id of this installation, and a value sealed with the key of its stored
 * secrets.
 */
@Entity("installation")
export class Installation {
  @PrimaryColumn({ type: "tinyint", unsigned: true }) id: number;
  /** Random, generated with the row. */
  @Token(16) installationId: string;
  /** True if the row is older than the id. Names in Temporal then do not contain the id. */
  @Flag({ default: false }) plainNames: boolean;
  @Token(255) secretCheck: string;
  @MomentNow() createdAt: Date;
}
