import { Entity, Index } from "typeorm";
import type {
  AppointmentSource,
  AppointmentStatus,
  RescheduleMode,
  RescheduleState,
} from "../../core/model/appointment.ts";
import { Id, Moment, MomentNow, Ref, Text, Token, Version } from "./columns.ts";

/** A time of a resource that a contact has booked. */
@Entity("appointments")
@Index("appointments_resource", ["accountId", "resourceId", "startTime", "id", "endTime", "status"])
@Index("appointments_account", ["accountId", "startTime", "id", "endTime", "status"])
@Index("appointments_id", ["accountId", "id", "startTime", "endTime", "status", "resourceId"])
@Index("appointments_contact", ["contactId", "startTime", "id"])
@Index("appointments_service", ["serviceId", "startTime"])
export class Appointment {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() resourceId: number;
  @Ref({ nullable: true }) serviceId: number | null;
  @Ref() contactId: number;
  /**
   * The conversation in which it was booked. Of a booking made elsewhere it is the contact's newest
   * one at that time, but no web chat.
   */
  @Ref({ nullable: true }) conversationId: number | null;
  @Token(16) status: AppointmentStatus;
  @Text(254) title: string;
  @Moment() startTime: Date;
  @Moment() endTime: Date;
  /**
   * The time with the service's buffers at the time of the booking. No other appointment may
   * overlap it (rule C73).
   */
  @Moment() blockedFrom: Date;
  @Moment() blockedUntil: Date;
  /** The name shown when the appointment was booked. */
  @Text(254) customerName: string;
  @Token(15, { nullable: true }) customerPhone: string | null;
  /** Source of the booking. */
  @Token(32, { nullable: true }) source: AppointmentSource;
  @Token(255, { nullable: true }) googleEventId: string | null;
  @Ref({ nullable: true }) replacesAppointmentId: number | null;
  /** Set with the status `rescheduled`. */
  @Ref({ nullable: true }) replacedByAppointmentId: number | null;
  /** Both set with the status `cancelled`. */
  @Text(500, { nullable: true }) cancelReason: string | null;
  @Moment({ nullable: true }) cancelledAt: Date | null;
  @Ref({ nullable: true }) createdByUserId: number | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Version() version: number;
}

/**
 * A request to move an appointment. While it is `requested` and not expired, the new time is held.
 */
@Entity("appointment_reschedules")
@Index("appointment_reschedules_appointment", ["appointmentId", "state"])
@Index("appointment_reschedules_resource", ["resourceId", "state", "startTime"])
@Index("appointment_reschedules_state", ["state", "id"])
export class AppointmentReschedule {
  @Id() id: number;
  @Ref() accountId: number;
  @Ref() appointmentId: number;
  /** Target of the move: its resource, and the four times of an appointment. */
  @Ref() resourceId: number;
  @Moment() startTime: Date;
  @Moment() endTime: Date;
  @Moment() blockedFrom: Date;
  @Moment() blockedUntil: Date;
  @Token(16) mode: RescheduleMode;
  /** Source of the move. */
  @Token(32, { nullable: true }) source: AppointmentSource;
  @Token(16) state: RescheduleState;
  /** Reason of the release. */
  @Token(64, { nullable: true }) failureCode: string | null;
  /** The new appointment of a `replace`. */
  @Ref({ nullable: true }) newAppointmentId: number | null;
  @Ref({ nullable: true }) requestedByUserId: number | null;
  @Moment() expiresAt: Date;
  @Moment({ nullable: true }) finishedAt: Date | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
}
