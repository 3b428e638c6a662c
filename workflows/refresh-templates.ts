import { proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";

const { requestDueTemplateSyncs } = proxyActivities<Activities>({
  startToCloseTimeout: 30_000,
  retry: { initialInterval: 500, maximumInterval: 60_000 },
  summary: "request reads of due lists",
});

/** The next run of the schedule continues a longer backlog. */
const maxBatches = 50;

/** Requests a run of `syncTemplates` for each list of templates that is due. */
export async function refreshTemplates(): Promise<{ requested: number }> {
  let requested = 0;
  for (let batch = 0; batch < maxBatches; batch += 1) {
    const due = await requestDueTemplateSyncs();
    requested += due.requested;
    if (due.done) break;
  }
  return { requested };
}
