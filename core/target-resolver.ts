import { Resolver } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { TargetResolver } from "./target-guard.ts";

/** Options of the DNS lookups for targets. */
export interface ResolverOptions {
  /** Servers to ask, as `ip`, `ip:port` or `[ip]:port`; null: the system's. */
  servers: readonly string[] | null;
  /**
   * Time that a server may take at the first of two tries. c-ares doubles the time for the second.
   */
  timeoutMs: number;
  /** A file like /etc/hosts whose names come before DNS; null: DNS alone. */
  hostsFile: string | null;
}

/** The file with this machine's own names. */
export const systemHostsFile = "/etc/hosts";

/**
 * Makes the resolver for targets, which asks DNS itself by c-ares. The system's own lookup shares
 * its four threads with password hashing, and cannot be cancelled. The hosts file is read once.
 */
export function createTargetResolver(options: ResolverOptions): TargetResolver {
  const { servers, timeoutMs, hostsFile } = options;
  const dns = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers !== null) dns.setServers(servers);
  const hosts = hostsFile === null ? new Map<string, string[]>() : readHosts(hostsFile);
  const addressesOf = (name: string, family: 4 | 6): string[] | undefined =>
    hosts.get(name.toLowerCase())?.filter((address) => isIP(address) === family);
  return {
    resolve4: async (name) => addressesOf(name, 4) ?? (await dns.resolve4(name)),
    resolve6: async (name) => addressesOf(name, 6) ?? (await dns.resolve6(name)),
    cancel: () => dns.cancel(),
  };
}

/** The addresses of each name in a hosts file. An unreadable file has none. */
function readHosts(path: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of readLines(path)) {
    const [address = "", ...names] = line.replace(/#.*/u, "").trim().split(/\s+/u);
    if (isIP(address) === 0) continue;
    for (const name of names.map((one) => one.toLowerCase())) {
      hosts.set(name, [...(hosts.get(name) ?? []), address]);
    }
  }
  return hosts;
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch {
    return [];
  }
}

/** @returns true where a text names a DNS server: an address, with a port or without. */
export function isNameServer(text: string): boolean {
  const [, ip6, ip4 = text, port = "53"] =
    /^(?:\[(.+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  return isIP(ip6 ?? ip4) !== 0 && Number(port) >= 1 && Number(port) <= 65_535;
}
