import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  checkTarget,
  isPublicAddress,
  parseTarget,
  resolveTarget,
  TargetError,
  type TargetPolicy,
  type TargetResolver,
} from "../../core/target-guard.ts";
import { loadConfig } from "../../core/config.ts";
import { targetPolicyOf } from "../../core/target-policy.ts";
import { createTargetResolver } from "../../core/target-resolver.ts";
import { startDnsStub } from "../../tools/faults/dns-stub.ts";
import { blockedHosts, publicHosts } from "./target-addresses.ts";

const production: TargetPolicy = { allowPrivate: false, ownHosts: ["parley.example.com"] };
const development: TargetPolicy = { allowPrivate: true, ownHosts: ["localhost:3000"] };
const signal = new AbortController().signal;

/** A DNS that answers what it is told; an Error is a failed lookup, null never answers. */
function dns(v4: string[] | Error | null, v6: string[] | Error | null = []): TargetResolver {
  const answer = (given: string[] | Error | null): Promise<string[]> => {
    if (given === null) return new Promise(() => {});
    return given instanceof Error ? Promise.reject(given) : Promise.resolve(given);
  };
  return { resolve4: () => answer(v4), resolve6: () => answer(v6), cancel: () => {} };
}

const notFound = Object.assign(new Error("queryA ENOTFOUND"), { code: "ENOTFOUND" });

function parseCode(url: string, policy = production): string {
  try {
    return parseTarget(url, policy).href;
  } catch (error) {
    return error instanceof TargetError ? error.code : `threw ${String(error)}`;
  }
}

async function resolveCode(
  host: string,
  resolver: TargetResolver,
  policy = production,
): Promise<string | string[]> {
  try {
    return await resolveTarget(new URL(`https://${host}/`), policy, resolver, signal);
  } catch (error) {
    return error instanceof TargetError ? error.code : `threw ${String(error)}`;
  }
}

describe("a target is judged on the URL alone", () => {
  test.each(blockedHosts)("%s is refused", (host) => {
    expect(parseCode(`https://${host}/hook`)).toBe("blocked_destination");
  });

  test.each([...publicHosts, "hooks.example.org", "xn--bcher-kva.example", "a-b.co"])(
    "%s is allowed",
    (host) => {
      expect(parseCode(`https://${host}/hook`)).toBe(`https://${host}/hook`);
    },
  );

  test.each([
    "http://example.org/",
    "ftp://example.org/",
    "file:///etc/passwd",
    "gopher://example.org/",
    "data:text/plain,hi",
    "javascript:alert(1)",
    "wss://example.org/",
  ])("%s is refused, because only https is spoken", (url) => {
    expect(parseCode(url)).toBe("insecure_scheme");
  });

  test.each(["0", "22", "25", "3306", "6379", "7233", "8233", "8080", "65535"])(
    "port %s is refused",
    (port) => {
      expect(parseCode(`https://example.org:${port}/`)).toBe("blocked_port");
    },
  );

  test.each(["443", "8443", "80"])("port %s is allowed", (port) => {
    expect(parseCode(`https://example.org:${port}/`)).toMatch(/^https:/);
  });

  test.each([
    "https://u:p@example.org/",
    "https://u@example.org/",
    "https://:p@example.org/",
    "https://@example.org/",
    "https://1.1.1.1@127.0.0.1/",
  ])("%s is refused for its credentials, which the message does not repeat", (url) => {
    expect(parseCode(url)).toBe("credentials_in_url");
    expect(new TargetError("credentials_in_url").message).not.toContain("@");
  });

  test.each([
    "",
    "example.org",
    "//example.org/",
    "https://",
    "https:example.org",
    "https:/example.org",
    "https:///example.org",
    "https:\\\\example.org/",
    "https://1.1.1.1\\@127.0.0.1/",
    "ht\ttps://example.org/",
    "https://exam\nple.org/",
    " https://example.org/",
    "https://example.org/a b",
    "https://example%00.org/",
    "https://a..b/",
    "https://example.org../",
    "https://[fe80::1%25eth0]/",
    "https://[fe80::1%eth0]/",
    "https://[::1/",
  ])("%j is refused, because parsers disagree on it", (url) => {
    expect(parseCode(url)).toBe("invalid_url");
  });

  test("a name that DNS cannot hold is no target", () => {
    const label = "a".repeat(63);
    const longest = `https://${[label, label, label, "a".repeat(57), "com"].join(".")}/`;
    expect(parseTarget(longest, production).protocol).toBe("https:");
    expect(parseCode(`https://${"a".repeat(64)}.example.com/`)).toBe("invalid_url");
    expect(parseCode(`https://${[label, label, label, label, "com"].join(".")}/`)).toBe(
      "invalid_url",
    );
  });

  test("a fragment cannot move the host", () => {
    expect(parseTarget("https://1.1.1.1#@127.0.0.1/", production).hostname).toBe("1.1.1.1");
  });

  test("2,048 characters are allowed and one more is not, before and after encoding", () => {
    const base = "https://example.org/";
    expect(parseCode(base + "a".repeat(2_048 - base.length))).toMatch(/^https:/);
    expect(parseCode(base + "a".repeat(2_049 - base.length))).toBe("url_too_long");
    expect(parseCode(base + "é".repeat(1_000))).toBe("url_too_long");
  });

  test("our own host is refused on every port and in every spelling", () => {
    for (const host of ["parley.example.com", "PARLEY.example.com.", "parley.example.com:8443"])
      expect(parseCode(`https://${host}/in/x`)).toBe("own_host");
    expect(parseCode("https://other.example.com/")).toMatch(/^https:/);
  });
});

