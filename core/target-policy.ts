import type { Config } from "./config.ts";
import type { TargetPolicy } from "./target-guard.ts";

/**
 * Which targets this installation allows. Our own public host never is one; in development, where all
 * is on one machine, only the very port is ours.
 */
export function targetPolicyOf({ allowPrivateTargets, publicUrl }: Config): TargetPolicy {
  const { host, hostname } = new URL(publicUrl);
  return { allowPrivate: allowPrivateTargets, ownHosts: [allowPrivateTargets ? host : hostname] };
}
