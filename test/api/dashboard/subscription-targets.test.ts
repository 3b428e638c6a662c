import { beforeAll, expect, test } from "vitest";
import { blockedHosts, publicHosts } from "../../core/target-addresses.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(
  async () =>
    await startApiFixture({
      ALLOW_PRIVATE_TARGETS: "false",
      PUBLIC_URL: "https://parley.example",
    }),
);
let id: number;

beforeAll(async () => {
  const made = await save("POST", "https://8.8.8.8/hook");
  id = made.json.data.id;
});

async function save(method: "POST" | "PATCH", url: string) {
  const path = `/dashboard/api/subscriptions${method === "POST" ? "" : `/${id}`}`;
  return await fixture.api.call(method, path, {
    cookie: fixture.account.cookie.replace("parley_session", "__Host-parley_session"),
    body: method === "POST" ? { url, events: ["*"] } : { url },
  });
}

async function refusal(url: string): Promise<string> {
  const before = await fixture.count("subscriptions", "subscription_secrets", "audit_log");
  const codes = new Set<string>();
  for (const method of ["POST", "PATCH"] as const) {
    const answer = await save(method, url);
    expect([url, answer.status, answer.json.error?.code]).toEqual([url, 400, "validation_error"]);
    const [detail] = answer.json.error.details as { path: string; code: string; message: string }[];
    expect(detail?.path).toBe("body.url");
    codes.add(detail?.code ?? "");
  }
  expect(await fixture.count("subscriptions", "subscription_secrets", "audit_log")).toEqual(before);
  expect(codes.size).toBe(1);
  return [...codes].join();
}

test.each(blockedHosts)("https://%s/ is refused when it is saved", async (host) => {
  expect(await refusal(`https://${host}/hook`)).toMatch(/^(blocked_destination|invalid_url)$/);
});

test.each(publicHosts)("https://%s/ is taken", async (host) => {
  expect((await save("PATCH", `https://${host}/hook`)).status).toBe(200);
});

test.each([
  ["http://8.8.8.8/", "insecure_scheme"],
  ["file:///etc/passwd", "insecure_scheme"],
  ["gopher://8.8.8.8/", "insecure_scheme"],
  ["ftp://8.8.8.8/", "insecure_scheme"],
  ["data:text/plain,x", "insecure_scheme"],
  ["javascript:alert(1)", "insecure_scheme"],
  ["not a url", "invalid_url"],
  ["https:8.8.8.8", "invalid_url"],
  ["https://8.8.8.8\\@127.0.0.1/", "invalid_url"],
  ["https://1.1.1.1 .example/", "invalid_url"],
  ["https://u:p@8.8.8.8/", "credentials_in_url"],
  ["https://1.1.1.1@127.0.0.1/", "credentials_in_url"],
  ["https://8.8.8.8:0/", "blocked_port"],
  ["https://8.8.8.8:22/", "blocked_port"],
  ["https://8.8.8.8:3306/", "blocked_port"],
  ["https://8.8.8.8:7233/", "blocked_port"],
  ["https://parley.example/api/webhooks/inbound/x", "own_host"],
  ["https://PARLEY.example.:8443/", "own_host"],
])("%s is refused as %s", async (url, code) => {
  expect(await refusal(url)).toBe(code);
});

test("a refused URL is not repeated in the answer", async () => {
  const answer = await save("POST", "https://user:hunter2@8.8.8.8/");
  expect(answer.text).not.toContain("hunter2");
});

test("a name that does not resolve now may be saved: every attempt looks again", async () => {
  expect((await save("PATCH", "https://not-there.invalid/hook")).status).toBe(200);
});

test("the address of a model provider follows the same policy", async () => {
  const provider = async (url: string) =>
    await fixture.api.call("POST", "/dashboard/api/agent/providers", {
      cookie: fixture.account.cookie.replace("parley_session", "__Host-parley_session"),
      body: { kind: "openai_compatible", base_url: url, model: "m", api_key: "" },
    });
  for (const host of ["127.0.0.1", "169.254.169.254"]) {
    const answer = await provider(`https://${host}/v1`);
    expect(answer.json.error.details).toMatchObject([
      { path: "body.base_url", code: "blocked_destination" },
    ]);
  }
  expect((await provider("https://8.8.8.8/v1")).status).toBe(201);
});
