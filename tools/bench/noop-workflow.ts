import { proxyLocalActivities } from "@temporalio/workflow";

const { nothing } = proxyLocalActivities<{ nothing(): Promise<void> }>({
  startToCloseTimeout: 20_000,
});

/** The cheapest possible workflow: one local activity that does nothing. */
export async function noop(): Promise<void> {
  await nothing();
}
