import { Entity, Index } from "typeorm";
import type { MacroStep } from "../../core/model/macro.ts";
import { Id, Json, MomentNow, Ref, Text, Version } from "./columns.ts";

/** Several steps that a person takes at once in a conversation. */
@Entity("macros")
@Index("macros_owner", ["accountId", "ownerUserId", "name", "id"])
export class Macro {
  @Id() id: number;
  @Ref() accountId: number;
  /** The one person who may use it; 0: every member of the account. */
  @Ref({ default: 0 }) ownerUserId: number;
  @Text(200) name: string;
  @Json() steps: MacroStep[];
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}
