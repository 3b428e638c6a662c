import { connect, Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import type { Dial } from "../../../activities/http/connection.ts";
import {
  allRoadsTo,
  answers,
  body,
  closing,
  expectDeadline,
  failed,
  headers,
  makePoster,
  post,
  receive,
  shortLimit,
  succeeded,
} from "./fixture.ts";
import { answer, type Behaviour, drip, findClosedPort, flood, okAnswer } from "./receivers.ts";

describe("an attempt that fails", () => {
  test("in a lookup that finds nothing is a dns_error", async () => {
    const poster = makePoster({ resolver: answers([]) });
    const result = await poster.post({ url: "http://nowhere.example.org/", headers, body });
    expect(result).toMatchObject({ ...failed("dns_error"), ip: null });
  });

  test("in a lookup that hangs is a timeout, because the limit includes DNS", async () => {
    const hang = () => new Promise<string[]>(() => {});
    const resolver = { resolve4: hang, resolve6: hang, cancel: () => {} };
    const poster = makePoster({ resolver, ...shortLimit });
    const result = await poster.post({ url: "http://slow.example.org/", headers, body });
    expect(result).toMatchObject(failed("timeout"));
    expectDeadline(result.durationMs, 700);
  });

  test("on a closed port is connection_refused", async () => {
    expect(await post(await findClosedPort())).toMatchObject(failed("connection_refused"));
  });

  test("in connecting is a timeout at the limit", async () => {
    const dial: Dial = () => new Socket();
    const result = await post(1, { dial, ...shortLimit });
    expect(result).toMatchObject({ ...failed("timeout"), ip: null });
    expectDeadline(result.durationMs, 700);
  });

  test("when the receiver stays silent ends by a timer of 8 s", async () => {
    const receiver = await receive(() => {});
    const startedAt = performance.now();
    const result = await post(receiver.port, { attemptTimeoutMs: undefined });
    expect(result).toEqual({
      ...failed("timeout"),
      durationMs: expect.any(Number),
      ip: "127.0.0.1",
      responseHeaders: {},
      responseExcerpt: "",
      retryAfterMs: null,
    });
    for (const elapsedMs of [performance.now() - startedAt, result.durationMs])
      expectDeadline(elapsedMs, 8_000);
    expect(receiver.requests.length).toBe(1);
    await closing(receiver);
  });

  test.each<[string, Behaviour]>([
    ["trickles its status line", (socket) => drip(socket, okAnswer, 100)],
    [
      "trickles its headers",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n");
        drip(socket, "x-pad: ".padEnd(500, "x"), 20);
      },
    ],
    [
      "sends 100 for ever",
      (socket) => flood(socket, "HTTP/1.1 100 Continue\r\n\r\n".repeat(2_000)),
    ],
    [
      "sends 103 for ever",
      (socket) => flood(socket, "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(2_000)),
    ],
    ["trickles 100s", (socket) => drip(socket, "HTTP/1.1 100 Continue\r\n\r\n".repeat(99), 3)],
  ])("when the receiver %s ends at the limit", async (_name, behaviour) => {
    const receiver = await receive(behaviour);
    const result = await post(receiver.port, shortLimit);
    expect(result).toMatchObject(failed("timeout"));
    expectDeadline(result.durationMs, 700);
    expect(receiver.requests.length).toBe(1);
  });

  test("in a process that was held up until after the limit is a timeout", async () => {
    const receiver = await receive((socket, n) => void (n === 1 && socket.write(okAnswer)));
    const poster = makePoster(shortLimit);
    const url = `http://127.0.0.1:${receiver.port}/hook`;
    expect(await poster.post({ url, headers, body })).toMatchObject(succeeded());
    // Where a turn of the loop ends: the limit comes in the next, before the end that a kept connection waits for.
    await setImmediate();
    const late = poster.post({ url, headers, body });
    const until = performance.now() + 1_000;
    while (performance.now() < until);
    expect(await late).toMatchObject(failed("timeout"));
  });

  test("is measured on a clock that the wall clock cannot move", async () => {
    const receiver = await receive(() => {
      vi.setSystemTime(Date.now() + 3_600_000);
    });
    vi.useFakeTimers({ toFake: ["Date"] });
    const result = await post(receiver.port, shortLimit);
    expect(result).toMatchObject(failed("timeout"));
    expectDeadline(result.durationMs, 700);
  });

  test.each<[string, string, Behaviour]>([
    ["connection_reset", "resets before the head", (socket) => socket.resetAndDestroy()],
    ["connection_reset", "hangs up before the head", (socket) => socket.end()],
    [
      "connection_reset",
      "resets within the head",
      (socket) => socket.write("HTTP/1.1 200 OK\r\nx-a: ", () => socket.resetAndDestroy()),
    ],
    [
      "connection_reset",
      "hangs up within the head",
      (socket) => socket.end("HTTP/1.1 200 OK\r\nx-a: 1\r\n"),
    ],
    ["invalid_response", "speaks garbage", answer("SSH-2.0-OpenSSH_9.2\r\n\r\n")],
    ["invalid_response", "speaks HTTP/9", answer("HTTP/9 200 OK\r\n\r\n")],
    ["invalid_response", "sends status 20", answer("HTTP/1.1 20 OK\r\n\r\n")],
    ["invalid_response", "sends a header without a name", answer("HTTP/1.1 200 OK\r\n: a\r\n\r\n")],
    [
      "invalid_response",
      "sends two content-lengths",
      answer("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"),
    ],
    [
      "invalid_response",
      "switches protocols",
      answer("HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
    ],
    [
      "invalid_response",
      "sends a header of 100 KB",
      answer(`HTTP/1.1 200 OK\r\nx-a: ${"a".repeat(100_000)}\r\n\r\n`),
    ],
    [
      "invalid_response",
      "sends 20,000 headers",
      answer(`HTTP/1.1 200 OK\r\n${"x-a: 1\r\n".repeat(20_000)}\r\n`),
    ],
    [
      "invalid_response",
      "sends a 100 with a head of 100 KB",
      answer(`HTTP/1.1 100 Continue\r\nx-a: ${"a".repeat(100_000)}`),
    ],
  ])("is %s when the receiver %s, after one request", async (errorClass, _name, behaviour) => {
    const receiver = await receive(behaviour);
    expect(await post(receiver.port)).toMatchObject(failed(errorClass));
    expect([receiver.connections.length, receiver.requests.length]).toEqual([1, 1]);
  });

  test.each([300, 304, 400, 401, 404, 410, 429, 500, 503, 599])(
    "with status %i keeps the answer",
    async (status) => {
      const receiver = await receive(
        answer(`HTTP/1.1 ${status} No\r\nX-Why: because\r\ncontent-length: 0\r\n\r\n`),
      );
      expect(await post(receiver.port)).toMatchObject({
        ok: false,
        statusCode: status,
        errorClass: "http_status",
        ip: "127.0.0.1",
        responseHeaders: { "x-why": "because", "content-length": "0" },
      });
    },
  );
});

describe("an attempt that succeeds", () => {
  test.each<[string, number, string]>([
    ["200", 200, okAnswer],
    [
      "201 in chunks",
      201,
      "HTTP/1.1 201 C\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    ],
    ["202 without a reason", 202, "HTTP/1.1 202\r\ncontent-length: 0\r\n\r\n"],
    ["204", 204, "HTTP/1.1 204 No Content\r\n\r\n"],
    ["299", 299, "HTTP/1.1 299 Odd\r\ncontent-length: 0\r\n\r\n"],
    ["103 then 200", 200, `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${okAnswer}`],
    ["100 then 200", 200, `HTTP/1.1 100 Continue\r\n\r\n${okAnswer}`],
    ["HTTP/1.0", 200, "HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n"],
  ])("with %s sent exactly one request", async (_name, status, text) => {
    const receiver = await receive(answer(text));
    expect(await post(receiver.port)).toMatchObject(succeeded(status));
    expect([receiver.connections.length, receiver.requests.length]).toEqual([1, 1]);
  });

  test("survives 100, 103 and 102 that come byte by byte before the 200", async () => {
    const interim = ["100 Continue", "103 Early Hints\r\nlink: </a>", "102 Processing"];
    const text = interim.map((line) => `HTTP/1.1 ${line}\r\n\r\n`).join("");
    const receiver = await receive((socket) => drip(socket, text + okAnswer, 1));
    expect(await post(receiver.port)).toMatchObject({
      ...succeeded(),
      responseExcerpt: "ok",
    });
  });

  test("sends exactly the given headers and body, and only what HTTP needs beside them", async () => {
    const receiver = await receive(answer(okAnswer));
    const url = `http://127.0.0.1:${receiver.port}/a%20b/é?x=1&y=%2F#part`;
    await makePoster().post({ url, headers, body });
    const [head = "", sentBody = ""] = (receiver.requests[0] ?? "").split("\r\n\r\n");
    expect(head.split("\r\n")).toEqual([
      "POST /a%20b/%C3%A9?x=1&y=%2F HTTP/1.1",
      `host: 127.0.0.1:${receiver.port}`,
      "connection: keep-alive",
      "Content-Type: application/json",
      "X-Service-Signature: sha256=00",
      `content-length: ${body.length}`,
    ]);
    expect(Buffer.from(sentBody, "latin1")).toEqual(body);
  });

  test("with a body that drips for ever is over, socket closed, within a second of the head", async () => {
    const receiver = await receive((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n");
      drip(socket, "drip".repeat(20_000), 50);
    });
    const startedAt = performance.now();
    // The attempt's limit ends later than the drip's.
    const result = await post(receiver.port, { attemptTimeoutMs: 60_000 });
    const elapsedMs = performance.now() - startedAt;
    expect(result).toMatchObject({
      ...succeeded(),
      responseExcerpt: expect.stringMatching(/^drip/),
    });
    expectDeadline(elapsedMs, 1_000);
    // The time is that of the head.
    expect(result.durationMs).toBeLessThanOrEqual(elapsedMs - 950);
    await closing(receiver);
  });

  test("with a body that takes longer than the limit of the attempt is a success", async () => {
    const receiver = await receive((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n");
      // Once the limit has passed.
      setTimeout(() => socket.write("late"), 700);
    });
    const result = await post(receiver.port, shortLimit);
    expect(result).toMatchObject({ ...succeeded(), responseExcerpt: "late" });
  });

  test.each<[string, Behaviour]>([
    ["reset", (socket) => setTimeout(() => socket.resetAndDestroy(), 50)],
    ["hung up on", (socket) => setTimeout(() => socket.end(), 50)],
    ["garbled", (socket) => setTimeout(() => socket.write("zz\r\nnonsense"), 50)],
  ])("stays a success when its body is %s", async (_name, behaviour) => {
    const receiver = await receive((socket, n) => {
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n");
      behaviour(socket, n);
    });
    expect(await post(receiver.port)).toMatchObject({ ...succeeded(), responseExcerpt: "ok" });
    expect(receiver.requests.length).toBe(1);
  });

  test("reads about 64 KiB of an endless body and grows by less than 20 MB", async () => {
    const zeros = Buffer.alloc(65_536, "0");
    const receiver = await receive((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n");
      flood(socket, zeros);
    });
    const dial = allRoadsTo(receiver.port);
    const poster = makePoster({ dial });
    const url = `http://127.0.0.1:${receiver.port}/`;
    await poster.post({ url, headers, body });
    const before = process.memoryUsage().rss;
    for (let n = 0; n < 20; n += 1) {
      const result = await poster.post({ url, headers, body });
      expect(result).toMatchObject(succeeded());
      expect(result.responseExcerpt).toBe("0".repeat(2_048));
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(20 * 1_024 * 1_024);
    expect(Math.max(...dial.sockets.map((socket) => socket.bytesRead))).toBeLessThan(200_000);
    expect(dial.sockets.map((socket) => socket.destroyed)).not.toContain(false);
  });

  test.each([["gzip"], [Array.from({ length: 500 }, () => "gzip").join(", ")]])(
    "leaves a compressed answer as it came",
    async (encoding) => {
      const bomb = gzipSync(Buffer.alloc(20_000_000));
      const receiver = await receive((socket) => {
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${bomb.length}\r\n\r\n`,
        );
        socket.write(bomb);
      });
      const result = await post(receiver.port);
      expect(result).toMatchObject(succeeded());
      expect(result.responseExcerpt.startsWith("\u001f\ufffd\b")).toBe(true);
    },
  );

  test("with headers of 40,000 characters keeps those that fit into 16 KiB", async () => {
    const large = `x-large: ${"a".repeat(40_000)}\r\n`;
    const receiver = await receive(answer(okAnswer.replace("content", `${large}content`)));
    const result = await post(receiver.port);
    expect(result).toMatchObject(succeeded());
    expect(result.responseHeaders).toEqual({ "content-length": "2" });
  });

  test("keeps the first 2 KiB as well-formed text, without half a character at the end", async () => {
    const text = Buffer.concat([Buffer.from([0xff, 0x61]), Buffer.from("é".repeat(2_000))]);
    const receiver = await receive((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n`);
      socket.write(text);
    });
    expect((await post(receiver.port)).responseExcerpt).toBe(`\ufffda${"é".repeat(1_023)}`);
    const odd = await receive((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 4001\r\n\r\na${"é".repeat(2_000)}`);
    });
    expect((await post(odd.port)).responseExcerpt).toBe(`a${"é".repeat(1_023)}`);
  });

  test("joins repeated headers, and a header named __proto__ is only a header", async () => {
    const receiver = await receive(
      answer("HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2\r\n__proto__: p\r\ncontent-length: 0\r\n\r\n"),
    );
    const { responseHeaders } = await post(receiver.port);
    expect(responseHeaders["x-a"]).toBe("1, 2");
    expect(Object.getPrototypeOf(responseHeaders)).toBe(Object.prototype);
  });

  test("uses the next address of a name when the first refuses", async () => {
    const receiver = await receive(answer(okAnswer));
    const poster = makePoster({ resolver: answers(["127.0.0.2", "127.0.0.1"]) });
    const url = `http://two.example.org:${receiver.port}/`;
    const result = await poster.post({ url, headers, body });
    expect(result).toMatchObject({ ...succeeded(), ip: "127.0.0.1" });
    expect(receiver.requests.length).toBe(1);
  });

  test("uses the next address when the first does not answer, and hangs up on the first", async () => {
    const receiver = await receive(answer(okAnswer));
    const silent = new Socket();
    const dial: Dial = ({ host, port }) => (host === "10.0.0.1" ? silent : connect(port, host));
    const poster = makePoster({ dial, resolver: answers(["10.0.0.1", "127.0.0.1"]) });
    const url = `http://two.example.org:${receiver.port}/`;
    expect(await poster.post({ url, headers, body })).toMatchObject(succeeded());
    expect(silent.destroyed).toBe(true);
  });
});
