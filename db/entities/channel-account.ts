import { Entity, Index } from "typeorm";
import type { ChannelDriver, RestChannel } from "../../core/model/channels.ts";
import { Flag, Id, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/** A number, page or widget of the account. Ids of customers are scoped to it. */
@Entity("channel_accounts")
@Index("channel_accounts_external", ["accountId", "channel", "externalId"], { unique: true })
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
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}
