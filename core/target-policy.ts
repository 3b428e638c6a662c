import type { Config } from "./config.ts";
import type { TargetPolicy } from "./target-guard.ts";
import { systemHostsFile } from "./target-resolver.ts";

/**
 * The targets that this installation allows. The host of our public URL never is a target; in
 * development, where all is on one machine, only the very port is ours. Other names on the same
 * address are allowed: a reverse proxy serves many. The API refuses a delivery that comes back.
 */
export function targetPolicyOf({
  allowPrivateTargets: allowPrivate,
  publicUrl,
}: Config): TargetPolicy {
  const { host, hostname } = new URL(publicUrl);
  return { allowPrivate, ownHosts: [allowPrivate ? host : hostname] };
}

/**
 * The hosts file that counts under a policy. Docker maps `host.docker.internal` there, which is how a
 * container reaches a receiver on the host. Its names are private ones, so production has no use for it.
 */
export function hostsFileOf({ allowPrivate }: TargetPolicy): string | null {
  return allowPrivate ? systemHostsFile : null;
}
