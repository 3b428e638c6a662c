import { proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";

const { requestDuePages } = proxyActivities<Activities>({
  startToCloseTimeout: 30_000,
  retry: { initialInterval: 500, maximumInterval: 60_000 },
  summary: "request runs of due pages",
});

/** The next run of the schedule continues a longer backlog. */
const maxBatches = 50;

/** Requests a run of `refreshPage` for each page of the knowledge that is due. */
export async function refreshPages(): Promise<{ requested: number }> {
  let requested = 0;
  for (let batch = 0; batch < maxBatches; batch += 1) {
    const due = await requestDuePages();
    requested += due.requested;
    if (due.done) break;
  }
  return { requested };
}
