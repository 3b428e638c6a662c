import { Column, Entity, Index } from "typeorm";
import type { Locale } from "../../core/model/user.ts";
import { Id, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/** A text that people send often, found by its shortcut. */
@Entity("canned_answers")
@Index("canned_answers_shortcut", ["accountId", "ownerUserId", "shortcut"], { unique: true })
export class CannedAnswer {
  @Id() id: number;
  @Ref() accountId: number;
  /** The one person who may use it; 0: every member of the account. */
  @Ref({ default: 0 }) ownerUserId: number;
  @Text(40, { collation: "utf8mb4_0900_as_ci" }) shortcut: string;
  /** With its variables as written. */
  @Column({ type: "text" }) text: string;
  /** Language of the customers; null: any. */
  @Token(8, { nullable: true }) locale: Locale | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}
