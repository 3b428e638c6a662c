import { Entity, Index } from "typeorm";
import { Bytes, Flag, Id, Moment, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/** A public page for bookings: of a resource, a service, or a service of one resource. */
@Entity("booking_links")
@Index("booking_links_slug", ["slug"], { unique: true })
@Index("booking_links_account", ["accountId", "id"])
export class BookingLink {
  @Id() id: number;
  @Ref() accountId: number;
  /** The unguessable part of the URL: 26 base62 characters. */
  @Token(26) slug: string;
  /** The readable slug that the account chose; null for none. */
  @Token(40, { nullable: true }) ownSlug: string | null;
  @Text(200) title: string;
  /** Null: every resource that gives the service. */
  @Ref({ nullable: true }) resourceId: number | null;
  /** Null: the customer chooses a service of the resource. */
  @Ref({ nullable: true }) serviceId: number | null;
  @Flag({ default: true }) enabled: boolean;
  @Ref({ nullable: true }) createdByUserId: number | null;
  @Moment({ nullable: true }) deletedAt: Date | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/**
 * A readable slug that a link has or had. It stays with its link, so that an address which was
 * handed out keeps working.
 */
@Entity("booking_slugs")
@Index("booking_slugs_slug", ["slug"], { unique: true })
@Index("booking_slugs_link", ["linkId", "id"])
export class BookingSlug {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() linkId: number;
  @Token(40) slug: string;
  @MomentNow() createdAt: Date;
}

/**
 * A booking through a link. Its token makes a form that is sent twice book once, and lets the
 * customer change the booking.
 */
@Entity("bookings")
@Index("bookings_token", ["linkId", "tokenHash"], { unique: true })
@Index("bookings_appointment", ["appointmentId"])
export class Booking {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() linkId: number;
  @Ref() appointmentId: number;
  /** SHA-256 of the form's token, which opens the appointment's page. */
  @Bytes(32) tokenHash: Buffer;
  @MomentNow() createdAt: Date;
}
