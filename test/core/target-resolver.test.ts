import { afterEach, beforeEach, expect, test } from "vitest";
import { loadConfig } from "../../core/config.ts";
import { createTargetResolver, isNameServer } from "../../core/target-resolver.ts";
import { startDnsStub, type DnsStub } from "../../dev/faults/dns-stub.ts";

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

function resolverOf(timeoutMs = 2_500) {
  return createTargetResolver({ servers: [stub.address], timeoutMs });
}

test("the servers that are given are asked, and no other", async () => {
  expect(await resolverOf().resolve4("hooks.test")).toEqual(["127.0.0.9"]);
  expect(stub.questions).toEqual([{ name: "hooks.test", type: "A", asked: 1 }]);
});

test("answers that need more than a datagram come whole", async () => {
  expect(await resolverOf().resolve4("many.test")).toEqual(many);
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
