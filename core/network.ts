import ipaddr from "ipaddr.js";

/**
 * The wider network of an address: its /24, or its /48 of IPv6. Hosting companies rent out networks
 * of this size. Text that is no address is left as it is.
 */
export function wideNetworkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  const prefix = address instanceof ipaddr.IPv6 ? 48 : 24;
  const mask = address.toByteArray().map((byte, index) => (index < prefix / 8 ? byte : 0));
  return `${ipaddr.fromByteArray(mask).toString()}/${prefix}`;
}

/**
 * The network of one caller: an IPv4 address itself, or the /64 of an IPv6 address. A caller with
 * one IPv6 address can call from its whole /64. Text that is no address is left as it is.
 */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address instanceof ipaddr.IPv6
    ? `${address.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(":")}::/64`
    : address.toString();
}
