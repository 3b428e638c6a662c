import { Entity, PrimaryColumn } from "typeorm";
import { Flag, MomentNow, Token } from "./columns.ts";

/** The one row that says which installation this is, and which key its stored secrets were sealed with. */
@Entity("installation")
export class Installation {
  @PrimaryColumn({ type: "tinyint", unsigned: true }) id: number;
  /** Made at random with the row. */
  @Token(16) installationId: string;
  /** The row is older than the id, and names in Temporal go without it. */
  @Flag({ default: false }) plainNames: boolean;
  @Token(255) secretCheck: string;
  @MomentNow() createdAt: Date;
}
