import { Column, Entity, Index } from "typeorm";
import { Bytes, Id, Int, Moment, MomentNow, Ref, Token } from "./columns.ts";

/** A caller's `Idempotency-Key` with its answer. */
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
  /** Null while the first call is running. */
  @Int({ unsigned: true, nullable: true }) status: number | null;
  @Column({ type: "mediumblob", nullable: true }) answer: Buffer | null;
  /** The contact in the answer: the row is deleted when the contact is erased. */
  @Ref({ nullable: true }) contactId: number | null;
  /** Until this time the first call counts as running. */
  @Moment() leaseUntil: Date;
  @MomentNow() createdAt: Date;
}
