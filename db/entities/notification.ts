import { Entity, Index, PrimaryColumn } from "typeorm";
import type { NotificationKind } from "../../core/model/notification.ts";
import { Flag, Id, Json, MomentNow, Ref, Token } from "./columns.ts";

/** A notification for the people of an account. Its text is made from kind and params. */
@Entity("notifications")
@Index("notifications_dedupe", ["accountId", "dedupeKey"], { unique: true })
@Index("notifications_account", ["accountId", "id"])
@Index("notifications_group", ["accountId", "groupKey", "id"])
@Index("notifications_created", ["createdAt", "id"])
export class Notification {
  @Id() id: number;
  @Ref() accountId: number;
  @Token(64) kind: NotificationKind;
  @Json() params: Record<string, string | number | null>;
  /** Recording the same key again adds no second notification. */
  @Token(128) dedupeKey: string;
  /** Key of a group of notifications, which the Dashboard shows as one line. */
  @Token(128) groupKey: string;
  @Ref({ nullable: true }) deliveryId: number | null;
  @Ref({ nullable: true }) subscriptionId: number | null;
  @Ref({ nullable: true }) conversationId: number | null;
  @Ref({ nullable: true }) appointmentId: number | null;
  /** Null: for every member of the account. */
  @Ref({ nullable: true }) userId: number | null;
  @Flag({ default: false }) adminsOnly: boolean;
  @MomentNow() createdAt: Date;
}

/** A notification that one person has read. */
@Entity("notification_reads")
@Index("notification_reads_notification", ["notificationId"])
export class NotificationRead {
  @PrimaryColumn({ type: "bigint", unsigned: true }) userId: number;
  @PrimaryColumn({ type: "bigint", unsigned: true }) notificationId: number;
  @MomentNow() readAt: Date;
}

/** A person's choice for one kind of notification, in all their accounts. */
@Entity("notification_preferences")
export class NotificationPreferenceRow {
  @PrimaryColumn({ type: "bigint", unsigned: true }) userId: number;
  @PrimaryColumn({ type: "varchar", length: 64, charset: "ascii", collation: "ascii_bin" })
  kind: NotificationKind;
  @Flag() app: boolean;
  @Flag() desktop: boolean;
  @Flag() email: boolean;
  @MomentNow() updatedAt: Date;
}
