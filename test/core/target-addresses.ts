/** Hosts as they stand in a URL, IPv6 in brackets: none of them is on the public internet. */
export const specialIpv4 = [
  "10.0.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "127.0.0.1",
  "127.254.1.1",
  "0.0.0.0",
  "0.1.2.3",
  "100.64.0.1",
  "100.127.255.255",
  "169.254.1.1",
  "192.0.0.8",
  "192.0.2.1",
  "192.88.99.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
];

export const specialIpv6 = [
  "[::]",
  "[::1]",
  "[fe80::1]",
  "[febf::1]",
  "[fc00::1]",
  "[fd7a::1]",
  "[fec0::1]",
  "[ff02::1]",
  "[100::1]",
  "[100:0:0:1::1]",
  "[2001:db8::1]",
  "[3fff::1]",
  "[5f00::1]",
  "[2001:2::1]",
  "[2001:20::1]",
  "[4000::1]",
];

export const ipv4InsideIpv6 = [
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::ffff:8.8.8.8]",
  "[::127.0.0.1]",
  "[::7f00:1]",
  "[64:ff9b::7f00:1]",
  "[64:ff9b:1::1]",
  "[2002:7f00:1::1]",
  "[2001:0:4136:e378::1]",
  "[::ffff:0:7f00:1]",
];

export const cloudMetadata = [
  "169.254.169.254",
  "168.63.129.16",
  "100.100.100.200",
  "[fd00:ec2::254]",
  "[fd20:ce::254]",
  "metadata.google.internal",
  "metadata.google.internal.",
  "METADATA.google.internal",
  "metadata.amazonaws.com",
];

export const insideNames = [
  "localhost",
  "localhost.",
  "api.localhost",
  "printer.local",
  "db.internal",
  "nas.home.arpa",
  "intranet",
];

export const numberSpellings = [
  "2130706433",
  "0x7f000001",
  "0177.0.0.1",
  "017700000001",
  "127.1",
  "0x7f.1",
  "0",
  "１２７.０.０.１",
  "127.0.0.1.",
  "127。0。0。1",
  "%31%32%37.0.0.1",
];

export const blockedHosts = [
  ...specialIpv4,
  ...specialIpv6,
  ...ipv4InsideIpv6,
  ...cloudMetadata,
  ...insideNames,
  ...numberSpellings,
];

/** Neighbours of the special ranges and well-known public resolvers. */
export const publicHosts = [
  "100.63.255.254",
  "100.128.0.1",
  "172.15.255.255",
  "172.32.0.1",
  "192.167.255.255",
  "192.169.0.1",
  "198.17.255.255",
  "198.20.0.1",
  "223.255.255.255",
  "8.8.8.8",
  "[2606:4700:4700::1111]",
  "[2001:4860:4860::8888]",
];
