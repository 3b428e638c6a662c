import { describe, expect, test, vi } from "vitest";
import type { PostResult } from "../../../activities/http/post.ts";
import { parseRetryAfter } from "../../../activities/http/answer.ts";
import { certificate, expiredCertificate, key } from "./certificates.ts";
import {
  answers,
  body,
  closing,
  failed,
  headers,
  makePoster,
  post,
  receive,
  shortLimit,
  succeeded,
} from "./fixture.ts";
import { answer, type Behaviour, flood, okAnswer } from "./receivers.ts";

describe("TLS", () => {
  const cert = certificate;

  function postTls(port: number, host: string, ca?: string, limit = {}) {
    const resolver = answers(["127.0.0.1"]);
    const poster = makePoster({ resolver, ...(ca ? { ca } : {}), ...limit });
    return poster.post({ url: `https://${host}:${port}/hook`, headers, body });
  }

  test.each(["receiver.test", "127.0.0.1"])(
    "a trusted certificate for %s is a success",
    async (host) => {
      const receiver = await receive(answer(okAnswer), { tls: { key, cert } });
      expect(await postTls(receiver.port, host, cert)).toMatchObject({
        ...succeeded(),
        ip: "127.0.0.1",
      });
      expect(receiver.requests.length).toBe(1);
    },
  );

  test("the receiver is told the name of the URL, without a dot at its end", async () => {
    const names: string[] = [];
    const receiver = await receive(answer(okAnswer), {
      tls: {
        key,
        cert,
        SNICallback: (name, done) => {
          names.push(name);
          done(null);
        },
      },
    });
    expect(await postTls(receiver.port, "receiver.test.", cert)).toMatchObject(succeeded());
    expect(names).toEqual(["receiver.test"]);
  });

  test.each([
    ["self-signed", "receiver.test", cert, undefined],
    ["for another name", "other.test", cert, cert],
    ["for another address", "127.0.0.2", cert, cert],
    ["expired", "receiver.test", expiredCertificate, expiredCertificate],
  ])(
    "a certificate that is %s is a tls_error, and nothing is sent",
    async (_why, host, own, ca) => {
      vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
      const address = host === "127.0.0.2" ? host : "127.0.0.1";
      const tls = { key, cert: own };
      const receiver = await receive(answer(okAnswer), { tls, host: address });
      const poster = makePoster({ resolver: answers([address]), ...(ca ? { ca } : {}) });
      const result = await poster.post({ url: `https://${host}:${receiver.port}/`, headers, body });
      expect(result).toMatchObject({ ...failed("tls_error"), ip: null });
      expect(receiver.bytesRead).toBe(0);
    },
  );

  test.each(["TLSv1", "TLSv1.1"] as const)("%s is refused as a tls_error", async (version) => {
    const old = { minVersion: version, maxVersion: version, ciphers: "DEFAULT@SECLEVEL=0" };
    const receiver = await receive(answer(okAnswer), { tls: { key, cert, ...old } });
    expect(await postTls(receiver.port, "receiver.test", cert)).toMatchObject(failed("tls_error"));
  });

  test("a receiver that does not speak TLS is a tls_error", async () => {
    const receiver = await receive(() => {}, { greeting: "HTTP/1.1 400 Bad Request\r\n\r\n" });
    expect(await postTls(receiver.port, "receiver.test", cert)).toMatchObject(failed("tls_error"));
  });

  test("a handshake that hangs is a timeout", async () => {
    const receiver = await receive(() => {});
    const result = await postTls(receiver.port, "receiver.test", cert, shortLimit);
    expect(result).toMatchObject(failed("timeout"));
    await closing(receiver);
  });

  test("a receiver that asks for a client certificate is a failure, not an exception", async () => {
    const receiver = await receive(answer(okAnswer), {
      tls: {
        key,
        cert,
        requestCert: true,
        rejectUnauthorized: true,
      },
    });
    const result = await postTls(receiver.port, "receiver.test", cert);
    expect(["tls_error", "connection_reset"]).toContain(result.errorClass);
  });

  test("a body that drips over TLS ends with the socket closed", async () => {
    const receiver = await receive(
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n");
        flood(socket, "x".repeat(16_384));
      },
      { tls: { key, cert } },
    );
    expect(await postTls(receiver.port, "receiver.test", cert)).toMatchObject(succeeded());
    await closing(receiver);
  });
});

