import { Entity, Index } from "typeorm";
import type { Role } from "../../core/model/principal.ts";
import type { UserLinkKind } from "../../core/model/user.ts";
import { Bytes, Flag, Id, Moment, MomentNow, Ref, Text, Token } from "./columns.ts";

/** A link that works once: into an account, or to a new password. Only its token's SHA-256 is kept. */
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
  /** Of an invitation: lower case, compared like the email of a user. */
  @Text(254, { nullable: true, collation: "utf8mb4_0900_as_ci" }) email: string | null;
  /** Whose password a reset sets; of an invitation, who accepted it. */
  @Ref({ nullable: true }) userId: number | null;
  /** It goes by mail and nobody else sees it: who opens it has proved the email. */
  @Flag({ default: false }) provesEmail: boolean;
  @Token(16, { nullable: true }) role: Role | null;
  @Text(200, { nullable: true }) name: string | null;
  @Moment() expiresAt: Date;
  @Moment({ nullable: true }) usedAt: Date | null;
  /** Withdrawn, replaced by a newer link, or overtaken by a change of the password. */
  @Moment({ nullable: true }) revokedAt: Date | null;
  @Ref() createdByUserId: number;
  @MomentNow() createdAt: Date;
}
