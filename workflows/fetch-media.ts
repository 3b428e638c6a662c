import { proxyActivities, setCurrentDetails, sleep } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import { formatWait } from "../core/model/workflow/delivery.ts";
import type { FetchMediaInput, FetchMediaOutcome } from "../core/model/workflow/media.ts";

const { fetchMedia: tryOnce } = proxyActivities<Activities>({
  // 60 s for the download, 60 s for the scanner, and the storage.
  startToCloseTimeout: 240_000,
  heartbeatTimeout: 20_000,
  retry: { initialInterval: 500, maximumInterval: 30_000 },
});

/** Fetches one file of a message. MySQL has the file's state; the run knows ids only. */
export async function fetchMedia(
  input: FetchMediaInput,
): Promise<{ state: Exclude<FetchMediaOutcome["state"], "waiting"> }> {
  for (;;) {
    const outcome = await tryOnce(input);
    if (outcome.state !== "waiting") return { state: outcome.state };
    const summary = `wait ${formatWait(outcome.waitMs)} before the next try`;
    setCurrentDetails(`The file is not here yet; ${summary}.`);
    await sleep(outcome.waitMs, { summary });
  }
}
