import { Entity } from "typeorm";
import { Id, Json, Moment, MomentNow, Text, Token, Version } from "./columns.ts";

/**
 * A company in this installation. All data of customers belongs to one account. A user may be a
 * member of several.
 */
@Entity("accounts")
export class Account {
  @Id() id: number;
  @Text(200) name: string;
  /** IANA name, such as `America/Mexico_City`. */
  @Token(64, { default: "UTC" }) timeZone: string;
  /** `en` or `es`. */
  @Token(8, { default: "en" }) locale: string;
  @Json() settings: Record<string, unknown>;
  @Moment({ nullable: true }) disabledAt: Date | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}
