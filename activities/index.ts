import type { ActivityDeps } from "./deps.ts";
import { createAgentCases } from "./agent-cases.ts";
import { createAgentTurn } from "./agent-turn.ts";
import type { Attempts } from "./attempt-delivery.ts";
import { createCalendarEvents } from "./calendar-events.ts";
import { createCalendlyWork } from "./calendly.ts";
import { createEndDelivery } from "./end-delivery.ts";
import { createEraseContact } from "./erase-contact.ts";
import { createExportFile } from "./export-file.ts";
import { createFetchMedia } from "./fetch-media.ts";
import { createHandoff } from "./handoff.ts";
import { createImportFile } from "./import-file.ts";
import { importWorks } from "./imports/kinds.ts";
import { createHoldDeliveries } from "./hold-deliveries.ts";
import { createPurge } from "./purge.ts";
import { createPurgeMedia } from "./purge-media.ts";
import { createReadCalendar } from "./read-calendar.ts";
import { createReconcile } from "./reconcile.ts";
import { createRecoverRuns } from "./recover-runs.ts";
import { createReadCalendly } from "./read-calendly.ts";
import { createRefreshPage } from "./refresh-page.ts";
import { createReminders } from "./reminders.ts";
import { createReschedule } from "./reschedule.ts";
import { createReseal } from "./reseal.ts";
import { createReplayDeliveries } from "./replay-deliveries.ts";
import { createSnoozes } from "./snoozes.ts";
import { createSendMail } from "./send-mail.ts";
import { createSendMessage } from "./send-message.ts";
import { createUploadFile } from "./upload-file.ts";
import { createSyncTemplates } from "./sync-templates.ts";
import { createWatchCalendar } from "./watch-calendar.ts";

/** Every activity by name. Workflows import only this type. */
export type Activities = ReturnType<typeof createActivities>;

/** Creates the activities of a worker process. @param attempts those that its relay begins too */
export function createActivities(deps: ActivityDeps, attempts: Attempts) {
  return {
    attemptDelivery: attempts.attemptDelivery,
    ...createEndDelivery(deps),
    ...createHoldDeliveries(deps),
    ...createReplayDeliveries(deps),
    ...createSendMessage(deps),
    ...createUploadFile(deps),
    ...createSendMail(deps),
    ...createExportFile(deps),
    ...createFetchMedia(deps),
    ...createHandoff(deps),
    ...createRefreshPage(deps),
    ...createSyncTemplates(deps),
    ...createReminders(deps),
    ...createSnoozes(deps),
    ...createAgentTurn(deps),
    ...createAgentCases(deps),
    ...createCalendarEvents(deps),
    ...createCalendlyWork(deps),
    ...createReadCalendly(deps),
    ...createReadCalendar(deps),
    ...createWatchCalendar(deps),
    ...createReschedule(deps),
    ...createEraseContact(deps),
    ...createPurge(deps),
    ...createPurgeMedia(deps),
    ...createReconcile(deps),
    ...createRecoverRuns(deps),
    ...createReseal(deps),
    ...createImportFile(deps, importWorks),
  };
}
