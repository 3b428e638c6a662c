import { Agent, request } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import Router from "@koa/router";
import { expect, test, vi } from "vitest";
import { createApp } from "../../../api/app.ts";
import { listen, type Listening } from "../../../api/http/listen.ts";
import { v1Routes } from "../../../api/v1/index.ts";
import { startTestApi } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(
  async () => await startApiFixture({ PUBLIC_URL: "https://parley.example" }),
);

/** What the server says to these bytes until it closes the connection. */
async function say(bytes: string): Promise<string> {
  const { port } = new URL(fixture.api.url);
  return await new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(bytes));
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(received).toString("utf8")));
  });
}

const countConnections = async ({ server }: Listening) =>
  await promisify(server.getConnections.bind(server))();

const head = "POST /api/v1/contacts HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";

test.each([
  ["two lengths", `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
  [
    "a length and chunks",
    `${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  ["an unknown transfer coding", `${head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
  ["a negative length", `${head}Content-Length: -1\r\n\r\n`],
  ["a folded header", `${head}X-A: 1\r\n  2\r\nContent-Length : 2\r\n\r\n{}`],
  ["a space in the path", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["a broken chunk", `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
  ["no Host", "GET /healthz HTTP/1.1\r\n\r\n"],
  ["no HTTP at all", "hello\r\n\r\n"],
])("%s is 400 and the connection ends", async (_, bytes) => {
  const answer = await say(bytes);
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(answer).toMatch(/\r\nConnection: close\r\n/i);
  const body = answer.slice(answer.indexOf("\r\n\r\n") + 4);
  const request_id = /\r\nX-Request-Id: (req_[\w-]{12})\r\n/.exec(answer)?.[1];
  expect(JSON.parse(body)).toMatchObject({ success: false, error: { details: null, request_id } });
  expect(request_id).toBeDefined();
});

test("an Expect that nobody knows changes nothing", async () => {
  const answer = await say(
    "GET /nothing HTTP/1.1\r\nHost: x\r\nExpect: a-coffee\r\nConnection: close\r\n\r\n",
  );
  expect(answer).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
  expect(answer).toContain('"code":"route_not_found"');
});

test("a refused caller who keeps their own side open is cut off", async () => {
  const listening = await listen(createApp(fixture.api.deps), "127.0.0.1", 0);
  const open = { port: listening.port, host: "127.0.0.1", allowHalfOpen: true };
  const socket = connect(open, () => socket.write("hello\r\n\r\n"));
  const answer: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => answer.push(chunk));
  await new Promise((resolve) => socket.on("end", resolve));
  socket.write("and more\r\n");
  await sleep(100);
  expect([socket.writable, await countConnections(listening)]).toEqual([true, 1]);
  expect(Buffer.concat(answer).toString("utf8")).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  await eventually(async () => expect(await countConnections(listening)).toBe(0));
  socket.destroy();
  await listening.stop();
});

test("a stop ends in time, whatever is half sent", async () => {
  const listening = await listen(createApp(fixture.api.deps), "127.0.0.1", 0);
  const halves = ["", "GET /healthz HTT", `${head}Content-Length: 9\r\n\r\n{`].map((bytes) => {
    const socket = connect(listening.port, "127.0.0.1", () => socket.write(bytes));
    return new Promise((resolve) => socket.resume().on("error", resolve).on("close", resolve));
  });
  await eventually(async () => expect(await countConnections(listening)).toBe(3));
  const begun = performance.now();
  await listening.stop(300);
  expect(performance.now() - begun).toBeLessThan(2_000);
  await Promise.all(halves);
});

test("no Host header appears in any answer", async () => {
  for (const path of [
    "/",
    "/docs",
    "/api/v1/openapi.json",
    "/api/v1/contacts",
    "/dashboard/api/session",
  ]) {
    const answer = await say(
      `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 \d{3} /);
    expect(answer).not.toContain("evil.example");
  }
});

test("a stop lets the request under way answer, on a connection that is kept alive, and then ends", async () => {
  const api = await startTestApi(fixture.database);
  const { apiKey } = fixture.account;
  const made = await api.call("POST", "/api/v1/contacts", { apiKey, body: { email: "stop@x.co" } });
  const holder = fixture.database.dataSource.createQueryRunner();
  await holder.startTransaction();
  await holder.query("SELECT id FROM contacts WHERE email = 'stop@x.co' FOR UPDATE");
  const agent = new Agent({ keepAlive: true });
  const slow = new Promise<number | undefined>((resolve, reject) => {
    const outgoing = request(
      `${api.url}/api/v1/contacts/${Number(made.json.data.id)}`,
      {
        agent,
        method: "PATCH",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      },
      (response) => void response.resume().on("end", () => resolve(response.statusCode)),
    );
    outgoing.on("error", reject);
    outgoing.end('{"name":"slow"}');
  });
  const waiting =
    "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE '%FOR UPDATE%' AND id <> CONNECTION_ID()";
  await eventually(async () => expect(await fixture.query(waiting)).toHaveLength(1));
  const stopped = api.stop().then(() => performance.now());
  await holder.commitTransaction();
  await holder.release();
  expect(await slow).toBe(200);
  const answered = performance.now();
  expect((await stopped) - answered).toBeLessThan(2_000);
  agent.destroy();
});

test("a call of the API is tested against the routes of the API alone", async () => {
  const match = vi.spyOn(Router.prototype, "match");
  const { status } = await fixture.api.call("GET", "/api/v1/contacts");
  const tested = (match.mock.contexts as Router[]).map(({ stack }) => stack.length);
  match.mockRestore();
  expect({ status, tested }).toEqual({ status: 401, tested: [v1Routes.length] });
});
