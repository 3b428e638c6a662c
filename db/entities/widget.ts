import { Entity, Index } from "typeorm";
import type { IdentityMode, WidgetLocale, WidgetSettings } from "../../core/model/widget.ts";
import type { SiteContext } from "../../core/model/site-context.ts";
import type { StoredVisit } from "../../core/model/visits.ts";
import type { VisitedPage } from "../../core/model/widget-visit.ts";
import { Bytes, Flag, Id, Json, Moment, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/** The web chat of a company's site: one for each channel account of the driver `web`. */
@Entity("widgets")
@Index("widgets_key", ["publicKey"], { unique: true })
@Index("widgets_channel", ["channelAccountId"], { unique: true })
@Index("widgets_account", ["accountId", "id"])
export class Widget {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() channelAccountId: number;
  /** Part of the address of the script: 26 base62 characters. */
  @Token(26) publicKey: string;
  /** Sites that may show the widget; empty: any. */
  @Json() allowedOrigins: string[];
  @Json() settings: WidgetSettings;
  @Token(16, { default: "off" }) identityMode: IdentityMode;
  /** PEM of the ES256 key that signs identities; null: the secret signs them. */
  @Text(2000, { nullable: true }) identityPublicKey: string | null;
  /** When a site last showed the widget, to about 10 s, and the origin of that site. */
  @Moment({ nullable: true }) seenAt: Date | null;
  @Text(255, { nullable: true }) seenOn: string | null;
  @Moment({ nullable: true }) deletedAt: Date | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/** A secret that signs identities of visitors, encrypted at rest. */
@Entity("widget_secrets")
@Index("widget_secrets_widget", ["widgetId", "id"])
@Index("widget_secrets_valid", ["validUntil", "id"])
export class WidgetSecret {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() widgetId: number;
  @Token(512) sealed: string;
  @Token(32) keyId: string;
  /** Null for the current secret. An older one is accepted until this time. */
  @Moment({ nullable: true }) validUntil: Date | null;
  @MomentNow() createdAt: Date;
}

/** A visitor's session. It writes no contact and no conversation before the first message. */
@Entity("widget_sessions")
@Index("widget_sessions_token", ["tokenHash"], { unique: true })
@Index("widget_sessions_resume", ["resumeHash"])
@Index("widget_sessions_previous", ["previousResumeHash"])
@Index("widget_sessions_conversation", ["conversationId", "id"])
@Index("widget_sessions_contact", ["contactId", "id"])
@Index("widget_sessions_visitor", ["widgetId", "visitorId", "id"])
@Index("widget_sessions_seen", ["lastSeenAt", "id"])
export class WidgetSession {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() widgetId: number;
  @Ref() channelAccountId: number;
  /** The visitor's id on the channel: `v_` and 22 base62 characters, or `u_` and the verified id. */
  @Token(128) visitorId: string;
  /** Both null until the first message. */
  @Ref({ nullable: true }) contactId: number | null;
  @Ref({ nullable: true }) conversationId: number | null;
  /** SHA-256 of the bearer token, which ends at `expiresAt`. */
  @Bytes(32) tokenHash: Buffer;
  @Moment() expiresAt: Date;
  /** SHA-256 of the secret that resumes the visitor; null where nothing may be kept. */
  @Bytes(32, { nullable: true }) resumeHash: Buffer | null;
  /** The secret before it, accepted until `previousUntil`: two tabs may resume at once. */
  @Bytes(32, { nullable: true }) previousResumeHash: Buffer | null;
  @Moment({ nullable: true }) previousUntil: Date | null;
  @Moment({ nullable: true }) resumeExpiresAt: Date | null;
  /** `sub` of the signed identity; null while nobody has proved one. */
  @Token(120, { nullable: true }) verifiedSub: string | null;
  /** This session made the contact, so an identity may take the contact over. */
  @Flag({ default: false }) madeContact: boolean;
  @Token(8) locale: WidgetLocale;
  /** The page that the visitor is on. */
  @Json({ nullable: true }) page: VisitedPage | null;
  /** The last visits, oldest first. The newest one is of `page`. */
  @Json({ nullable: true }) visits: StoredVisit[] | null;
  /** Facts that the site has told, in place of those before. */
  @Json({ nullable: true }) context: SiteContext | null;
  /** Name, email and phone that the visitor gave before the first message. */
  @Json({ nullable: true }) said: { name?: string; email?: string; phone?: string } | null;
  /** The company's newest message that the visitor has seen. */
  @Ref({ nullable: true }) readMessageId: number | null;
  @Moment() lastSeenAt: Date;
  @Moment({ nullable: true }) endedAt: Date | null;
  @MomentNow() createdAt: Date;
}

/** A file that a visitor has uploaded. A message takes it within an hour, or it goes. */
@Entity("widget_uploads")
@Index("widget_uploads_age", ["createdAt", "id"])
@Index("widget_uploads_session", ["sessionId", "id"])
export class WidgetUpload {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() sessionId: number;
  @Text(255, { nullable: true }) filename: string | null;
  @Token(128) mime: string;
  /** Bytes. */
  @Ref() size: number;
  @Bytes(32) sha256: Buffer;
  /** Null until the storage has the file. */
  @Token(191, { nullable: true }) storageKey: string | null;
  @MomentNow() createdAt: Date;
}
