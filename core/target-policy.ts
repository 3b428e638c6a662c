import { isIP } from "node:net";
import type { Config } from "./config.ts";
import { createOwnAddresses } from "./own-addresses.ts";
import { hostOf, type TargetPolicy } from "./target-guard.ts";
import { createTargetResolver, systemHostsFile } from "./target-resolver.ts";

/**
 * Which targets this installation allows. Our own public host never is one, by its name or by its
 * addresses; in development, where all is on one machine, only the very port is ours.
 */
export function targetPolicyOf({
  allowPrivateTargets: allowPrivate,
  publicUrl,
  dnsServers: servers,
}: Config): TargetPolicy {
  const url = new URL(publicUrl);
  if (allowPrivate) return { allowPrivate, ownHosts: [url.host] };
  const ownHosts = [url.hostname];
  if (isIP(hostOf(url)) !== 0) return { allowPrivate, ownHosts };
  const resolver = createTargetResolver({ servers, timeoutMs: 2_500, hostsFile: null });
  return { allowPrivate, ownHosts, ownAddresses: createOwnAddresses(hostOf(url), resolver) };
}

/**
 * The hosts file that counts under a policy. Docker maps `host.docker.internal` there, which is how a
 * container reaches a receiver on the host. Its names are private ones, so production has no use for it.
 */
export function hostsFileOf({ allowPrivate }: TargetPolicy): string | null {
  return allowPrivate ? systemHostsFile : null;
}
