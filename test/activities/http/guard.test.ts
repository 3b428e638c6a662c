import dns from "node:dns";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Dial } from "../../../activities/http/connection.ts";
import { blockedHosts } from "../../core/target-addresses.ts";
import {
  allRoadsTo,
  answers,
  body,
  failed,
  headers,
  makePoster,
  post,
  production,
  receive,
  succeeded,
} from "./fixture.ts";
import { answer, findClosedPort, okAnswer, type Receiver } from "./receivers.ts";

describe("the guard at send", () => {
  let sink: Receiver;

  beforeEach(async () => {
    sink = await receive(answer(okAnswer));
  });

  test.each(blockedHosts)("nothing is sent to %s", async (host) => {
    const dial = allRoadsTo(sink.port);
    const resolver = answers(["8.8.8.8"]);
    const poster = makePoster({ policy: production, dial, resolver });
    const result = await poster.post({ url: `https://${host}:8443/hook`, headers, body });
    expect(result).toMatchObject({ ...failed("blocked_destination"), ip: null });
    expect([dial.dialled, resolver.lookups, sink.connections.length]).toEqual([[], 0, 0]);
  });

  test.each([
    "http://example.org/",
    "https://example.org:22/",
    "https://u:p@example.org/",
    "https://parley.example.com/in/x",
    "https:example.org",
    "not a url",
  ])("nothing is sent to %s, whatever was saved", async (url) => {
    const dial = allRoadsTo(sink.port);
    const resolver = answers(["8.8.8.8"]);
    const poster = makePoster({ policy: production, dial, resolver });
    expect(await poster.post({ url, headers, body })).toMatchObject(failed("blocked_destination"));
    expect([dial.dialled, resolver.lookups]).toEqual([[], 0]);
  });

  test.each([[["169.254.169.254"]], [["127.0.0.1"]], [["8.8.8.8", "127.0.0.1"]], [["::1"]]])(
    "a name that resolves to %j is not connected to",
    async (records) => {
      const dial = allRoadsTo(sink.port);
      const poster = makePoster({ policy: production, dial, resolver: answers(records) });
      const result = await poster.post({ url: "https://a.nip.io/", headers, body });
      expect(result).toMatchObject(failed("dns_error"));
      expect([dial.dialled, sink.connections.length]).toEqual([[], 0]);
    },
  );

  test("a name that turns private after its first answer never reaches loopback in 1,000 sends", async () => {
    const closedPort = await findClosedPort();
    const toSink = allRoadsTo(sink.port);
    const toNobody = allRoadsTo(closedPort);
    const dial: Dial = (target) => (target.host === "8.8.8.8" ? toNobody : toSink)(target);
    const resolver = answers(["8.8.8.8"], ["127.0.0.1"]);
    const poster = makePoster({ policy: production, dial, resolver });
    const classes: (string | null)[] = [];
    for (let n = 0; n < 1_000; n += 1) {
      const result = await poster.post({ url: "https://rebind.example.org/", headers, body });
      classes.push(result.errorClass);
    }
    expect(classes[0]).toBe("connection_refused");
    expect(new Set(classes.slice(1))).toEqual(new Set(["dns_error"]));
    expect([resolver.lookups, toSink.dialled.length, sink.connections.length]).toEqual([
      1_000, 0, 0,
    ]);
  });

  test.each(["https://peer.example.org/", "https://8.8.8.8/"])(
    "%s: a peer outside the checked set is hung up on before a byte is written",
    async (url) => {
      const dial = allRoadsTo(sink.port);
      const resolver = answers(["8.8.8.8"]);
      const poster = makePoster({ policy: production, dial, resolver });
      const result = await poster.post({ url, headers, body });
      expect(result).toMatchObject({ ...failed("blocked_destination"), ip: null });
      expect([dial.dialled, sink.bytesRead]).toEqual([["8.8.8.8:443"], 0]);
    },
  );

  test("the peer is compared with the checked set in development too", async () => {
    const dial = allRoadsTo(sink.port);
    const poster = makePoster({ dial, resolver: answers(["10.0.0.1"]) });
    const result = await poster.post({ url: "http://peer.internal/", headers, body });
    expect(result).toMatchObject(failed("blocked_destination"));
    expect(sink.bytesRead).toBe(0);
  });

  test("the one public address of a name is dialled as it was checked", async () => {
    const dial = allRoadsTo(await findClosedPort());
    const poster = makePoster({ policy: production, dial, resolver: answers(["8.8.8.8"]) });
    await poster.post({ url: "https://example.org:8443/", headers, body });
    expect(dial.dialled).toEqual(["8.8.8.8:8443"]);
  });

  test.each([301, 302, 303, 307, 308])("%i is a failure and is not followed", async (status) => {
    const text = `HTTP/1.1 ${status} Moved\r\nlocation: http://127.0.0.1:${sink.port}/\r\ncontent-length: 0\r\n\r\n`;
    const receiver = await receive(answer(text));
    expect(await post(receiver.port)).toMatchObject({
      ok: false,
      statusCode: status,
      errorClass: "http_status",
    });
    expect([receiver.requests.length, sink.connections.length]).toEqual([1, 0]);
  });

  test("proxies of the environment are ignored", async () => {
    const proxy = await receive(answer(okAnswer));
    for (const name of ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"])
      vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
    vi.stubEnv("NO_PROXY", "");
    expect(await post(sink.port)).toMatchObject(succeeded());
    expect([proxy.connections.length, sink.requests.length]).toEqual([0, 1]);
  });

  test("names are asked of DNS, never of getaddrinfo", async () => {
    const lookup = vi.spyOn(dns, "lookup");
    const resolver = answers(["127.0.0.1"]);
    const poster = makePoster({ resolver });
    const url = `http://receiver.example.org:${sink.port}/`;
    expect(await poster.post({ url, headers, body })).toMatchObject(succeeded());
    expect([lookup.mock.calls.length, resolver.lookups]).toEqual([0, 1]);
  });
});
