import { hostname } from "node:os";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Address of a UDP socket. */
export interface SocketAddress {
  /** An IPv4 or IPv6 address. */
  host: string;
  /** 0: any free port. */
  port: number;
}

/** A worker that can be rung, as its heartbeat says. */
export interface AnnouncedDoorbell {
  workerId: string;
  /** `ip:port`. */
  address: string;
}

/** Address ranges in which workers may be rung. A ring leaves no private network. */
const nearRanges = new Set(["loopback", "private", "uniqueLocal", "linkLocal", "carrierGradeNat"]);

/** Name of this machine, or of its container, as part of a worker's id. */
export const hostLabel = hostname()
  .replaceAll(/[^\x21-\x7e]/g, "_")
  .slice(0, 80);

/** Reads `ip:port`, or `[ip]:port` with IPv6. @returns null for any other text */
export function parseSocketAddress(text: string): SocketAddress | null {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([\d.]+)):(\d{1,5})$/u.exec(text) ?? [];
  const host = bracketed ?? plain ?? "";
  const port = Number(digits);
  if (isIP(host) !== (bracketed === undefined ? 4 : 6) || port > 65_535) return null;
  return { host, port };
}

/** Writes an address in the form that `parseSocketAddress` reads. */
export function formatSocketAddress({ host, port }: SocketAddress): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Type of the UDP socket that reaches an IP address. */
export function socketTypeOf(host: string): "udp4" | "udp6" {
  return isIP(host) === 6 ? "udp6" : "udp4";
}

/** @returns true for an address of this machine or of a private network */
export function isNear(host: string): boolean {
  return nearRanges.has(ipaddr.process(host).range());
}

/** @returns true for `0.0.0.0` and `::` */
export function isWildcard(host: string): boolean {
  return ipaddr.process(host).range() === "unspecified";
}

/**
 * A loopback address leads to the worker only from the worker's own machine.
 * @param workerId begins with the name of that machine
 * @returns true where the address of a worker may be rung from here
 */
export function leadsToWorker({ host, port }: SocketAddress, workerId: string): boolean {
  if (port === 0 || !isNear(host)) return false;
  return ipaddr.process(host).range() !== "loopback" || workerId.startsWith(`${hostLabel}:`);
}
