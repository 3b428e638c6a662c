import { Entity, PrimaryColumn } from "typeorm";
import { MomentNow, Token } from "./columns.ts";

/** The one row that tells whether this process holds the key that the stored secrets were sealed with. */
@Entity("installation")
export class Installation {
  @PrimaryColumn({ type: "tinyint", unsigned: true }) id: number;
  @Token(255) secretCheck: string;
  @MomentNow() createdAt: Date;
}
