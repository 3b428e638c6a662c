import { Entity, Index } from "typeorm";
import type { AgentSettings, ProviderKind } from "../../core/model/agent.ts";
import { Flag, Id, Int, Json, Moment, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/** The AI agent of an account: its switch, and the settings that people edit. */
@Entity("agent_profiles")
@Index("agent_profiles_account", ["accountId"], { unique: true })
export class AgentProfile {
  @Id() id: number;
  @Ref() accountId: number;
  @Flag({ default: false }) enabled: boolean;
  /** Settings that are not published yet. */
  @Json() draft: AgentSettings;
  /** Number of the version that answers customers. */
  @Int({ unsigned: true }) publishedNumber: number;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/** Settings as they were published. A version never changes. */
@Entity("agent_versions")
@Index("agent_versions_number", ["accountId", "number"], { unique: true })
export class AgentVersion {
  @Id() id: number;
  @Ref() accountId: number;
  @Int({ unsigned: true }) number: number;
  @Json() settings: AgentSettings;
  @Ref({ nullable: true }) publishedByUserId: number | null;
  @MomentNow() createdAt: Date;
}

/** A model provider of an account. Providers serve in the order of `position`. */
@Entity("agent_providers")
@Index("agent_providers_account", ["accountId", "position", "id"])
export class AgentProvider {
  @Id() id: number;
  @Ref() accountId: number;
  @Token(20) kind: ProviderKind;
  /** Null: the provider's own address. */
  @Token(500, { nullable: true }) baseUrl: string | null;
  @Text(200) model: string;
  /** The API key, `v2.kid.nonce.tag.ciphertext`. */
  @Token(1024) sealed: string;
  /** Id of the key in SECRET_KEY that sealed it. */
  @Token(32) keyId: string;
  /** The end of the API key, for people. */
  @Token(4, { default: "" }) keyHint: string;
  /** Millionths of the account's currency for a million tokens. */
  @Int({ unsigned: true, default: 0 }) inputPrice: number;
  @Int({ unsigned: true, default: 0 }) outputPrice: number;
  @Int({ unsigned: true, default: 0 }) position: number;
  /** Other providers serve until then. */
  @Moment({ nullable: true }) failingUntil: Date | null;
  /** First failure since the last answer; null while the provider serves. */
  @Moment({ nullable: true }) failingSince: Date | null;
  /** Class of the last failure. */
  @Token(32, { nullable: true }) failure: string | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}
