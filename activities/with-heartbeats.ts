import { Context } from "@temporalio/activity";

/** Far below the heartbeat timeouts of 20 s. */
const beatMs = 4_000;

/** Does the work of an activity. Another worker takes the step soon after this one dies. */
export async function withHeartbeats<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), beatMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
