import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { appSecretProof, createGraph, type GraphCall } from "../../../activities/channels/graph.ts";

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

const call: GraphCall = {
  base: "graph",
  method: "POST",
  path: "/106/messages",
  token: "token",
  appSecret: "secret",
};

/** A server, and a client whose two hosts lead to it under different prefixes. */
async function connectTo(serve: Serve, timeoutMs = 5_000) {
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const urls = { graphUrl: url, instagramUrl: `${url}/instagram` };
  const graph = createGraph({ ...urls, version: "v26.0", timeoutMs });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await graph.close();
  });
  return graph;
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

test("a call has the version, the token as a header, and the proof of the app", async () => {
  const seen: unknown[] = [];
  const graph = await connectTo((request, response) => {
    void readText(request).then((text) => {
      seen.push([request.method, request.url, request.headers.authorization, text]);
      response.end('{"ok":true}');
    });
  });
  const body = { text: "Hola 👋" };
  const answer = { answered: true, statusCode: 200, body: { ok: true } };
  expect(await graph.call({ ...call, body })).toEqual(answer);
  const query = { fields: "id,name" };
  const read = { ...call, method: "GET", path: "/me", query, appSecret: null } as const;
  await graph.call({ ...read, base: "instagram" });
  const proof = appSecretProof("secret", "token");
  expect(seen).toEqual([
    ["POST", `/v26.0/106/messages?appsecret_proof=${proof}`, "Bearer token", JSON.stringify(body)],
    ["GET", "/instagram/v26.0/me?fields=id%2Cname", "Bearer token", ""],
  ]);
});

test("the proof of an app is the HMAC of the token", () => {
  // printf token | openssl dgst -sha256 -hmac secret
  const expected = "e941110e3d2bfe82621f0e3e1434730d7305d106c5f68c87165d0b27a4611a4a";
  expect(appSecretProof("secret", "token")).toBe(expected);
});

test("an error, a page of a proxy and a redirect are answers, and nothing is repeated", async () => {
  const answers = [
    [400, '{"error":{"code":100}}'],
    [502, "<html>"],
    [302, ""],
  ] as const;
  let calls = 0;
  const graph = await connectTo((request, response) => {
    request.resume();
    const [status, text] = answers[calls] ?? [500, ""];
    calls += 1;
    response.writeHead(status, { location: "/elsewhere" }).end(text);
  });
  const exchanges = [await graph.call(call), await graph.call(call), await graph.call(call)];
  expect(exchanges).toEqual([
    { answered: true, statusCode: 400, body: { error: { code: 100 } } },
    { answered: true, statusCode: 502, body: undefined },
    { answered: true, statusCode: 302, body: undefined },
  ]);
  expect(calls).toBe(3);
});

test("no connection: no byte was written", async () => {
  const nowhere = "http://127.0.0.1:9";
  const graph = createGraph({ graphUrl: nowhere, instagramUrl: nowhere, version: "v26.0" });
  onTestFinished(graph.close);
  expect(await graph.call(call)).toEqual({ answered: false, sent: false });
  const invalid = "http://graph.invalid";
  const unknown = createGraph({ graphUrl: invalid, instagramUrl: invalid, version: "v26.0" });
  onTestFinished(unknown.close);
  expect(await unknown.call(call)).toEqual({ answered: false, sent: false });
});

test("a call that comes to its connection after its time writes no byte", async () => {
  let calls = 0;
  const graph = await connectTo((request, response) => {
    calls += 1;
    request.resume();
    response.end("{}");
  });
  const late = await graph.call({ ...call, beginBy: performance.now() - 1 });
  expect(late).toEqual({ answered: false, sent: false });
  expect(calls).toBe(0);
  expect(await graph.call({ ...call, beginBy: performance.now() + 60_000 })).toMatchObject({
    answered: true,
  });
});

test("all calls that a worker makes at once reach a network that answers none of them yet", async () => {
  const most = 620;
  const held: ServerResponse[] = [];
  const graph = await connectTo((request, response) => {
    request.resume();
    held.push(response);
    if (held.length === most) for (const one of held) one.end("{}");
  }, 60_000);
  const exchanges = await Promise.all(Array.from({ length: most }, () => graph.call(call)));
  expect(exchanges.every(({ answered }) => answered)).toBe(true);
}, 90_000);

test("no answer in time, or a reset: bytes were written", async () => {
  let calls = 0;
  const graph = await connectTo((request) => {
    calls += 1;
    if (calls === 2) request.socket.resetAndDestroy();
  }, 200);
  expect(await graph.call(call)).toEqual({ answered: false, sent: true });
  expect(await graph.call(call)).toEqual({ answered: false, sent: true });
  expect(calls).toBe(2);
});

test("an answer that stops in the middle leaves the outcome open", async () => {
  const graph = await connectTo((request, response) => {
    request.resume();
    response.writeHead(200, { "content-length": "100" }).write('{"messages":');
    setTimeout(() => request.socket.resetAndDestroy(), 50);
  });
  expect(await graph.call(call)).toEqual({ answered: false, sent: true });
});

test("an answer of more than 2 MiB is not read to its end", async () => {
  const graph = await connectTo((request, response) => {
    request.resume();
    response.end("x".repeat(3 * 1_024 * 1_024));
  });
  expect(await graph.call(call)).toEqual({ answered: true, statusCode: 200, body: undefined });
});
