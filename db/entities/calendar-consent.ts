import { Entity, Index } from "typeorm";
import { Bytes, Moment, Ref } from "./columns.ts";

/** A consent to an external account that an admin has begun. Using it deletes the row. */
@Entity("calendar_consents")
@Index("calendar_consents_expires", ["expiresAt"])
export class CalendarConsent {
  /** SHA-256 of the provider and the state in the address. */
  @Bytes(32, { primary: true }) stateHash: Buffer;
  @Ref() accountId: number;
  @Ref() userId: number;
  /** SHA-256 of the token of the login that began it. */
  @Bytes(32) sessionHash: Buffer;
  /** Connection that is connected again; null for any account. */
  @Ref({ nullable: true }) connectionId: number | null;
  @Moment() expiresAt: Date;
}
