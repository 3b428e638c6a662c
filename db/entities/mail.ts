import { Entity, Index } from "typeorm";
import type { MailKind, MailState } from "../../core/model/mail.ts";
import { Id, Int, Moment, MomentNow, Ref, Token } from "./columns.ts";

/** A mail to one person. It holds ids; address and text are read when it is sent. */
@Entity("mails")
@Index("mails_dedupe", ["accountId", "dedupeKey"], { unique: true })
@Index("mails_link", ["userLinkId", "id"])
@Index("mails_state", ["state", "id"])
@Index("mails_created", ["createdAt", "id"])
export class Mail {
  @Id() id: number;
  @Ref() accountId: number;
  @Token(16) kind: MailKind;
  @Token(16) state: MailState;
  /** The one-time link in the mail. */
  @Ref({ nullable: true }) userLinkId: number | null;
  /** The recipient of a mail without a link. */
  @Ref({ nullable: true }) userId: number | null;
  @Ref({ nullable: true }) conversationId: number | null;
  @Ref({ nullable: true }) appointmentId: number | null;
  /** At most one mail of an account has this key. */
  @Token(100, { nullable: true }) dedupeKey: string | null;
  /** The link's token or the booking's mail, encrypted; null once the mail is finished. */
  @Token(1024, { nullable: true }) sealed: string | null;
  /** The part of SECRET_KEY that sealed the token. */
  @Token(32, { nullable: true }) keyId: string | null;
  @Int({ unsigned: true, default: 0 }) tries: number;
  /** The mail server's last refusal: codes only. */
  @Token(64, { nullable: true }) error: string | null;
  /** The time of the next try. */
  @Moment() dueAt: Date;
  @MomentNow() createdAt: Date;
  @Moment({ nullable: true }) finishedAt: Date | null;
}
