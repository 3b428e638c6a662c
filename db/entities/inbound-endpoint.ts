import { Column, Entity, Index } from "typeorm";
import type { EndpointKind, InboundOutcome } from "../../core/model/inbound.ts";
import type {
  InboundVerdict,
  SignatureFault,
  SignatureHeader,
} from "../../core/model/inbound-log.ts";
import { Bytes, Flag, Id, Int, Moment, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/**
 * A URL of ours that another system posts actions to. Deleted ones stay until their log is purged.
 */
@Entity("inbound_endpoints")
@Index("inbound_endpoints_slug", ["slug"], { unique: true })
@Index("inbound_endpoints_account", ["accountId", "kind", "id"])
export class InboundEndpoint {
  @Id() id: number;
  @Ref() accountId: number;
  @Token(16, { default: "inbound" }) kind: EndpointKind;
  @Text(200) name: string;
  /** The unguessable part of the URL: 26 base62 characters. Never logged. */
  @Token(26) slug: string;
  /**
   * True if calls need the signature of Standard Webhooks, whose timestamp prevents replays (rule
   * C66).
   */
  @Flag({ default: false }) strict: boolean;
  /** True while calls are accepted. */
  @Flag({ default: true }) enabled: boolean;
  @Ref({ nullable: true }) createdByUserId: number | null;
  @Moment({ nullable: true }) deletedAt: Date | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/** A signing secret of callers, encrypted at rest. Every secret that is still valid is accepted. */
@Entity("inbound_endpoint_secrets")
@Index("inbound_endpoint_secrets_endpoint", ["endpointId", "id"])
@Index("inbound_endpoint_secrets_valid", ["validUntil", "id"])
export class InboundEndpointSecret {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() endpointId: number;
  /** `v2.kid.nonce.tag.ciphertext`; `v1.` until it is resealed. */
  @Token(255) sealed: string;
  /** Id of the key in SECRET_KEY that sealed it. */
  @Token(32) keyId: string;
  /** Null for the current secret. An older secret is accepted until this time. */
  @Moment({ nullable: true }) validUntil: Date | null;
  @MomentNow() createdAt: Date;
}

/** A caller's event id, with the outcome of its call, so that a repetition has no effect. */
@Entity("inbound_events")
@Index("inbound_events_id", ["endpointId", "eventId"], { unique: true })
@Index("inbound_events_contact", ["accountId", "contactId"])
@Index("inbound_events_created", ["createdAt"])
export class InboundEvent {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() endpointId: number;
  @Token(255) eventId: string;
  @Bytes(32) bodyHash: Buffer;
  /** Null while the first call is running. Result and the two ids are enough to build an answer. */
  @Token(16, { nullable: true }) result: InboundOutcome["result"] | null;
  @Ref({ nullable: true }) contactId: number | null;
  @Ref({ nullable: true }) appointmentId: number | null;
  /** Until this time the first call counts as running. */
  @Moment() leaseUntil: Date;
  @MomentNow() createdAt: Date;
}

/** One call to an endpoint, even a refused one. Kept for 30 days. */
@Entity("inbound_requests")
@Index("inbound_requests_endpoint", ["accountId", "endpointId", "receivedAt"])
@Index("inbound_requests_verdict", ["accountId", "endpointId", "verdict", "receivedAt"])
@Index("inbound_requests_contact", ["accountId", "contactId"])
@Index("inbound_requests_received", ["receivedAt"])
export class InboundRequest {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() endpointId: number;
  @Moment() receivedAt: Date;
  /** Event in the body, if the body could be read and the event is a word. */
  @Token(64, { nullable: true }) event: string | null;
  @Token(255, { nullable: true }) eventId: string | null;
  /** Summary of the next four columns. */
  @Token(16) verdict: InboundVerdict;
  @Int({ unsigned: true }) statusCode: number;
  @Token(64, { nullable: true }) errorCode: string | null;
  @Token(16, { nullable: true }) result: InboundOutcome["result"] | null;
  /** True if the answer was that of an earlier call with the same event id. */
  @Flag({ default: false }) replayed: boolean;
  @Ref({ nullable: true }) contactId: number | null;
  @Ref({ nullable: true }) appointmentId: number | null;
  @Token(45, { nullable: true }) ip: string | null;
  @Int({ unsigned: true }) durationMs: number;
  /** Bytes of the whole body; null if the body was not read to its end. */
  @Int({ unsigned: true, nullable: true }) bodyBytes: number | null;
  /**
   * The first 64 KiB of a body with a valid signature; null for any other, and after an erasure.
   */
  @Column({ type: "mediumblob", nullable: true }) body: Buffer | null;
  /**
   * Reason for a refused signature. This column and the next four are null unless a signature was
   * refused.
   */
  @Token(16, { nullable: true }) signatureFault: SignatureFault | null;
  @Token(32, { nullable: true }) signatureHeader: SignatureHeader | null;
  /** Difference of a stale timestamp to our clock in seconds, positive if it was ahead. */
  @Int({ nullable: true }) clockOffSeconds: number | null;
  /** Names of the headers without their values, separated by spaces. */
  @Token(1_000, { nullable: true }) headerNames: string | null;
  /** Hash of the whole body, to compare with the body that the sender signed. */
  @Bytes(32, { nullable: true }) bodySha256: Buffer | null;
  /** Above 1 if the row stands for all calls that the rate limit refused within a minute. */
  @Int({ unsigned: true, default: 1 }) calls: number;
}
