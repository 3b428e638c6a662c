import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Rules for the targets of webhooks. Production opens nothing beyond public https. Rule C59. */
export interface TargetPolicy {
  /** Development only: opens http, every port, loopback, private and carrier addresses. */
  allowPrivate: boolean;
  /** `host` (any port) or `host:port` of our own public URL, which is never a target. */
  ownHosts: string[];
}

/** The part of node's c-ares `dns.promises.Resolver` that the guard uses. */
export interface TargetResolver {
  resolve4(name: string): Promise<string[]>;
  resolve6(name: string): Promise<string[]>;
  cancel(): void;
}

const messages = {
  invalid_url: "Give an absolute URL such as https://example.com/webhooks.",
  url_too_long: "The URL is longer than 2,048 characters.",
  insecure_scheme: "The URL must start with https://.",
  credentials_in_url: "The URL must not hold a user name or a password.",
  blocked_port: "Only the ports 443, 8443 and 80 can be used.",
  own_host: "The URL points at this service itself.",
  blocked_destination: "The URL points at an address that is not on the public internet.",
  dns_error: "DNS gives no address on the public internet for the host name of the URL.",
} as const;

/** Reasons to refuse a target. Only `dns_error` says nothing about the target itself. */
export type TargetErrorCode = keyof typeof messages;

/** A refused target. The message is for people and never repeats the URL or an address. */
export class TargetError extends Error {
  override readonly name = "TargetError";

  constructor(readonly code: TargetErrorCode) {
    super(messages[code]);
  }
}

const maxUrlLength = 2_048;
const openPorts = new Set(["443", "8443", "80"]);
const saveCheckMs = 2_000;
/**
 * Time that an answer of one address family waits for the other, since some servers drop AAAA
 * queries.
 */
const otherFamilyMs = 500;

const localhostName = /(^|\.)localhost$/;
const insideName = /(^|\.)(localhost|local|internal|home\.arpa)$/;
const metadataNames = new Set(["metadata.amazonaws.com", "metadata.tencentyun.com"]);
/** Cloud metadata inside ranges that the development setting opens, or that count as public. */
const metadataAddresses = new Set(
  ["168.63.129.16", "100.100.100.200", "fd00:ec2::254", "fd20:ce::254"].map(normalizeAddress),
);
const privateRanges = new Set(["loopback", "private", "uniqueLocal", "carrierGradeNat"]);
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Parses a target and makes every check that needs no lookup. Connect to the returned URL: never
 * parse the text a second time.
 * @throws TargetError
 */
export function parseTarget(text: string, policy: TargetPolicy): URL {
  const url = parseUrl(text);
  const insecureAllowed = policy.allowPrivate && url.protocol === "http:";
  if (url.protocol !== "https:" && !insecureAllowed) throw new TargetError("insecure_scheme");
  checkShape(text, url);
  const port = portOf(url);
  if (port === "0" || (!policy.allowPrivate && !openPorts.has(port)))
    throw new TargetError("blocked_port");
  const host = hostOf(url);
  if (isOwnHost(host, port, policy)) throw new TargetError("own_host");
  if (isIP(host) === 0) checkName(host, policy);
  else if (!isPermittedAddress(host, policy)) throw new TargetError("blocked_destination");
  return url;
}

/**
 * The addresses to connect to, from A and AAAA answers of DNS itself. One forbidden answer refuses
 * the whole set. A name with a private address reads like a name without any address. The
 * difference would reveal the names in the operator's own network.
 * @throws TargetError `dns_error` for a name, `blocked_destination` for an address, `own_host`; the
 *   signal's reason.
 */
export async function resolveTarget(
  url: URL,
  policy: TargetPolicy,
  resolver: TargetResolver,
  signal: AbortSignal,
): Promise<string[]> {
  signal.throwIfAborted();
  const host = hostOf(url);
  const addresses = await findAddresses(host, resolver, signal);
  if (addresses.length === 0) throw new TargetError("dns_error");
  if (!addresses.every((address) => isPermittedAddress(address, policy)))
    throw new TargetError(isLookedUp(host) ? "dns_error" : "blocked_destination");
  if (addresses.some((address) => isOwnHost(address, portOf(url), policy)))
    throw new TargetError("own_host");
  return addresses;
}

function isLookedUp(host: string): boolean {
  return isIP(host) === 0 && !localhostName.test(host);
}

/**
 * The check when a target is saved: parse and resolve within 2 s. A name that has no public address
 * now is accepted, since every attempt resolves and checks the name again.
 * @throws TargetError for anything but `dns_error`.
 */
export async function checkTarget(
  text: string,
  policy: TargetPolicy,
  resolver: TargetResolver,
): Promise<URL> {
  const url = parseTarget(text, policy);
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new TargetError("dns_error")), saveCheckMs);
  try {
    await resolveTarget(url, policy, resolver, limit.signal);
  } catch (error) {
    if (!(error instanceof TargetError) || error.code !== "dns_error") throw error;
  } finally {
    clearTimeout(timer);
  }
  return url;
}

