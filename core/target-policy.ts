import type { Config } from "./config.ts";
import type { TargetPolicy } from "./target-guard.ts";
import { systemHostsFile } from "./target-resolver.ts";

/**
 * The targets that this installation allows. The host of our public URL is never a target. In
 * development everything runs on one machine, so only our own port is refused. Other names on the
 * same address are allowed, because a reverse proxy serves many. The API refuses a delivery that
 * comes back (rule C76).
 */
export function targetPolicyOf({
  allowPrivateTargets: allowPrivate,
  publicUrl,
}: Config): TargetPolicy {
  const { host, hostname } = new URL(publicUrl);
  return { allowPrivate, ownHosts: [allowPrivate ? host : hostname] };
}

/** The addresses of model providers that this installation allows. */
export function modelTargetPolicyOf(config: Config): TargetPolicy {
  return targetPolicyOf({ ...config, allowPrivateTargets: config.modelAllowPrivateTargets });
}

/**
 * The hosts file that counts under a policy, or null. Docker maps `host.docker.internal` there, so
 * that a container reaches a receiver on the host. Names in the file are private, so production has
 * no use for them.
 */
export function hostsFileOf({ allowPrivate }: TargetPolicy): string | null {
  return allowPrivate ? systemHostsFile : null;
}
