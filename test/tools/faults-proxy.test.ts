import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createByteTrap } from "../../tools/faults/byte-trap.ts";
import { createMysqlWatch } from "../../tools/faults/mysql-watch.ts";
import { createChance } from "../../tools/faults/random.ts";
import { startTcpProxy, type Inspector, type TcpProxy } from "../../tools/faults/tcp-proxy.ts";
import { eventually } from "../support/eventually.ts";

let proxy: TcpProxy;
let server: Awaited<ReturnType<typeof startEcho>>;
const clients: Socket[] = [];

beforeEach(async () => {
  server = await startEcho();
  proxy = await startTcpProxy({ target: () => ({ host: "127.0.0.1", port: server.port }) });
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await proxy.stop();
  await server.stop();
});

test("every byte comes through, in order, also many at once", async () => {
  const client = await dial();
  const sent = Buffer.alloc(5_000_000, "0123456789abcdef");
  client.socket.end(sent);
  await client.ended;
  expect(client.said().equals(sent)).toBe(true);
});

test("the end of one side reaches the other, and the connection is forgotten", async () => {
  const client = await dial();
  client.socket.end("bye");
  await client.ended;
  expect(client.said().toString()).toBe("bye");
  await eventually(() => expect(proxy.connections()).toBe(0));
});

test("delay holds every chunk back in both directions, and none overtakes another", async () => {
  proxy.delay(100, 50);
  const client = await dial();
  const started = performance.now();
  for (const word of ["one ", "two ", "three"]) client.socket.write(word);
  await eventually(() => expect(client.said().toString()).toBe("one two three"));
  expect(performance.now() - started).toBeGreaterThanOrEqual(199);
});

test("a blackhole is silent and keeps connections; healed, what was said arrives", async () => {
  const client = await dial();
  await echoed(client, "before ");
  proxy.blackhole();
  client.socket.write("during");
  const second = await dial();
  second.socket.write("new");
  await eventually(() => expect(proxy.connections()).toBe(2));
  // A round trip beside the proxy: had the words been passed on, their echo would be here by then.
  await expect(roundTrip(server.port)).resolves.toBe("x");
  expect(client.said().toString() + second.said().toString()).toBe("before ");
  await proxy.heal();
  await eventually(() => expect(client.said().toString()).toBe("before during"));
  await eventually(() => expect(second.said().toString()).toBe("new"));
});

test("in a blackhole nobody hears that the other side is gone; healed, they do", async () => {
  const client = await dial();
  await echoed(client, "hello");
  proxy.blackhole();
  await server.stop();
  await eventually(() => expect(server.open()).toBe(0));
  expect([client.socket.readableEnded, client.socket.destroyed]).toEqual([false, false]);
  await proxy.heal();
  await Promise.race([client.failure, client.ended]);
  client.socket.destroy();
  await eventually(() => expect(proxy.connections()).toBe(0));
  server = await startEcho();
});

test("a killed client takes its connection to the server along", async () => {
  const client = await dial();
  await echoed(client, "hello");
  client.socket.resetAndDestroy();
  await eventually(() => expect([server.open(), proxy.connections()]).toEqual([0, 0]));
});

test("a blackhole does not take in without end: the sender's buffers fill up", async () => {
  proxy.blackhole();
  const client = await dial();
  const chunk = Buffer.alloc(1_000_000);
  let drained = true;
  await eventually(() => {
    drained = client.socket.write(chunk);
    expect(client.socket.writableLength).toBeGreaterThan(20_000_000);
  });
  expect(drained).toBe(false);
});

test("reset breaks what is open and lets in what is new", async () => {
  const client = await dial();
  await echoed(client, "hello");
  expect(proxy.reset()).toBe(1);
  expect(await client.failure).toBe("ECONNRESET");
  await expect(roundTrip(proxy.port)).resolves.toBe("x");
});

test("a reset leaves nothing of connections that are just saying goodbye", async () => {
  const leaving = await Promise.all(Array.from({ length: 40 }, async () => await dial()));
  for (const { socket } of leaving) socket.end("bye");
  await eventually(() => expect(leaving.some(({ said }) => said().length > 0)).toBe(true));
  proxy.reset();
  await eventually(() => expect([proxy.connections(), server.open()]).toEqual([0, 0]));
});

test("down resets and refuses until it is healed, on the same port", async () => {
  const client = await dial();
  await echoed(client, "hello");
  await proxy.down();
  expect(await client.failure).toBe("ECONNRESET");
  await expect(roundTrip(proxy.port)).rejects.toThrow("ECONNREFUSED");
  await proxy.heal();
  await expect(roundTrip(proxy.port)).resolves.toBe("x");
});

test("a server that is gone ends the connection; back on its port, it is reached again", async () => {
  const client = await dial();
  await echoed(client, "hello");
  await server.stop();
  await Promise.race([client.failure, client.ended]);
  expect(client.socket.destroyed || client.socket.readableEnded).toBe(true);
  server = await startEcho();
  await expect(roundTrip(proxy.port)).resolves.toBe("x");
});

/** The packets of MySQL's protocol that a driver sends. */
function command(text: string, number = 0): Buffer {
  const body = Buffer.concat([Buffer.from([3]), Buffer.from(text)]);
  const head = Buffer.alloc(4);
  head.writeUIntLE(body.length, 0, 3);
  head[3] = number;
  return Buffer.concat([head, body]);
}

/** Says statements on one connection, chopped into bytes. @returns the verdicts on statement and answer. */
function say(inspector: Inspector, text: string): string[] {
  const verdicts = [...command(text)].map((byte) => inspector.fromClient(Buffer.from([byte])));
  expect(verdicts.slice(0, -1).every((verdict) => verdict === "pass")).toBe(true);
  const asked = verdicts.at(-1) ?? "";
  return asked === "cut" ? [asked] : [asked, inspector.fromServer(Buffer.from("OK"))];
}