/**
 * Public unicast excludes IANA's special-purpose registries, the metadata services of clouds, and
 * IPv4 addresses inside IPv6 addresses.
 * @returns true for a public unicast address. False for text that is no canonical address.
 */
export function isPublicAddress(ip: string): boolean {
  if (isIP(ip) === 0 || ip.includes("%") || metadataAddresses.has(normalizeAddress(ip)))
    return false;
  const address = ipaddr.parse(ip);
  // The library takes `::7f00:1` and all unassigned space for unicast; IANA has assigned 2000::/3 only.
  if (address instanceof ipaddr.IPv6 && !address.match(globalUnicast)) return false;
  return address.range() === "unicast";
}

/**
 * @returns true where a connection may end at this address: public, or opened by the development
 *   setting.
 */
export function isPermittedAddress(ip: string, policy: TargetPolicy): boolean {
  if (isPublicAddress(ip)) return true;
  if (!policy.allowPrivate || isIP(ip) === 0 || ip.includes("%")) return false;
  if (metadataAddresses.has(normalizeAddress(ip))) return false;
  return privateRanges.has(ipaddr.parse(ip).range());
}

/** One spelling per address, so that two of them can be compared as text. */
export function normalizeAddress(ip: string): string {
  return ipaddr.parse(ip).toNormalizedString();
}

/** The host as DNS and TLS know it: no brackets around IPv6, no dot at the end. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

/** The port that a connection goes to, the scheme's own when the URL names none. */
export function portOf(url: URL): string {
  return url.port || (url.protocol === "https:" ? "443" : "80");
}

function parseUrl(text: string): URL {
  if (text.length > maxUrlLength) throw new TargetError("url_too_long");
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw new TargetError("invalid_url");
  if (url.href.length > maxUrlLength) throw new TargetError("url_too_long");
  return url;
}

/** Refuses text that a person or another parser would read as a different host than `URL` does. */
function checkShape(text: string, url: URL): void {
  const authority = /^https?:\/\/([^/?#\\]+)(?:[/?#]|$)/i.exec(text)?.[1];
  if (url.username !== "" || url.password !== "" || authority?.includes("@"))
    throw new TargetError("credentials_in_url");
  const beforeQuery = text.split(/[?#]/, 1)[0] ?? "";
  if (authority === undefined || /[\s\p{Cc}]/u.test(text) || beforeQuery.includes("\\"))
    throw new TargetError("invalid_url");
}

/** Maximum characters of a name, and of each label of a name. Source: RFC 1035, 2.3.4. */
const maxNameLength = 253;
const maxLabelLength = 63;

function checkName(host: string, policy: TargetPolicy): void {
  const labels = host.split(".");
  const nameless = labels.some((label) => label === "" || label.length > maxLabelLength);
  if (nameless || host.length > maxNameLength) throw new TargetError("invalid_url");
  if (policy.allowPrivate) return;
  if (!host.includes(".") || insideName.test(host) || metadataNames.has(host))
    throw new TargetError("blocked_destination");
}

function isOwnHost(host: string, port: string, policy: TargetPolicy): boolean {
  return policy.ownHosts.some((own) => {
    const ownPort = /:(\d+)$/.exec(isIP(own) === 6 ? "" : own)?.[1];
    const ownHost = hostOf(new URL(`http://${isIP(own) === 6 ? `[${own}]` : own}`));
    return hostAlias(ownHost) === hostAlias(host) && (ownPort ?? port) === port;
  });
}

/** All names of the loopback interface are one host. */
function hostAlias(host: string): string {
  if (localhostName.test(host)) return "localhost";
  if (isIP(host) === 0) return host;
  return ipaddr.parse(host).range() === "loopback" ? "localhost" : normalizeAddress(host);
}

function findAddresses(
  host: string,
  resolver: TargetResolver,
  signal: AbortSignal,
): Promise<string[]> {
  if (isIP(host) !== 0) return Promise.resolve([host]);
  // By definition. No server is asked, because a server could answer otherwise.
  if (localhostName.test(host)) return Promise.resolve(["127.0.0.1", "::1"]);
  return new Promise((resolve, reject) => {
    const answers: [string[], string[]] = [[], []];
    let pending = answers.length;
    let timer: NodeJS.Timeout | undefined;
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      if (signal.aborted) reject(signal.reason);
      else resolve(answers.flat());
    };
    const abort = (): void => settle();
    const take = (family: 0 | 1, addresses: string[]): void => {
      answers[family] = addresses;
      pending -= 1;
      if (pending === 0 || signal.aborted) settle();
      else if (addresses.length > 0) timer = setTimeout(settle, otherFamilyMs);
    };
    signal.addEventListener("abort", abort, { once: true });
    resolver.resolve4(host).then(
      (addresses) => take(0, addresses),
      () => take(0, []),
    );
    resolver.resolve6(host).then(
      (addresses) => take(1, addresses),
      () => take(1, []),
    );
  });
}
