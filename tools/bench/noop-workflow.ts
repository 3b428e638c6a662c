import { proxyActivities, proxyLocalActivities } from "@temporalio/workflow";

const { nothing } = proxyLocalActivities<{ nothing(): Promise<void> }>({
  startToCloseTimeout: 20_000,
});

const { nothing: nothingElsewhere } = proxyActivities<{ nothing(): Promise<void> }>({
  startToCloseTimeout: 20_000,
});

/** The cheapest possible workflow: one local activity that does nothing. */
export async function noop(): Promise<void> {
  await nothing();
}

/** The activities of a turn of the agent that makes no call: begin, model step, reply. */
export async function noopTurn(): Promise<void> {
  await nothing();
  await nothingElsewhere();
  await nothing();
}
