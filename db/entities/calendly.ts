import { Column, Entity, Index } from "typeorm";
import { Bytes, Flag, Id, Json, Moment, MomentNow, Ref, Text, Token } from "./columns.ts";

/** Facts of a connection with Calendly beside its grant. */
@Entity("calendly_accounts")
@Index("calendly_accounts_due", ["nextReadAt", "connectionId"])
export class CalendlyAccount {
  @Ref({ primary: true }) connectionId: number;
  @Ref() accountId: number;
  @Token(255) userUri: string;
  @Token(255) organizationUri: string;
  /** Bookings of the whole organization, or of the owner of the token. */
  @Token(16) scope: "organization" | "user";
  /** Id of our webhook subscription; null while there is none. */
  @Token(64, { nullable: true }) subscriptionId: string | null;
  /** Time of the next read; null once the connection has ended. */
  @Moment({ nullable: true }) nextReadAt: Date | null;
}

/** A host at Calendly, with the agenda of their bookings. */
@Entity("calendly_users")
@Index("calendly_users_external", ["connectionId", "externalId"], { unique: true })
export class CalendlyUser {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() connectionId: number;
  @Token(64) externalId: string;
  @Token(255) uri: string;
  @Text(254) name: string;
  @Text(254, { nullable: true }) email: string | null;
  @Ref({ nullable: true }) resourceId: number | null;
}

/** An event type of Calendly, with the service of its bookings. */
@Entity("calendly_event_types")
@Index("calendly_event_types_external", ["connectionId", "externalId"], { unique: true })
export class CalendlyEventType {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() connectionId: number;
  @Token(64) externalId: string;
  @Token(255) uri: string;
  @Text(254) name: string;
  @Ref({ nullable: true }) serviceId: number | null;
}

/** A webhook of Calendly. Its row outlives its body, so that a repetition is known. */
@Entity("calendly_requests")
@Index("calendly_requests_hash", ["connectionId", "hash"], { unique: true })
@Index("calendly_requests_state", ["state", "id"])
@Index("calendly_requests_age", ["receivedAt", "id"])
export class CalendlyRequest {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() connectionId: number;
  /** SHA-256 of the body. */
  @Bytes(32) hash: Buffer;
  /** The signed bytes; null once they are applied, because they hold personal data. */
  @Column({ type: "mediumblob", nullable: true }) body: Buffer | null;
  @Token(16) state: "queued" | "applied" | "ignored";
  @MomentNow() receivedAt: Date;
}

/**
 * States of an invitee. `unmapped`: none of its hosts has an agenda. `held`: cancelled as the first
 * half of a move whose other half is awaited. `moved`: another invitee took its place.
 */
export type CalendlyInviteeState = "active" | "unmapped" | "held" | "moved" | "cancelled";

/** An invitee of Calendly, with its appointment. */
@Entity("calendly_invitees")
@Index("calendly_invitees_external", ["connectionId", "externalId"], { unique: true })
@Index("calendly_invitees_event", ["connectionId", "eventId"])
@Index("calendly_invitees_appointment", ["appointmentId", "state"])
@Index("calendly_invitees_state", ["state", "heldUntil", "id"])
@Index("calendly_invitees_told", ["tellAt", "id"])
export class CalendlyInviteeRow {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() connectionId: number;
  @Token(64) externalId: string;
  @Token(64) eventId: string;
  @Token(16) state: CalendlyInviteeState;
  @Ref({ nullable: true }) appointmentId: number | null;
  /** Id of the invitee that takes the place of this one. */
  @Token(64, { nullable: true }) nextId: string | null;
  /** Event of that invitee. */
  @Token(64, { nullable: true }) nextEventId: string | null;
  /** End of the wait in the state `held`; null there: the next read settles the move. */
  @Moment({ nullable: true }) heldUntil: Date | null;
  @Flag({ default: false }) isGroup: boolean;
  @Token(64, { nullable: true }) noShowId: string | null;
  @Text(500, { nullable: true }) cancelUrl: string | null;
  @Text(500, { nullable: true }) rescheduleUrl: string | null;
  /** The booking of an `unmapped` invitee, until it has an agenda; else null. */
  @Json({ nullable: true }) booking: object | null;
  @Moment() startTime: Date;
  /** Host whose agenda has the appointment. */
  @Token(64, { nullable: true }) hostId: string | null;
  /** Calendly's time of the newest change that was applied here. */
  @Moment() changedAt: Date;
  /** Since when a change of ours is to be told to Calendly; null: nothing is to be told. */
  @Moment({ nullable: true }) tellAt: Date | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
}
