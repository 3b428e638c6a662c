import { Column, Entity, Index } from "typeorm";
import { Bytes, Id, Int, Moment, MomentNow, Ref, Token } from "./columns.ts";

/** A caller's `Idempotency-Key` with the answer it got. */
@Entity("idempotency_keys")
@Index("idempotency_keys_call", ["accountId", "apiKeyId", "method", "path", "value"], {
  unique: true,
})
@Index("idempotency_keys_created", ["createdAt"])
@Index("idempotency_keys_contact", ["accountId", "contactId"])
export class IdempotencyKey {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() apiKeyId: number;
  @Token(8) method: string;
  @Token(255) path: string;
  @Token(255) value: string;
  @Bytes(32) bodyHash: Buffer;
  /** Null while the first call is under way. */
  @Int({ unsigned: true, nullable: true }) status: number | null;
  @Column({ type: "mediumblob", nullable: true }) answer: Buffer | null;
  /** Whom the answer tells of: it goes when the contact is erased. */
  @Ref({ nullable: true }) contactId: number | null;
  /** Until then the first call is taken to be alive. */
  @Moment() leaseUntil: Date;
  @MomentNow() createdAt: Date;
}
