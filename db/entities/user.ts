import { Entity, Index } from "typeorm";
import type { ContactFilter } from "../../core/model/contact-filter.ts";
import type { Role } from "../../core/model/principal.ts";
import { Bytes, Id, Json, Moment, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/** A person, known by a confirmed email across the installation, or by any email in one account. */
@Entity("users")
@Index("users_email", ["email", "unconfirmedAccountId"], { unique: true })
export class User {
  @Id() id: number;
  /** Lower case; accents count, or `josé@` could log in as `jose@`. */
  @Text(254, { collation: "utf8mb4_0900_as_ci" }) email: string;
  /** The account of a person whose email is not confirmed; 0 once it is confirmed. */
  @Ref({ default: 0 }) unconfirmedAccountId: number;
  @Text(200) name: string;
  /** argon2id in PHC form. */
  @Token(200) passwordHash: string;
  @Token(8, { nullable: true }) locale: string | null;
  @Moment({ nullable: true }) disabledAt: Date | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/** A person's membership in one account. */
@Entity("memberships")
@Index("memberships_account_user", ["accountId", "userId"], { unique: true })
@Index("memberships_user", ["userId", "id"])
export class Membership {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() userId: number;
  @Token(16) role: Role;
  /** Time since which this account is closed to the person. Their other accounts stay open. */
  @Moment({ nullable: true }) disabledAt: Date | null;
  /**
   * Time of the last handoff assigned to the person here, because handoffs are assigned in turn.
   */
  @Moment({ nullable: true }) lastAssignedAt: Date | null;
  /** Filters of the contact list that the person saved here; null before the first one. */
  @Json({ nullable: true }) contactFilters: ContactFilter[] | null;
  @MomentNow() createdAt: Date;
}

/** A login. The cookie holds the token, this row its SHA-256. */
@Entity("sessions")
@Index("sessions_token", ["tokenHash"], { unique: true })
@Index("sessions_user", ["userId"])
@Index("sessions_expires", ["expiresAt"])
export class Session {
  /** Public id of the login for the person; the token's hash is never shown. */
  @Id() id: number;
  @Bytes(32) tokenHash: Buffer;
  @Ref() userId: number;
  /** The current account of the login. */
  @Ref() accountId: number;
  @Text(200, { nullable: true }) userAgent: string | null;
  @Token(45, { nullable: true }) ip: string | null;
  @MomentNow() createdAt: Date;
  @Moment() lastSeenAt: Date;
  @Moment() expiresAt: Date;
}
