import { isIP } from "node:net";
import type { Config } from "./config.ts";
import { createOwnAddresses } from "./own-addresses.ts";
import { hostOf, type TargetPolicy } from "./target-guard.ts";
import { createTargetResolver } from "./target-resolver.ts";

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
  const resolver = createTargetResolver({ servers, timeoutMs: 2_500 });
  return { allowPrivate, ownHosts, ownAddresses: createOwnAddresses(hostOf(url), resolver) };
}
