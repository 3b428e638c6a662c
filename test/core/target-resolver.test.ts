import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadConfig } from "../../core/config.ts";
import { hostsFileOf } from "../../core/target-policy.ts";
import { createTargetResolver, isNameServer } from "../../core/target-resolver.ts";
import { startDnsStub, type DnsStub } from "../../tools/faults/dns-stub.ts";

const many = Array.from({ length: 100 }, (_, index) => `127.0.0.${index + 1}`);
let stub: DnsStub;

beforeEach(async () => {
  stub = await startDnsStub(({ name }) => {
    if (name === "many.test") return { addresses: many };
    if (name === "broken.test") return { code: "SERVFAIL" };
    if (name === "mute.test") return "silent";
    return name === "hooks.test" ? { addresses: ["127.0.0.9"] } : { code: "NXDOMAIN" };
  });
});

afterEach(async () => await stub.stop());

function resolverOf(timeoutMs = 2_500, hostsFile: string | null = null) {
  return createTargetResolver({ servers: [stub.address], timeoutMs, hostsFile });
}

test("the servers that are given are asked, and no other", async () => {
  expect(await resolverOf().resolve4("hooks.test")).toEqual(["127.0.0.9"]);
  expect(stub.questions).toEqual([{ name: "hooks.test", type: "A", asked: 1 }]);
});

test("answers that need more than a datagram come whole", async () => {
  expect(await resolverOf().resolve4("many.test")).toEqual(many);
});

describe("names in a hosts file", () => {
  const file = join(tmpdir(), `parley-hosts-${process.pid}`);
  const lines = [
    "# what Docker writes",
    "172.17.0.1\thost.docker.internal gateway # the host",
    "fe80::1 host.docker.internal",
    "10.0.0.7 hooks.test",
    "no address",
  ];

  beforeEach(() => writeFileSync(file, lines.join("\n")));
  afterEach(() => rmSync(file));

  test("come before DNS, in both families and any spelling", async () => {
    const resolver = resolverOf(2_500, file);
    expect(await resolver.resolve4("Host.Docker.internal")).toEqual(["172.17.0.1"]);
    expect(await resolver.resolve6("host.docker.internal")).toEqual(["fe80::1"]);
    expect(await resolver.resolve4("gateway")).toEqual(["172.17.0.1"]);
    expect(await resolver.resolve4("hooks.test")).toEqual(["10.0.0.7"]);
    expect(await resolver.resolve6("hooks.test")).toEqual([]);
    expect(stub.questions).toEqual([]);
  });

  test("leave every other name to DNS", async () => {
    expect(await resolverOf(2_500, file).resolve4("many.test")).toEqual(many);
  });

  test("count for nothing without the file", async () => {
    const resolver = resolverOf(2_500, join(tmpdir(), "nowhere", "hosts"));
    expect(await resolver.resolve4("hooks.test")).toEqual(["127.0.0.9"]);
  });

  test("are read from /etc/hosts where private targets are allowed, and nowhere else", () => {
    expect(hostsFileOf({ allowPrivate: true, ownHosts: [] })).toBe("/etc/hosts");
    expect(hostsFileOf({ allowPrivate: false, ownHosts: [] })).toBeNull();
  });
});

test.each([
  ["nobody.test", "ENOTFOUND"],
  ["broken.test", "ESERVFAIL"],
])("%s fails with %s", async (name, code) => {
  await expect(resolverOf().resolve4(name)).rejects.toMatchObject({ code });
});

test("a server that says nothing is asked twice and given up", async () => {
  const started = performance.now();
  await expect(resolverOf(300).resolve4("mute.test")).rejects.toMatchObject({ code: "ETIMEOUT" });
  expect(performance.now() - started).toBeLessThan(5_000);
  expect(stub.questions).toHaveLength(2);
});

test.each(["9.9.9.9", "127.0.0.1:5353", "::1", "[2620:fe::fe]:53"])("%s is a server", (text) => {
  expect(isNameServer(text)).toBe(true);
});

test.each(["", "dns.example.org", "9.9.9.9:0", "9.9.9.9:70000", "9.9.9", "[::1"])(
  "%j is no server",
  (text) => expect(isNameServer(text)).toBe(false),
);

test("DNS_SERVERS is a list of them", () => {
  const given = (servers: string) =>
    loadConfig({ DATABASE_URL: "mysql://a@b/c", SECRET_KEY: "k", DNS_SERVERS: servers }).dnsServers;
  expect(given("9.9.9.9, 127.0.0.1:5353")).toEqual(["9.9.9.9", "127.0.0.1:5353"]);
  expect(given("")).toBeNull();
  expect(() => given("dns.example.org")).toThrow("DNS_SERVERS");
});
