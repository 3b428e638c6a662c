import { Entity, Index } from "typeorm";
import type { Role } from "../../core/model/principal.ts";
import type { UserLinkKind } from "../../core/model/user.ts";
import { Bytes, Flag, Id, Moment, MomentNow, Ref, Text, Token } from "./columns.ts";

/** A one-time link: into an account, or to a new password. Only its token's SHA-256 is stored. */
@Entity("user_links")
@Index("user_links_token", ["tokenHash"], { unique: true })
@Index("user_links_account", ["accountId", "kind", "id"])
@Index("user_links_user", ["userId"])
@Index("user_links_expires", ["expiresAt", "id"])
export class UserLink {
  @Id() id: number;
  @Ref() accountId: number;
  @Token(16) kind: UserLinkKind;
  @Bytes(32) tokenHash: Buffer;
  /** Email of an invitation: lower case, compared like the email of a user. */
  @Text(254, { nullable: true, collation: "utf8mb4_0900_as_ci" }) email: string | null;
  /** The user of a password reset, or the user who accepted an invitation. */
  @Ref({ nullable: true }) userId: number | null;
  /** The link is sent by mail and never shown elsewhere, so its use proves the email. */
  @Flag({ default: false }) provesEmail: boolean;
  @Token(16, { nullable: true }) role: Role | null;
  @Text(200, { nullable: true }) name: string | null;
  @Moment() expiresAt: Date;
  @Moment({ nullable: true }) usedAt: Date | null;
  /**
   * Set if the link was withdrawn, replaced by a newer link, or made obsolete by a change of the
   * password.
   */
  @Moment({ nullable: true }) revokedAt: Date | null;
  @Ref() createdByUserId: number;
  @MomentNow() createdAt: Date;
}
