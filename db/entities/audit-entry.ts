import { Entity, Index } from "typeorm";
import { Id, Json, MomentNow, Ref, Text, Token } from "./columns.ts";

/** An action: its actor, target, time and origin. Never holds a secret or a body. */
@Entity("audit_log")
@Index("audit_log_account", ["accountId", "id"])
@Index("audit_log_created", ["createdAt", "id"])
export class AuditEntry {
  @Id() id: number;
  @Ref() accountId: number;
  @Token(32) actorType: string;
  @Ref({ nullable: true }) actorId: number | null;
  /** `subscription.created`, `api_key.revoked`. */
  @Token(64) action: string;
  @Token(32) targetType: string;
  @Ref({ nullable: true }) targetId: number | null;
  @Json({ nullable: true }) details: Record<string, unknown> | null;
  @Token(45, { nullable: true }) ip: string | null;
  @Text(128, { nullable: true }) requestId: string | null;
  @MomentNow() createdAt: Date;
}
