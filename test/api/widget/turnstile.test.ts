import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createTurnstile } from "../../../api/widget/turnstile.ts";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Cloudflare's check. @param answer null: it never answers */
async function startCloudflare(answer: string | null): Promise<{ url: string; calls: string[] }> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      calls.push(`${request.method} ${request.url} ${body}`);
      if (answer !== null) response.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

const keys = { siteKey: "site", secretKey: "secret" };

test("Cloudflare hears the secret and the token, and its answer counts", async () => {
  const good = await startCloudflare('{"success":true,"error-codes":[]}');
  expect(await createTurnstile({ url: good.url, ...keys }).redeem("a token")).toBe(true);
  expect(good.calls).toEqual(["POST /turnstile/v0/siteverify secret=secret&response=a+token"]);
  const bad = await startCloudflare('{"success":false,"error-codes":["timeout-or-duplicate"]}');
  const refused = createTurnstile({ url: bad.url, ...keys });
  expect(await refused.redeem("used")).toBe(false);
  expect(refused.task()).toEqual({ url: bad.url, site_key: "site" });
});

test("a Cloudflare that gives no answer is left alone for a minute", async () => {
  const broken = await startCloudflare("<html>Bad gateway</html>");
  let now = 1_000;
  const turnstile = createTurnstile({ url: broken.url, ...keys }, () => now);
  expect(turnstile.task()).not.toBeNull();
  expect(await turnstile.redeem("a token")).toBe(false);
  expect(turnstile.task()).toBeNull();
  now += 59_999;
  expect(turnstile.task()).toBeNull();
  now += 1;
  expect(turnstile.task()).not.toBeNull();
});

test("a Cloudflare that hangs is waited for 3 s", async () => {
  const { url } = await startCloudflare(null);
  const turnstile = createTurnstile({ url, ...keys });
  expect(await turnstile.redeem("a token")).toBe(false);
  expect(turnstile.task()).toBeNull();
});
