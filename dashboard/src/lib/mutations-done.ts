import type { MutationKey, QueryClient } from "@tanstack/react-query";

/**
 * Waits until no mutation with this key is running. A read during a mutation may return the old
 * state, and the page would show it for a moment.
 */
export async function mutationsDone(
  client: QueryClient,
  mutationKey: MutationKey,
  signal: AbortSignal,
): Promise<void> {
  const underWay = (): boolean => client.isMutating({ mutationKey }) > 0;
  if (underWay()) {
    await new Promise<void>((resolve) => {
      const stop = client.getMutationCache().subscribe(() => {
        if (underWay()) return;
        stop();
        resolve();
      });
    });
  }
  signal.throwIfAborted();
}
