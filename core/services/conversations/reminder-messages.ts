import { Appointment } from "../../../db/entities/appointment.ts";
import { AppointmentReminder } from "../../../db/entities/appointment-reminder.ts";
import type { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";

const idForm = /^reminder-(?<appointmentId>\d+)-(?<startMs>\d+)-\d+$/u;

/** The `external_id` of a reminder's message. It names the appointment and its start. */
export function reminderIdOf({ id, startTime }: Appointment, run: number): string {
  return `reminder-${id}-${startTime.getTime()}-${run}`;
}

/**
 * Takes back a reminder that has not left, if its appointment was cancelled, replaced, moved or
 * begun since. Its time may then be reminded of anew. The appointment stays as it is until the
 * commit.
 * @param message locked
 * @returns true if the message is such a reminder, and must not leave
 */
export async function withdrawReminder(
  { manager, actor: { accountId }, now }: Tx,
  { senderType, externalId }: Message,
): Promise<boolean> {
  const { appointmentId, startMs } = idForm.exec(externalId ?? "")?.groups ?? {};
  // A program may have sent an id of this form.
  if (senderType !== "system" || appointmentId === undefined) return false;
  const startTime = new Date(Number(startMs));
  // A read by status or time would let go of a row that differs, and it could change back.
  const appointment = await manager.findOne(Appointment, {
    select: { id: true, status: true, startTime: true },
    where: { id: Number(appointmentId), accountId },
    lock: { mode: "pessimistic_read" },
  });
  const isAsWritten =
    appointment?.status === "confirmed" && appointment.startTime.getTime() === Number(startMs);
  if (isAsWritten && startTime > now) return false;
  await manager.update(
    AppointmentReminder,
    { appointmentId: Number(appointmentId), accountId, remindedStartTime: startTime },
    { remindedStartTime: null, updatedAt: now },
  );
  return true;
}
