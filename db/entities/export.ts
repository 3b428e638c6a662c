import { Entity, Index } from "typeorm";
import type { ExportError, ExportKind, ExportState } from "../../core/model/export.ts";
import { Id, Int, Json, Moment, MomentNow, Ref, Token } from "./columns.ts";

/** A file that a person has asked for, and its link. */
@Entity("exports")
@Index("exports_list", ["accountId", "id"])
@Index("exports_open", ["accountId", "state", "id"])
@Index("exports_state", ["state", "id"])
@Index("exports_expires", ["expiresAt", "id"])
@Index("exports_created", ["createdAt", "id"])
export class Export {
  @Id() id: number;
  @Ref() accountId: number;
  @Token(16) kind: ExportKind;
  @Token(16) state: ExportState;
  /** Filters of the list, moments as ISO texts; null for one contact. */
  @Json({ nullable: true }) filters: Record<string, unknown> | null;
  /** Set for one contact. */
  @Ref({ nullable: true }) contactId: number | null;
  @Int({ unsigned: true, default: 0 }) rows: number;
  /** Null until the storage has the file, and once the file is gone. */
  @Token(191, { nullable: true }) storageKey: string | null;
  /** Bytes. */
  @Ref({ nullable: true }) size: number | null;
  @Token(32, { nullable: true }) errorCode: ExportError | null;
  @Ref() createdByUserId: number;
  @MomentNow() createdAt: Date;
  @Moment({ nullable: true }) finishedAt: Date | null;
  /** End of the link and of the file. */
  @Moment({ nullable: true }) expiresAt: Date | null;
}
