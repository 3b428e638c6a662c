import type { MutationKey, QueryClient } from "@tanstack/react-query";

/**
 * Waits until no change of that key is under way: what is read meanwhile may be as it was before, and
 * would take what the page shows already back for a moment.
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
