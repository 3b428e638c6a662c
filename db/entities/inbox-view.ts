import { Entity, Index } from "typeorm";
import type { InboxOrder, InboxView } from "../../core/model/inbox-queue.ts";
import type { SavedViewFilter } from "../../core/model/saved-view.ts";
import { Flag, Id, Json, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/** A view of the inbox that a member saved, for themselves or for the account. */
@Entity("inbox_views")
@Index("inbox_views_account", ["accountId", "userId", "id"])
export class SavedInboxView {
  @Id() id: number;
  @Ref() accountId: number;
  /** The member who owns the view. */
  @Ref() userId: number;
  @Text(60) name: string;
  @Token(16) view: InboxView;
  @Json() filter: SavedViewFilter;
  @Token(8) listOrder: InboxOrder;
  @Flag({ default: false }) shared: boolean;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}
