import { Entity, Index, PrimaryColumn } from "typeorm";
import type { ChangeKind } from "../../core/model/change.ts";
import { Id, MomentNow, Ref, Token } from "./columns.ts";

/**
 * That something in an account changed, for those who watch it live. `seq` is given after the commit:
 * ids are handed out before it, so a late commit would slip in behind a reader.
 */
@Entity("changes")
@Index("changes_account", ["accountId", "seq"])
@Index("changes_seq", ["seq", "id"])
export class Change {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref({ nullable: true }) seq: number | null;
  /** What to read again. */
  @Token(32) kind: ChangeKind;
  @Ref({ nullable: true }) conversationId: number | null;
  @Ref({ nullable: true }) contactId: number | null;
  @Ref({ nullable: true }) messageId: number | null;
  @Ref({ nullable: true }) deliveryId: number | null;
  @Ref({ nullable: true }) subscriptionId: number | null;
  @MomentNow() createdAt: Date;
}

/** The one row that holds the last `seq`; whoever numbers changes locks it. */
@Entity("change_sequence")
export class ChangeSequence {
  @PrimaryColumn({ type: "tinyint", unsigned: true }) id: number;
  @Ref() lastSeq: number;
  /** Up to here changes are deleted for their age: who saw less must read everything again. */
  @Ref({ default: 0 }) purgedSeq: number;
}
