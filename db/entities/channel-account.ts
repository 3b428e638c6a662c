import { Entity, Index } from "typeorm";
import type { ChannelHealth } from "../../core/model/channel-setup.ts";
import type { ChannelDriver, ChannelState, RestChannel } from "../../core/model/channels.ts";
import { Flag, Id, Json, Moment, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/** A number, page or widget of the account. Ids of customers are scoped to it. */
@Entity("channel_accounts")
@Index("channel_accounts_external", ["accountId", "channel", "externalId"], { unique: true })
@Index("channel_accounts_held", ["heldSince", "id"])
@Index("channel_accounts_check", ["checkAt", "id"])
export class ChannelAccount {
  @Id() id: number;
  @Ref() accountId: number;
  @Token(16) channel: RestChannel;
  /** The provider's id of the number or page; `sandbox` on a fresh install. */
  @Token(128) externalId: string;
  @Text(200) name: string;
  /** True if the AI agent answers new conversations here. */
  @Flag({ default: true }) botDefault: boolean;
  /** Port that carries messages here; `sandbox` needs no credentials. */
  @Token(16, { default: "sandbox" }) driver: ChannelDriver;
  /** The Meta app whose webhooks reach this row; null on a sandbox. */
  @Ref({ nullable: true }) channelAppId: number | null;
  /** The WhatsApp Business Account or the Page that this row belongs to. */
  @Token(64, { nullable: true }) parentId: string | null;
  /** The business portfolio of a number. WhatsApp's ids of users are the same in all its numbers. */
  @Token(64, { nullable: true }) portfolioId: string | null;
  @Token(16, { default: "connected" }) state: ChannelState;
  /** Reason of a state other than `connected`, as a word for programs. */
  @Token(64, { nullable: true }) stateReason: string | null;
  /** Set while messages of the channel may be held. */
  @Moment({ nullable: true }) heldSince: Date | null;
  /** Meta lets people of this channel answer for 7 days, by the tag HUMAN_AGENT. */
  @Flag({ default: false }) humanAgent: boolean;
  /** A message that a person has opened is marked as read at the network. */
  @Flag({ default: true }) marksRead: boolean;
  /** Time of the last change of the state; null where there was none. */
  @Moment({ nullable: true }) stateAt: Date | null;
  /** Result of the last check; null until the network has answered one. */
  @Json({ nullable: true }) health: ChannelHealth | null;
  /** Time of the last check that the network has answered. */
  @Moment({ nullable: true }) checkedAt: Date | null;
  /** Time of the next check; null where there is nothing to check. A claim moves it by its lease. */
  @Moment({ nullable: true }) checkAt: Date | null;
  /** Time at which a check found the channel well although a send was refused. */
  @Moment({ nullable: true }) doubtedAt: Date | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}
