import { startDnsStub, type DnsQuestion, type DnsReply } from "../dns-stub.ts";
import type { Scenario } from "../run-scenario.ts";
import { checkNone, drain, injectFault } from "../scenario-context.ts";
import { readRows, withMysql } from "../books.ts";
import { checkOutcomes, createOnePerAccount, spread, type Expected } from "./one-event.ts";

interface Host extends Expected {
  reply: (question: DnsQuestion) => DnsReply;
}

const here = { addresses: ["127.0.0.1"] };
const metadata = "169.254.169.254";
const delivered = { attempts: 1, state: "delivered", errorClass: null } as const;
const unknown = { attempts: 6, state: "discarded", errorClass: "dns_error" } as const;

const hosts: readonly Host[] = [
  { name: "plain", reply: () => here, ...delivered },
  { name: "late", reply: () => ({ ...here, afterMs: 1_000 }), ...delivered },
  { name: "half", reply: ({ type }) => (type === "A" ? here : "silent"), ...delivered },
  {
    name: "many",
    reply: () => ({ addresses: Array.from({ length: 100 }, (_, n) => `127.0.0.${n + 1}`) }),
    ...delivered,
  },
  {
    name: "back",
    reply: ({ asked }) => (asked <= 2 ? { code: "NXDOMAIN" } : here),
    attempts: 3,
    state: "delivered",
    errorClass: null,
  },
  {
    name: "flipped",
    reply: ({ asked }) => (asked === 1 ? { code: "SERVFAIL" } : { addresses: [metadata] }),
    ...unknown,
  },
  { name: "gone", reply: () => ({ code: "NXDOMAIN" }), ...unknown },
  { name: "broken", reply: () => ({ code: "SERVFAIL" }), ...unknown },
  { name: "empty", reply: () => ({ addresses: [] }), ...unknown },
  { name: "inside", reply: () => ({ addresses: [metadata] }), ...unknown },
  { name: "mixed", reply: () => ({ addresses: ["127.0.0.1", metadata] }), ...unknown },
  { name: "slow", reply: () => ({ ...here, afterMs: 10_000 }), ...unknown },
  { name: "mute", reply: () => "silent", ...unknown },
];

/** Time limit of an attempt in ms, with a reserve for a busy machine. */
const attemptWithinMs = 8_500;

const names: Scenario = {
  id: "F15",
  title: "DNS fails, lies, is late, changes its mind, or has very much to say",
  seconds: 0,
  share: 0,
  shape: {
    accounts: 1,
    waitsMs: [200, 300, 400, 500, 600, 700],
    subscriptions: spread(hosts, 1, ({ name }) => ({ host: `${name}.test` })),
  },
  prepare: async () => {
    const stub = await startDnsStub(
      (question) =>
        hosts.find(({ name }) => question.name === `${name}.test`)?.reply(question) ?? {
          code: "NXDOMAIN",
        },
    );
    return { settings: { DNS_SERVERS: stub.address }, stop: () => stub.stop() };
  },
  async run(stage) {
    const { installation } = stage;
    await injectFault(stage, "DNS", "none", async () => {
      await createOnePerAccount(stage, installation.accounts);
      await drain(installation, 120_000);
    });
    await checkOutcomes(stage, hosts);
    const long = await withMysql(installation, async (connection) =>
      readRows<{ duration_ms: number; request_url: string }>(
        connection,
        `SELECT duration_ms, request_url FROM delivery_attempts WHERE duration_ms > ${attemptWithinMs}`,
      ),
    );
    checkNone(
      stage,
      long.map(({ request_url: url, duration_ms: ms }) => `${url} ${ms} ms`),
      "attempts that took longer than they may",
    );
  },
};

export const dnsScenarios: readonly Scenario[] = [names];