describe("the development setting", () => {
  test.each([
    "http://localhost:4000/",
    "http://127.0.0.1:4000/",
    "http://[::1]:4000/",
    "https://10.0.0.1/",
    "http://receiver:8080/",
    "http://hook.internal/",
    "https://example.org/",
  ])("opens %s", (url) => {
    expect(parseCode(url, development)).toBe(url);
  });

  test.each([
    ["http://169.254.169.254/", "blocked_destination"],
    ["http://[fd00:ec2::254]/", "blocked_destination"],
    ["http://100.100.100.200/", "blocked_destination"],
    ["http://224.0.0.1/", "blocked_destination"],
    ["http://[::ffff:127.0.0.1]/", "blocked_destination"],
    ["ftp://localhost/", "insecure_scheme"],
    ["http://u:p@localhost/", "credentials_in_url"],
    ["http://localhost:0/", "blocked_port"],
    ["http://localhost:3000/", "own_host"],
    ["http://127.0.0.1:3000/", "own_host"],
    ["http://[::1]:3000/", "own_host"],
    ["http://api.localhost:3000/", "own_host"],
  ])("does not open %s", (url, code) => {
    expect(parseCode(url, development)).toBe(code);
  });
});

describe("a target is judged again on every DNS answer", () => {
  test.each(blockedHosts.filter((host) => /^[\d.]+$|^\[/.test(host)))(
    "the literal %s is refused without a lookup",
    async (host) => {
      const asked: string[] = [];
      const resolver = {
        ...dns(["8.8.8.8"]),
        resolve4: (name: string) => Promise.resolve([asked.push(name).toString()]),
      };
      expect(await resolveCode(host, resolver)).toBe("blocked_destination");
      expect(asked).toEqual([]);
    },
  );

  test("a public name with a private answer is refused like a name without an address", async () => {
    expect(await resolveCode("169.254.169.254.nip.io", dns(["169.254.169.254"]))).toBe("dns_error");
    expect(await resolveCode("six.example.org", dns(notFound, ["::1"]))).toBe("dns_error");
  });

  test("one private answer among public ones refuses the whole set", async () => {
    expect(await resolveCode("mixed.example.org", dns(["8.8.8.8", "127.0.0.1"]))).toBe("dns_error");
    expect(await resolveCode("mixed.example.org", dns(["8.8.8.8"], ["fd00::1"]))).toBe("dns_error");
  });

  test("an answer that is no canonical address is refused", async () => {
    for (const junk of ["127.1", "0177.0.0.1", "fe80::1%eth0", "example.org", ""])
      expect(await resolveCode("junk.example.org", dns([junk]))).toBe("dns_error");
  });

  test("localhost is loopback by definition and is never asked of DNS", async () => {
    expect(await resolveCode("localhost", dns(["8.8.8.8"]))).toBe("blocked_destination");
    expect(await resolveCode("api.localhost", dns(["8.8.8.8"]), development)).toEqual([
      "127.0.0.1",
      "::1",
    ]);
  });

  test("the answers of both families are returned, and one family is enough", async () => {
    const v6 = "2606:4700:4700::1111";
    expect(await resolveCode("a.example.org", dns(["8.8.8.8"], [v6]))).toEqual(["8.8.8.8", v6]);
    expect(await resolveCode("a.example.org", dns(["8.8.8.8"], notFound))).toEqual(["8.8.8.8"]);
    expect(await resolveCode("a.example.org", dns(notFound, [v6]))).toEqual([v6]);
  });

  test("a family that never answers delays the other by half a second only", async () => {
    const startedAt = performance.now();
    expect(await resolveCode("a.example.org", dns(["8.8.8.8"], null))).toEqual(["8.8.8.8"]);
    expect(performance.now() - startedAt).toBeLessThan(800);
  });

  test("no answer is a dns_error", async () => {
    expect(await resolveCode("a.example.org", dns(notFound, notFound))).toBe("dns_error");
    expect(await resolveCode("a.example.org", dns([], []))).toBe("dns_error");
  });

  test("the signal ends a lookup that hangs, with its own reason", async () => {
    const reason = new Error("too late");
    const limit = new AbortController();
    const url = new URL("https://a.example.org/");
    const pending = resolveTarget(url, production, dns(null, null), limit.signal);
    limit.abort(reason);
    await expect(pending).rejects.toBe(reason);
    await expect(resolveTarget(url, production, dns(null), limit.signal)).rejects.toBe(reason);
  });

  test("a name that leads to our own address is refused", async () => {
    const policy = { allowPrivate: false, ownHosts: ["8.8.8.8"] };
    expect(await resolveCode("loop.example.org", dns(["8.8.8.8"]), policy)).toBe("own_host");
  });

  test("our public host is refused by its name, and another name on its address is allowed", async () => {
    const stub = await startDnsStub(({ type }) => ({ addresses: type === "A" ? ["8.8.8.8"] : [] }));
    try {
      const config = loadConfig({
        DATABASE_URL: "mysql://parley@localhost/parley",
        SECRET_KEY: "k1:unused",
        PUBLIC_URL: "https://parley.example.com",
        DNS_SERVERS: stub.address,
      });
      const policy = targetPolicyOf(config);
      const servers = config.dnsServers;
      const resolver = createTargetResolver({ servers, timeoutMs: 2_500, hostsFile: null });
      expect(parseCode("https://parley.example.com/hook", policy)).toBe("own_host");
      expect(await resolveCode("crm.example.com", resolver, policy)).toEqual(["8.8.8.8"]);
    } finally {
      await stub.stop();
    }
  });
});

describe("the check when a target is saved", () => {
  test("returns a public target, and tells a private answer from no answer by nothing", async () => {
    const url = "https://a.example.org/hook";
    for (const resolver of [dns(["8.8.8.8"]), dns(["10.0.0.1"]), dns(notFound)]) {
      expect((await checkTarget(url, production, resolver)).href).toBe(url);
    }
    await expect(checkTarget("http://a.example.org", production, dns([]))).rejects.toMatchObject({
      code: "insecure_scheme",
    });
    await expect(checkTarget("https://10.0.0.1", production, dns([]))).rejects.toMatchObject({
      code: "blocked_destination",
    });
  });

  test("does not refuse a name that fails to resolve or takes longer than 2 s", async () => {
    const url = "https://a.example.org/hook";
    expect((await checkTarget(url, production, dns(notFound, notFound))).href).toBe(url);
    const startedAt = performance.now();
    expect((await checkTarget(url, production, dns(null, null))).href).toBe(url);
    expect(performance.now() - startedAt).toBeLessThan(2_300);
  });
});

describe("public addresses", () => {
  test("agree with IANA's tables on 40,000 addresses, most of them at a range's edge", () => {
    const v4 = nearEdges(special4, 32n);
    fc.assert(
      fc.property(v4, (n) => {
        const text = [24n, 16n, 8n, 0n].map((shift) => (n >> shift) & 255n).join(".");
        expect([text, isPublicAddress(text)]).toEqual([text, !inside(special4, n, 32n)]);
      }),
      { numRuns: 20_000 },
    );
    const v6 = nearEdges([...special6, global6], 128n);
    fc.assert(
      fc.property(v6, (n) => {
        const groups = Array.from({ length: 8 }, (_, i) => (n >> BigInt(112 - 16 * i)) & 0xffffn);
        const text = groups.map((group) => group.toString(16)).join(":");
        const expected = inside([global6], n, 128n) && !inside(special6, n, 128n);
        expect([text, isPublicAddress(text)]).toEqual([text, expected]);
      }),
      { numRuns: 20_000 },
    );
  });

  test("are canonical text only", () => {
    for (const text of [
      "",
      "8.8.8.8 ",
      "8.8.8",
      "134744072",
      "08.8.8.8",
      "[2606:4700::1]",
      "2606:4700::1%eth0",
      "x",
    ])
      expect([text, isPublicAddress(text)]).toEqual([text, false]);
  });
});

type Range = [start: bigint, prefix: bigint];

/** Written down from the registries, not from the library that is under test. */
const special4 = [
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24",
  "192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24",
  "198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32",
]
  .join(" ")
  .split(" ")
  .map((cidr): Range => {
    const [address = "", prefix = ""] = cidr.split("/");
    const start = address.split(".").reduce((n, octet) => (n << 8n) | BigInt(octet), 0n);
    return [start, BigInt(prefix)];
  });

const global6: Range = [0x2000n << 112n, 3n];

const special6: Range[] = [
  [0x2001n << 112n, 23n],
  [0x20010db8n << 96n, 32n],
  [0x2002n << 112n, 16n],
  [0x2620004f8000n << 80n, 48n],
  [0x3fffn << 112n, 20n],
];

function inside(ranges: Range[], n: bigint, bits: bigint): boolean {
  return ranges.some(([start, prefix]) => n >> (bits - prefix) === start >> (bits - prefix));
}

function nearEdges(ranges: Range[], bits: bigint): fc.Arbitrary<bigint> {
  const max = (1n << bits) - 1n;
  const edges = ranges.flatMap(([start, prefix]) => [start, start + (1n << (bits - prefix))]);
  const near = fc
    .tuple(fc.constantFrom(...edges), fc.bigInt({ min: -3n, max: 3n }))
    .map(([edge, offset]) => (edge + offset < 0n ? 0n : edge + offset > max ? max : edge + offset));
  return fc.oneof({ weight: 3, arbitrary: near }, { weight: 1, arbitrary: fc.bigInt(0n, max) });
}
