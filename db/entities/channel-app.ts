import { Entity, Index } from "typeorm";
import { Id, Int, Json, Moment, MomentNow, Ref, Token } from "./columns.ts";

/** A Meta app of an account. Its webhooks arrive at a URL of its own. */
@Entity("channel_apps")
@Index("channel_apps_slug", ["slug"], { unique: true })
@Index("channel_apps_app", ["accountId", "appId"], { unique: true })
export class ChannelApp {
  @Id() id: number;
  @Ref() accountId: number;
  /** Meta's id of the app. */
  @Token(32) appId: string;
  /** The unguessable part of the URL: 26 base62 characters. Never logged. */
  @Token(26) slug: string;
  /** Webhooks with a wrong signature since the secrets were saved. */
  @Int({ unsigned: true, default: 0 }) badSignatures: number;
  @Moment({ nullable: true }) badSignatureAt: Date | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
}

/** Use of a secret of an app: Instagram Login signs with a secret of its own. */
export type ChannelSecretKind = "app" | "instagram" | "verify";

/** A secret of a Meta app, encrypted at rest. Every signing secret that is still valid is accepted. */
@Entity("channel_app_secrets")
@Index("channel_app_secrets_app", ["channelAppId", "id"])
@Index("channel_app_secrets_valid", ["validUntil", "id"])
export class ChannelAppSecret {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() channelAppId: number;
  @Token(16) kind: ChannelSecretKind;
  @Token(512) sealed: string;
  /** Id of the key in SECRET_KEY that sealed it. */
  @Token(32) keyId: string;
  /** Null for the current secret. An older secret is accepted until this time. */
  @Moment({ nullable: true }) validUntil: Date | null;
  @MomentNow() createdAt: Date;
}

/** The access token of a channel account, encrypted at rest. */
@Entity("channel_account_tokens")
@Index("channel_account_tokens_channel", ["channelAccountId"], { unique: true })
export class ChannelAccountToken {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() channelAccountId: number;
  @Token(2048) sealed: string;
  @Token(32) keyId: string;
  /** Permissions of the token; null where the network does not say. */
  @Json({ nullable: true }) scopes: string[] | null;
  /** Null: the token does not expire, or nobody knows. */
  @Moment({ nullable: true }) expiresAt: Date | null;
  @MomentNow() createdAt: Date;
}

/** A field of Meta's webhooks that has arrived for a number, a Page or a business account. */
@Entity("channel_app_fields")
@Index("channel_app_fields_field", ["channelAppId", "externalId", "field"], { unique: true })
export class ChannelAppField {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() channelAppId: number;
  /** Meta's id of the number, Page, Instagram account or WhatsApp Business Account. */
  @Token(128) externalId: string;
  @Token(64) field: string;
  /** Time of the last arrival, to about 10 s. */
  @Moment() seenAt: Date;
}
