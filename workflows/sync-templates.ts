import { proxyActivities, sleep } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import {
  templateSyncWaitsMs,
  type SyncTemplatesInput,
  type SyncTemplatesOutcome,
} from "../core/model/workflow/template-sync.ts";

const activities = proxyActivities<Activities>({
  // Six thousand templates are 60 pages, and a page takes about a second.
  startToCloseTimeout: 300_000,
  retry: { initialInterval: 500, maximumInterval: 30_000 },
});

/**
 * Reads the templates of one WhatsApp Business Account. The list goes to MySQL alone. A read that
 * fails for a passing reason is tried again some times, and by the schedule on the next day.
 */
export async function syncTemplates(input: SyncTemplatesInput): Promise<SyncTemplatesOutcome> {
  if (input.waitMs > 0) await sleep(input.waitMs, { summary: "wait: one read a minute" });
  for (let tries = 0; ; tries += 1) {
    const waitMs = templateSyncWaitsMs[tries];
    const outcome = await activities.syncTemplates({ ...input, isLast: waitMs === undefined });
    if (outcome.state !== "failed" || !outcome.again || waitMs === undefined) return outcome;
    await sleep(waitMs, { summary: "wait for Meta" });
  }
}
