import { proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import type {
  RefreshPageInput,
  RefreshPageOutcome,
} from "../core/model/workflow/knowledge-refresh.ts";

const activities = proxyActivities<Activities>({
  startToCloseTimeout: 60_000,
  retry: { initialInterval: 500, maximumInterval: 30_000 },
});

/**
 * Reads one page of the knowledge once. The text goes to MySQL alone. A page that failed is read
 * again the next day, or when a person asks.
 */
export async function refreshPage(input: RefreshPageInput): Promise<RefreshPageOutcome> {
  return await activities.refreshPage(input);
}