test("the answer to the COMMIT of the named transaction is cut, once, on its connection alone", async () => {
  const watch = createMysqlWatch();
  const acts: string[] = [];
  const sprung = watch.trapCommit({
    of: "INSERT INTO outbox",
    when: "after",
    act: () => void acts.push("act"),
  });
  const [one, other] = [watch.inspect(), watch.inspect()];
  say(one, "START TRANSACTION");
  say(other, "START TRANSACTION");
  say(one, "INSERT INTO outbox VALUES ('COMMIT')");
  say(other, "SELECT 1");
  expect(say(other, "COMMIT")).toEqual(["pass", "pass"]);
  expect(say(one, "COMMIT")).toEqual(["pass", "cut"]);
  await sprung;
  expect(acts).toEqual(["act"]);
  expect(watch.cuts()).toBe(1);

  const third = watch.inspect();
  say(third, "INSERT INTO outbox VALUES (1)");
  expect(say(third, "COMMIT")).toEqual(["pass", "pass"]);
});

test("a COMMIT may be kept from the server, and only the n-th one", () => {
  const watch = createMysqlWatch();
  void watch.trapCommit({ of: "UPDATE deliveries", when: "before", nth: 2 });
  const inspector = watch.inspect();
  for (const expected of [["pass", "pass"], ["cut"], ["pass", "pass"]]) {
    say(inspector, "START TRANSACTION");
    say(inspector, "UPDATE deliveries SET run = 2");
    expect(say(inspector, "COMMIT")).toEqual(expected);
  }
});

test("a command with query attributes, of which it has none, reads the same", () => {
  const watch = createMysqlWatch();
  watch.decide((transaction) => (transaction === "SELECT 1\n" ? "before" : "pass"));
  const inspector = watch.inspect();
  say(inspector, "\0\x01START TRANSACTION");
  say(inspector, "\0\x01SELECT 1");
  expect(say(inspector, "\0\x01COMMIT")).toEqual(["cut"]);
});

test("a statement is of its own transaction only", () => {
  const watch = createMysqlWatch();
  void watch.trapCommit({ of: "INSERT INTO outbox", when: "before" });
  const inspector = watch.inspect();
  say(inspector, "START TRANSACTION");
  say(inspector, "INSERT INTO outbox VALUES (1)");
  say(inspector, "ROLLBACK");
  say(inspector, "START TRANSACTION");
  expect(say(inspector, "COMMIT")).toEqual(["pass", "pass"]);
});

test("a write outside of a transaction is one of its own, a read is none", () => {
  const watch = createMysqlWatch();
  watch.decide(() => "after");
  const inspector = watch.inspect();
  expect(say(inspector, "SELECT 1")).toEqual(["pass", "pass"]);
  expect(say(inspector, "DELETE FROM outbox WHERE id = 1")).toEqual(["pass", "cut"]);
});

test("what is no command, though it reads like one, is none", () => {
  const watch = createMysqlWatch();
  watch.decide(() => "before");
  const inspector = watch.inspect();
  say(inspector, "START TRANSACTION");
  expect(inspector.fromClient(command("COMMIT", 1))).toBe("pass");
  expect(inspector.fromClient(command("COMMIT"))).toBe("cut");
});

test("the same seed makes the same chances, another one others, and a fork keeps to itself", () => {
  const draw = (seed: number, forked: boolean) => {
    const chance = createChance(seed);
    if (forked) chance.fork("load").next();
    return [
      chance.between(1, 1_000_000),
      chance.pick(["a", "b", "c"]),
      ...chance.shuffle([1, 2, 3]),
    ];
  };
  expect(draw(7, false)).toEqual(draw(7, true));
  expect(draw(7, false)).not.toEqual(draw(8, false));
  const values = Array.from({ length: 1_000 }, createChance(1).next);
  expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
  expect(values.reduce((sum, value) => sum + value, 0) / 1_000).toBeCloseTo(0.5, 1);
});

interface Dialled {
  socket: Socket;
  said: () => Buffer;
  ended: Promise<void>;
  /** The code of its error. */
  failure: Promise<string>;
}

async function dial(port = proxy.port): Promise<Dialled> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  clients.push(socket);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve) => socket.once("end", resolve));
  const failure = new Promise<string>((resolve) => {
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  return { socket, said: () => Buffer.concat(chunks), ended, failure };
}

async function echoed(client: Dialled, text: string): Promise<void> {
  client.socket.write(text);
  await eventually(() => expect(client.said().toString()).toBe(text));
}

async function roundTrip(port: number): Promise<string> {
  const client = await dial(port);
  await echoed(client, "x");
  return client.said().toString();
}

async function startEcho() {
  const sockets = new Set<Socket>();
  const echo = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  return {
    port: (echo.address() as AddressInfo).port,
    open: () => sockets.size,
    async stop() {
      const closed = new Promise<void>((resolve) => echo.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

test("an answer is cut after so many bytes, once, and what the client says does not count", async () => {
  const trap = createByteTrap();
  const [one, other] = [trap.inspect(), trap.inspect()];
  expect(one.fromServer(Buffer.alloc(100))).toBe("pass");
  const acts: string[] = [];
  const sprung = trap.set(50, () => void acts.push("act"));
  expect(one.fromClient(Buffer.alloc(1_000))).toBe("pass");
  expect([one.fromServer(Buffer.alloc(30)), acts]).toEqual(["pass", []]);
  expect([other.fromServer(Buffer.alloc(30)), acts]).toEqual(["cut", ["act"]]);
  await sprung;
  expect(one.fromServer(Buffer.alloc(100))).toBe("pass");
});
