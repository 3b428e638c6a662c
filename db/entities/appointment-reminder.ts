import { Entity, Index, PrimaryColumn } from "typeorm";
import type { ReminderState } from "../../core/model/reminder.ts";
import { Int, Moment, MomentNow, Ref, Token } from "./columns.ts";

const key = {
  type: "bigint",
  unsigned: true,
  transformer: { to: (v: unknown) => v, from: Number },
} as const;

/** The newest reminder of an appointment. It is changed under the appointment's lock. */
@Entity("appointment_reminders")
@Index("appointment_reminders_due", ["state", "dueAt"])
export class AppointmentReminder {
  @PrimaryColumn(key) appointmentId: number;
  @Ref() accountId: number;
  /** Grows with every workflow that is started for it. */
  @Int({ unsigned: true }) run: number;
  @Token(16) state: ReminderState;
  /** The start that the run is about. */
  @Moment() startTime: Date;
  @Moment() dueAt: Date;
  /** The start that the customer was reminded of last. */
  @Moment({ nullable: true }) remindedStartTime: Date | null;
  /** What was sent, also where the channel would not take it. */
  @Ref({ nullable: true }) messageId: number | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
}
