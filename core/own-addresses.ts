import { isIP } from "node:net";
import { normalizeAddress, type TargetResolver } from "./target-guard.ts";

const maxAgeMs = 60_000;

/**
 * Knows the addresses that DNS gives for our own host name. It answers at once with what the last
 * look-up found and looks again in the background, so that no attempt waits. A look-up that finds
 * nothing changes nothing.
 */
export function createOwnAddresses(
  host: string,
  resolver: Pick<TargetResolver, "resolve4" | "resolve6">,
  nowMs: () => number = () => performance.now(),
): () => readonly string[] {
  let known: readonly string[] = [];
  let askedAt: number | null = null;

  async function refresh(): Promise<void> {
    const lookups = [resolver.resolve4(host), resolver.resolve6(host)];
    const results = await Promise.allSettled(lookups);
    const found = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
    const addresses = found.filter((ip) => isIP(ip) !== 0).map(normalizeAddress);
    if (addresses.length > 0) known = addresses;
  }

  function read(): readonly string[] {
    if (askedAt === null || nowMs() - askedAt >= maxAgeMs) {
      askedAt = nowMs();
      void refresh();
    }
    return known;
  }

  read();
  return read;
}
