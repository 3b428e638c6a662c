import { Entity, Index } from "typeorm";
import type {
  CalendarMode,
  ConnectionProvider,
  ConnectionState,
} from "../../core/model/calendar-connection.ts";
import { Id, Moment, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/**
 * The grant of one external account: a Google account, or a Calendly user. Revoking one token of a
 * Google account ends all of them, so its calendars share this row.
 */
@Entity("calendar_connections")
@Index("calendar_connections_external", ["accountId", "provider", "externalId"], { unique: true })
@Index("calendar_connections_subject", ["provider", "externalId"])
@Index("calendar_connections_slug", ["slug"], { unique: true })
export class CalendarConnection {
  @Id() id: number;
  @Ref() accountId: number;
  @Token(16) provider: ConnectionProvider;
  /**
   * Google's `sub`, or the URI of a Calendly user. `link-` and a number where nobody knows the
   * account, because the connection was made from a link of before connections existed.
   */
  @Token(255) externalId: string;
  @Text(320) email: string;
  @Text(200, { default: "" }) name: string;
  /** The credentials as JSON, encrypted at rest; null after a disconnect by an admin. */
  @Token(4096, { nullable: true }) sealed: string | null;
  /** Id of the key in SECRET_KEY that sealed them. */
  @Token(32, { nullable: true }) keyId: string | null;
  /**
   * Resource that the credentials are bound to, if they were sealed for a link before connections
   * existed; else null.
   */
  @Ref({ nullable: true }) boundResourceId: number | null;
  /** Granted scopes, separated by spaces. */
  @Token(1024, { default: "" }) scopes: string;
  @Token(16, { default: "connected" }) state: ConnectionState;
  /** `push`: the provider announces changes. `polling`: we ask for them. */
  @Token(8, { default: "polling" }) mode: CalendarMode;
  /** Reason for `polling`, as a word for programs; null if there is none to name. */
  @Token(64, { nullable: true }) modeReason: string | null;
  /** The unguessable part of a Calendly webhook URL: 26 base62 characters. Never logged. */
  @Token(26, { nullable: true }) slug: string | null;
  /** Time of the last complete sync of any calendar. */
  @Moment({ nullable: true }) lastSyncedAt: Date | null;
  /** Last error, as a word for programs; null once a sync has succeeded. */
  @Token(64, { nullable: true }) errorCode: string | null;
  @Moment({ nullable: true }) errorAt: Date | null;
  /** Time at which a person gave the present credentials. */
  @MomentNow() grantedAt: Date;
  @Ref({ nullable: true }) createdByUserId: number | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}