describe("a socket", () => {
  async function postTwice(behaviour: Behaviour, betweenMs: number) {
    const receiver = await receive(behaviour);
    const poster = makePoster();
    const request = { url: `http://127.0.0.1:${receiver.port}/hook`, headers, body };
    const results = [await poster.post(request)];
    await new Promise((resolve) => setTimeout(resolve, betweenMs));
    results.push(await poster.post(request));
    return { receiver, results };
  }

  test("is used again within a second of an answer that was read to its end", async () => {
    const receiver = await receive(answer(okAnswer));
    const poster = makePoster();
    const request = { url: `http://127.0.0.1:${receiver.port}/hook`, headers, body };
    await poster.post(request);
    vi.spyOn(performance, "now").mockImplementation(later(850));
    expect(await poster.post(request)).toMatchObject(succeeded());
    expect([receiver.connections.length, receiver.requests.length]).toEqual([1, 2]);
  });

  test("is closed by us before it has been idle for a second", async () => {
    const receiver = await receive(answer(okAnswer));
    const poster = makePoster();
    const request = { url: `http://127.0.0.1:${receiver.port}/hook`, headers, body };
    const timers = vi.spyOn(globalThis, "setTimeout");
    await poster.post(request);
    // The HTTP client has a coarse timer of its own, which does not get the connection.
    const calls: unknown[][] = timers.mock.calls;
    const idle = calls.filter(([, , connection]) => Object(connection).ip !== undefined);
    expect(idle).toEqual([[expect.any(Function), 900, expect.anything()]]);
    expect(receiver.connections[0]?.readyState).toBe("open");
    for (const [end, , connection] of idle) (end as (one: unknown) => void)(connection);
    await closing(receiver);
    await poster.post(request);
    expect(receiver.connections.length).toBe(2);
  });

  test("that was idle for a second is not used although a busy process could not close it", async () => {
    const receiver = await receive(answer(okAnswer));
    const poster = makePoster();
    const request = { url: `http://127.0.0.1:${receiver.port}/hook`, headers, body };
    await poster.post(request);
    vi.spyOn(performance, "now").mockImplementation(later(1_000));
    expect(await poster.post(request)).toMatchObject(succeeded());
    expect(receiver.connections.length).toBe(2);
  });

  test("older than 30 s is not kept, so that a change in DNS is seen", async () => {
    const { receiver } = await postTwice((socket) => {
      vi.spyOn(performance, "now").mockImplementation(later(30_001));
      socket.write(okAnswer);
    }, 20);
    expect(receiver.connections.length).toBe(2);
  });

  test.each([
    ["says connection: close", "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"],
    ["speaks HTTP/1.0", "HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n"],
    ["sends more than it announced", `${okAnswer}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`],
  ])("is not used again when the receiver %s", async (_name, text) => {
    const { receiver, results } = await postTwice(answer(text), 20);
    expect(results).toMatchObject([succeeded(), succeeded()]);
    expect([receiver.connections.length, receiver.requests.length]).toEqual([2, 2]);
  });

  test("that the receiver hung up while idle costs no failure and no second request", async () => {
    const behaviour: Behaviour = (socket) => socket.end(okAnswer);
    for (const betweenMs of [0, 1, 20]) {
      const { receiver, results } = await postTwice(behaviour, betweenMs);
      expect(results).toMatchObject([succeeded(), succeeded()]);
      expect(receiver.requests.length).toBe(2);
    }
  });

  test("that is hung up as the next request starts is left for a new one, before a byte is sent", async () => {
    const receiver = await receive(answer(okAnswer));
    const poster = makePoster();
    const request = { url: `http://127.0.0.1:${receiver.port}/hook`, headers, body };
    await poster.post(request);
    // The end has left the receiver here, and nothing has read it on our side yet.
    const hungUp = new Promise<void>((resolve) => receiver.connections[0]?.end(resolve));
    expect(await hungUp.then(() => poster.post(request))).toMatchObject(succeeded());
    expect([receiver.connections.length, receiver.requests.length]).toEqual([2, 2]);
  });

  test("that is reset after the second request was sent is a failure, never a third request", async () => {
    const { receiver, results } = await postTwice((socket, n) => {
      if (n === 1) socket.write(okAnswer);
      else socket.resetAndDestroy();
    }, 20);
    expect(results).toMatchObject([succeeded(), failed("connection_reset")]);
    expect([receiver.connections.length, receiver.requests.length]).toEqual([1, 2]);
  });

  test("never carries two requests at once", async () => {
    const receiver = await receive((socket) => setTimeout(() => socket.write(okAnswer), 50));
    const poster = makePoster();
    const request = { url: `http://127.0.0.1:${receiver.port}/hook`, headers, body };
    const results = await Promise.all(Array.from({ length: 20 }, () => poster.post(request)));
    expect(results.filter((result) => result.ok).length).toBe(20);
    expect([receiver.connections.length, receiver.requests.length]).toEqual([20, 20]);
  });

  test("is used a hundred times in a row without a new lookup", async () => {
    const receiver = await receive(answer(okAnswer));
    const resolver = answers(["127.0.0.1"]);
    const poster = makePoster({ resolver });
    const url = `http://receiver.example.org:${receiver.port}/`;
    for (let n = 0; n < 100; n += 1)
      expect(await poster.post({ url, headers, body })).toMatchObject(succeeded());
    expect([receiver.connections.length, resolver.lookups]).toEqual([1, 1]);
  });
});

