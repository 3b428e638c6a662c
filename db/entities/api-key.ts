import { Entity, Index } from "typeorm";
import type { Scope } from "../../core/model/principal.ts";
import { Bytes, Id, Json, Moment, MomentNow, Ref, Text, Token } from "./columns.ts";

/**
 * A key of API v1. Only its SHA-256 is stored; prefix and last four characters help to recognize
 * the key.
 */
@Entity("api_keys")
@Index("api_keys_hash", ["keyHash"], { unique: true })
@Index("api_keys_account", ["accountId", "id"])
export class ApiKey {
  @Id() id: number;
  @Ref() accountId: number;
  @Text(200) name: string;
  @Json() scopes: Scope[];
  @Bytes(32) keyHash: Buffer;
  @Token(16) prefix: string;
  @Token(4) lastFour: string;
  @Moment({ nullable: true }) expiresAt: Date | null;
  @Moment({ nullable: true }) revokedAt: Date | null;
  /** Written at most once a minute, outside the request's transaction. */
  @Moment({ nullable: true }) lastUsedAt: Date | null;
  /** The key that this key replaced in a rotation. */
  @Ref({ nullable: true }) replacesId: number | null;
  @Ref({ nullable: true }) createdByUserId: number | null;
  @MomentNow() createdAt: Date;
}
