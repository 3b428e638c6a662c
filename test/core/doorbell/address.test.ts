import { expect, test } from "vitest";
import {
  formatSocketAddress,
  hostLabel,
  isNear,
  isWildcard,
  leadsToWorker,
  parseSocketAddress,
} from "../../../core/doorbell/address.ts";

test.each([
  ["127.0.0.1:4000", { host: "127.0.0.1", port: 4_000 }],
  ["0.0.0.0:0", { host: "0.0.0.0", port: 0 }],
  ["[fd00::1]:65535", { host: "fd00::1", port: 65_535 }],
])("%s is an address, and is written as it is read", (text, address) => {
  expect(parseSocketAddress(text)).toEqual(address);
  expect(formatSocketAddress(address)).toBe(text);
});

test.each([
  "off",
  "127.0.0.1",
  "127.0.0.1:65536",
  "fd00::1:80",
  "[127.0.0.1]:80",
  "host:80",
  "",
  "1.2.3:4",
])("%j is no address", (text) => {
  expect(parseSocketAddress(text)).toBeNull();
});

test.each([
  "127.0.0.1",
  "10.1.2.3",
  "172.18.0.5",
  "192.168.1.1",
  "100.64.0.1",
  "fd00::1",
  "fe80::1",
  "::1",
])("%s is near", (host) => {
  expect(isNear(host)).toBe(true);
});

test.each(["8.8.8.8", "2001:4860:4860::8888", "0.0.0.0", "255.255.255.255", "224.0.0.1"])(
  "%s is not near",
  (host) => {
    expect(isNear(host)).toBe(false);
  },
);

test("the addresses that stand for all are known", () => {
  expect(["0.0.0.0", "::", "127.0.0.1"].map(isWildcard)).toEqual([true, true, false]);
});

test("a loopback address leads to a worker of this machine alone", () => {
  const loopback = { host: "127.0.0.1", port: 4_000 };
  expect(leadsToWorker(loopback, `${hostLabel}:12:1`)).toBe(true);
  expect(leadsToWorker(loopback, "elsewhere:12:1")).toBe(false);
  expect(leadsToWorker({ host: "10.0.0.5", port: 4_000 }, "elsewhere:12:1")).toBe(true);
  expect(leadsToWorker({ host: "8.8.8.8", port: 4_000 }, "elsewhere:12:1")).toBe(false);
  expect(leadsToWorker({ host: "127.0.0.1", port: 0 }, `${hostLabel}:12:1`)).toBe(false);
});
