import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";

/** How names of targets are looked up. */
export interface ResolverOptions {
  /** Servers to ask, as `ip`, `ip:port` or `[ip]:port`; null: the system's. */
  servers: readonly string[] | null;
  /** How long a server may take at the first of two tries; c-ares doubles it for the second. */
  timeoutMs: number;
}

/**
 * Makes what looks targets up: DNS itself, by c-ares, never the system's own lookup, whose four threads
 * hashing of passwords shares and which cannot be given up.
 */
export function createTargetResolver({ servers, timeoutMs }: ResolverOptions): Resolver {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers !== null) resolver.setServers(servers);
  return resolver;
}

/** Whether a text names a DNS server: an address, with a port or without. */
export function isNameServer(text: string): boolean {
  const [, ip6, ip4 = text, port = "53"] =
    /^(?:\[(.+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  return isIP(ip6 ?? ip4) !== 0 && Number(port) >= 1 && Number(port) <= 65_535;
}
