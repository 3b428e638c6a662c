import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startLoad, type Load } from "../../tools/faults/load.ts";
import { createChance } from "../../tools/faults/random.ts";
import { outcomeOf, repeatWaitMs } from "../../tools/faults/repeats.ts";
import { eventually } from "../support/eventually.ts";

let server: Server;
let url: string;
let load: Load | undefined;
/** How the API answers. */
let behave: (key: string, response: ServerResponse) => void;
/** Of each key how often it was asked for. */
let asked: Map<string, number>;

beforeEach(async () => {
  asked = new Map();
  server = createServer((request, response) => {
    const key = keyOf(request);
    asked.set(key, (asked.get(key) ?? 0) + 1);
    behave(key, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
});

afterEach(async () => {
  // Whoever still waits is let go.
  behave = accept;
  server.closeAllConnections();
  await load?.stop();
  load = undefined;
  await new Promise((resolve) => server.close(resolve));
});

function accept(_: string, response: ServerResponse): void {
  response.writeHead(201).end();
}

function keyOf({ headers }: IncomingMessage): string {
  return String(headers["idempotency-key"] ?? headers["x-service-event-id"] ?? "none");
}

function start(perSecond: number, seed = 1): Load {
  const accounts = [{ accountId: 1, apiKey: "key", inbound: { slug: "slug", secret: "whsec_1" } }];
  return startLoad({ urls: [url], accounts, perSecond, chance: createChance(seed) });
}

test("every caller reaches the API at once, so that none of its time is spent in a queue of ours", async () => {
  const held: ServerResponse[] = [];
  behave = (_, response) => void held.push(response);
  load = start(200);
  // None is answered, and yet all are there: with fewer connections than callers they never would be.
  await eventually(() => expect(held.length).toBeGreaterThan(150));
  behave = accept;
  for (const response of held) accept("", response);
});

test("a call with a key is repeated through 503, 409, a 500 and silence until its end is known", async () => {
  const answers = [
    (response: ServerResponse) => response.writeHead(503, { "retry-after": "1" }).end(),
    (response: ServerResponse) => response.writeHead(409).end(),
    (response: ServerResponse) => response.writeHead(500).end(),
    (response: ServerResponse) => response.destroy(),
  ];
  behave = (key, response) => {
    if (key === "none") return void response.writeHead(503).end();
    const answer = answers[(asked.get(key) ?? 0) - 1];
    if (answer === undefined) response.writeHead(201).end();
    else answer(response);
  };
  load = start(20);
  await eventually(() => expect(load?.calls.length).toBeGreaterThan(10));
  await load.stop();
  const repeatable = load.calls.filter((call) => call.repeatable);
  expect(repeatable.length).toBeGreaterThan(3);
  expect(repeatable.map(({ outcome }) => outcome)).toEqual(repeatable.map(() => "accepted"));
  const others = load.calls.filter((call) => !call.repeatable);
  expect(others.map(({ outcome }) => outcome)).toEqual(others.map(() => "unknown"));
  expect(asked.get("none"), "a call without a key is made once").toBe(others.length);
  expect(new Set(load.answers.map(({ status }) => status))).toEqual(
    new Set([503, 409, 500, 0, 201]),
  );
});

test("what is asked for is up to the seed, however often it has to be repeated", async () => {
  const ask = async (refusals: number) => {
    asked.clear();
    behave = (key, response) => {
      const status = (asked.get(key) ?? 0) > refusals ? 201 : 503;
      response.writeHead(status).end();
    };
    load = start(50, 7);
    await eventually(() => expect(load?.calls.length).toBeGreaterThanOrEqual(40));
    await load.stop();
    // Whether an inbound call has somebody to tag depends on who has been created by then.
    return load.calls
      .slice(0, 40)
      .map(({ kind, phone, repeatable }) =>
        kind === "create" ? { phone, repeatable } : "inbound",
      );
  };
  expect(await ask(2)).toEqual(await ask(0));
});

test("a refused call is repeated once its Retry-After has passed, and not before", async () => {
  const firstAt = new Map<string, number>();
  const refusals = new Map<string, number>();
  behave = (key, response) => {
    const first = firstAt.get(key) ?? performance.now();
    firstAt.set(key, first);
    if (performance.now() - first > 900) return void response.writeHead(201).end();
    refusals.set(key, (refusals.get(key) ?? 0) + 1);
    response.writeHead(503, { "retry-after": "1" }).end();
  };
  load = start(20);
  await eventually(() => expect(load?.calls.length).toBeGreaterThan(10));
  await load.stop();
  refusals.delete("none");
  expect(refusals.size).toBeGreaterThan(3);
  // Some calls are made twice at once.
  expect(Math.max(...refusals.values())).toBeLessThanOrEqual(2);
});

test("the wait grows, lasts as long as the API asks for, and no two callers come together", () => {
  expect([0, 1, 2, 3].map((tries) => repeatWaitMs(tries, [], 0))).toEqual([150, 300, 600, 1_200]);
  expect(repeatWaitMs(0, [], 0.5)).toBe(225);
  expect(repeatWaitMs(0, [2_000], 0)).toBe(2_150);
  expect(repeatWaitMs(0, [1_000, 5_000], 0.5)).toBe(5_225);
  // A run comes to its end, whatever is asked for and however long nobody answered.
  expect(repeatWaitMs(2_000, [], 0.999)).toBeLessThan(5_000);
  expect(repeatWaitMs(20, [3_600_000], 0.999)).toBeLessThan(65_000);
});

test("an effect that was answered is known, and silence says nothing", () => {
  expect(outcomeOf([503, 201])).toBe("accepted");
  expect(outcomeOf([422])).toBe("refused");
  for (const status of [0, 409, 429, 500, 503]) expect(outcomeOf([status])).toBe("unknown");
});
