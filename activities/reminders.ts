import type { ReminderInput, ReminderOutcome } from "../core/model/reminder.ts";
import { sendReminder } from "../core/services/reminders.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./index.ts";

/** The one step of a reminder. It may run twice, and sends once. */
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
  };
}
