import { Column, Entity, Index } from "typeorm";
import type { EndpointKind, InboundOutcome } from "../../core/model/inbound.ts";
import type {
  InboundVerdict,
  SignatureFault,
  SignatureHeader,
} from "../../core/model/inbound-log.ts";
import { Bytes, Flag, Id, Int, Moment, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/** A URL of ours that another system posts actions to. Deleted ones stay until their log is purged. */
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
  /** Whether calls need the signature of Standard Webhooks, whose timestamp ends replays. */
  @Flag({ default: false }) strict: boolean;
  /** Whether calls are taken. */
  @Flag({ default: true }) enabled: boolean;
  @Ref({ nullable: true }) createdByUserId: number | null;
  @Moment({ nullable: true }) deletedAt: Date | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/** A secret that callers sign with, encrypted at rest. Any that is still valid will do. */
@Entity("inbound_endpoint_secrets")
@Index("inbound_endpoint_secrets_endpoint", ["endpointId", "id"])
@Index("inbound_endpoint_secrets_valid", ["validUntil", "id"])
export class InboundEndpointSecret {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() endpointId: number;
  /** `v2.kid.nonce.tag.ciphertext`; `v1.` until it is sealed anew. */
  @Token(255) sealed: string;
  /** Which part of SECRET_KEY sealed it. */
  @Token(32) keyId: string;
  /** Null on the current one; an older one is taken until then. */
  @Moment({ nullable: true }) validUntil: Date | null;
  @MomentNow() createdAt: Date;
}

/** An event id that a caller sent, with what came of it, so that a repetition has no effect. */
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
  /** Null while the first call is under way; with the two ids all there is to say in an answer. */
  @Token(16, { nullable: true }) result: InboundOutcome["result"] | null;
  @Ref({ nullable: true }) contactId: number | null;
  @Ref({ nullable: true }) appointmentId: number | null;
  /** Until then the first call is taken to be alive. */
  @Moment() leaseUntil: Date;
  @MomentNow() createdAt: Date;
}

/** One call to an endpoint, refused ones too, kept for 30 days. */
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
  /** What the body asked for, as far as it could be read and is a word. */
  @Token(64, { nullable: true }) event: string | null;
  @Token(255, { nullable: true }) eventId: string | null;
  /** What the next four columns come to, in a word. */
  @Token(16) verdict: InboundVerdict;
  @Int({ unsigned: true }) statusCode: number;
  @Token(64, { nullable: true }) errorCode: string | null;
  @Token(16, { nullable: true }) result: InboundOutcome["result"] | null;
  /** Whether the answer was that of an earlier call with the same event id. */
  @Flag({ default: false }) replayed: boolean;
  @Ref({ nullable: true }) contactId: number | null;
  @Ref({ nullable: true }) appointmentId: number | null;
  @Token(45, { nullable: true }) ip: string | null;
  @Int({ unsigned: true }) durationMs: number;
  /** Of the whole body; null where it was not read to its end. */
  @Int({ unsigned: true, nullable: true }) bodyBytes: number | null;
  /** The first 64 KiB of a body whose signature fits; null for any other and after an erasure. */
  @Column({ type: "mediumblob", nullable: true }) body: Buffer | null;
  /** Why the signature was refused; this and what follows is null where it was not. */
  @Token(16, { nullable: true }) signatureFault: SignatureFault | null;
  @Token(32, { nullable: true }) signatureHeader: SignatureHeader | null;
  /** Seconds that a stale timestamp lay ahead of our clock, or behind it (negative). */
  @Int({ nullable: true }) clockOffSeconds: number | null;
  /** Which headers came, by name alone, separated by spaces. */
  @Token(1_000, { nullable: true }) headerNames: string | null;
  /** Of the whole body, to tell whether it is what the sender signed. */
  @Bytes(32, { nullable: true }) bodySha256: Buffer | null;
  /** More than one where the row stands for all that the rate limit refused within a minute. */
  @Int({ unsigned: true, default: 1 }) calls: number;
}
