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
  /** Grows with every workflow of this reminder. */
  @Int({ unsigned: true }) run: number;
  @Token(16) state: ReminderState;
  /** Start of the appointment in the current run. */
  @Moment() startTime: Date;
  @Moment() dueAt: Date;
  /** Start of the appointment in the last sent reminder. */
  @Moment({ nullable: true }) remindedStartTime: Date | null;
  /** The message of the reminder, even if the channel refused it. */
  @Ref({ nullable: true }) messageId: number | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
}
