import type { ReminderInput, ReminderOutcome } from "../core/model/reminder.ts";
import { cancelReminder, sendReminder } from "../core/services/appointments/reminders.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./deps.ts";

/** The steps of a reminder. Each may run twice, and the reminder is sent once (rule C75). */
export function createReminders({ dataSource, log }: ActivityDeps) {
  return {
    async sendReminder(input: ReminderInput): Promise<ReminderOutcome> {
      const { accountId, appointmentId } = input;
      const outcome = await transaction(dataSource, systemOf(accountId), (tx) =>
        sendReminder(tx, input),
      );
      log.info({ appointment_id: appointmentId, state: outcome.state }, "reminder.looked_at");
      return outcome;
    },

    async cancelReminder(input: ReminderInput): Promise<ReminderOutcome["state"]> {
      const { accountId, appointmentId } = input;
      const state = await transaction(dataSource, systemOf(accountId), (tx) =>
        cancelReminder(tx, input),
      );
      log.info({ appointment_id: appointmentId, state }, "reminder.given_up");
      return state;
    },
  };
}