describe("a poster", () => {
  test("throws for a header that cannot be sent, which is no fault of the receiver", async () => {
    const receiver = await receive(answer(okAnswer));
    const poster = makePoster();
    const url = `http://127.0.0.1:${receiver.port}/`;
    const bad = poster.post({ url, headers: { "x-a": "1\r\nx-b: 2" }, body });
    await expect(bad).rejects.toThrow("invalid x-a header");
    expect(receiver.bytesRead).toBe(0);
  });

  test("that is closed waits for the posts under way, closes its sockets and takes no more", async () => {
    const receiver = await receive((socket) => setTimeout(() => socket.write(okAnswer), 50));
    const poster = makePoster();
    const request = { url: `http://127.0.0.1:${receiver.port}/hook`, headers, body };
    const results: PostResult[] = [];
    const underWay = poster.post(request).then((result) => results.push(result));
    await poster.close();
    expect(results).toMatchObject([succeeded()]);
    await underWay;
    await closing(receiver);
    await expect(poster.post(request)).rejects.toThrow("closed");
  });
});

describe("Retry-After", () => {
  const now = Date.UTC(2026, 0, 1, 12, 0, 0);

  test.each([
    ["120", 120_000],
    [" 120 ", 120_000],
    ["120.6", 120_600],
    ["0", 0],
    ["1000000000", 1e12],
    ["Thu, 01 Jan 2026 12:02:00 GMT", 120_000],
    ["Thursday, 01-Jan-26 12:02:00 GMT", 120_000],
    ["Thu, 01 Jan 2026 11:00:00 GMT", 0],
    ["-1", null],
    ["1e9", null],
    ["9".repeat(400), null],
    ["soon", null],
    ["2026-01-01T12:02:00Z", null],
    ["Thu, 99 Xyz 2026 12:02:00 GMT", null],
    ["120, 60", null],
    ["", null],
    [undefined, null],
  ])("%j asks for %j ms", (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });

  test("is read from the answer", async () => {
    const receiver = await receive(
      answer("HTTP/1.1 503 Busy\r\nRetry-After: 120\r\ncontent-length: 0\r\n\r\n"),
    );
    expect(await post(receiver.port)).toMatchObject({ statusCode: 503, retryAfterMs: 120_000 });
  });
});

/** The monotonic clock, so much later. */
function later(byMs: number): () => number {
  const startedAt = performance.now();
  return () => startedAt + byMs;
}
