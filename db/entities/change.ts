import { Entity, Index, PrimaryColumn } from "typeorm";
import type { ChangeKind } from "../../core/model/change.ts";
import { Id, MomentNow, Ref, Token } from "./columns.ts";

/**
 * A change in an account, for live views. `seq` is assigned after the commit. Ids are assigned
 * before it, so a late commit would appear behind a reader's position.
 */
@Entity("changes")
@Index("changes_account", ["accountId", "seq"])
@Index("changes_conversation", ["conversationId", "seq"])
@Index("changes_seq", ["seq", "id"])
export class Change {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref({ nullable: true }) seq: number | null;
  /** Kind of the rows to read again. */
  @Token(32) kind: ChangeKind;
  @Ref({ nullable: true }) conversationId: number | null;
  @Ref({ nullable: true }) contactId: number | null;
  @Ref({ nullable: true }) messageId: number | null;
  @Ref({ nullable: true }) deliveryId: number | null;
  @Ref({ nullable: true }) subscriptionId: number | null;
  @MomentNow() createdAt: Date;
}

/** The one row with the last `seq`. Every transaction that numbers changes locks it. */
@Entity("change_sequence")
export class ChangeSequence {
  @PrimaryColumn({ type: "tinyint", unsigned: true }) id: number;
  @Ref() lastSeq: number;
  /**
   * Changes up to this number were deleted by age. A reader with a lower number must read
   * everything again.
   */
  @Ref({ default: 0 }) purgedSeq: number;
}
