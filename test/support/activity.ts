import { MockActivityEnvironment } from "@temporalio/testing";
import { DefaultLogger } from "@temporalio/worker";

/** What a worker gives an activity, with what is known of an earlier try of it. */
export function createActivityEnvironment(
  info: { heartbeatDetails?: unknown; attempt?: number } = {},
): MockActivityEnvironment {
  return new MockActivityEnvironment(info, { logger: new DefaultLogger("ERROR") });
}

/** Runs an activity as a worker does, with a context. */
export async function runActivity<Result>(activity: () => Promise<Result>): Promise<Result> {
  return await createActivityEnvironment().run(activity);
}
